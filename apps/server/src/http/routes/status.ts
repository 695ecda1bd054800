import { randomBytes } from "node:crypto";
import { COMMON_HEADERS, type KeyVerifier } from "@minutes/core";
import { withTimeout } from "@minutes/db";
import type { SimilaritySearch } from "@minutes/search";
import express, { type Request, type Router } from "express";

/** The process state shown by the status routes. */
export interface StatusOptions {
  readonly verifier: Pick<KeyVerifier, "verify" | "answeredAt">;
  readonly similarity: SimilaritySearch | undefined;
  /** False once the server is stopping. */
  readonly accepting: () => boolean;
  /** Timeout in ms of the database's answer. */
  readonly deadline: number;
  /** True if requests had an `X-Forwarded-For` that was ignored. */
  readonly ignoresForwarded: () => boolean;
  /** True if calls failed because the database's disk is full. */
  readonly isDiskFull: () => boolean;
  /** Called with each 503 of `/ready`. */
  readonly onUnready: (reason: "stopping" | "database", request: Request) => void;
}

/**
 * Serves `/health`, which means that the process runs, and `/ready`, which means that it accepts calls and can verify
 * their keys.
 */
export function serveStatus(options: StatusOptions): Router {
  const { verifier, similarity, accepting, deadline, ignoresForwarded, isDiskFull, onUnready } = options;
  const router = express.Router({ caseSensitive: true });
  const probeDatabase = cacheForASecond(() => canVerifyKeys(verifier, deadline));
  router.get("/health", (_request, response) => {
    response.set(COMMON_HEADERS).send(JSON.stringify({ status: "ok" }));
  });
  router.get("/ready", async (request, response) => {
    const stopping = !accepting();
    const ready = !stopping && (await probeDatabase());
    if (!ready) onUnready(stopping ? "stopping" : "database", request);
    const status = ready ? "ready" : "unavailable";
    const search = similarity ? { search: similarity.state() } : {};
    const forwarded = ignoresForwarded() ? { forwardedFor: "ignored" } : {};
    // Still ready: what is stored can be read, and balancers would find no other process.
    const disk = isDiskFull() ? { disk: "full" } : {};
    response
      .status(ready ? 200 : 503)
      .set(COMMON_HEADERS)
      .send(JSON.stringify({ status, ...search, ...forwarded, ...disk }));
  });
  return router;
}

/** Shares an answer among all callers within a second of the first. */
function cacheForASecond<Answer>(ask: () => Promise<Answer>): () => Promise<Answer> {
  let shared: { answer: Promise<Answer>; at: number } | undefined;
  return () => {
    const now = performance.now();
    if (!shared || now - shared.at >= 1_000) shared = { answer: ask(), at: now };
    return shared.answer;
  };
}

/**
 * Verifies an invalid key, with the statement that every call begins with. Retries once, because one broken connection
 * is not an outage. Neither is a late answer if other calls were answered in the meantime.
 */
async function canVerifyKeys(verifier: StatusOptions["verifier"], deadline: number): Promise<boolean> {
  const began = performance.now();
  const probe = () => verifier.verify(randomBytes(32)).then(() => true);
  const probed = probe()
    .catch(probe)
    .catch(() => false);
  const answered = await withTimeout(probed, deadline, () => false);
  return answered || verifier.answeredAt >= began;
}
