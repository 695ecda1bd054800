import { COMMON_HEADERS } from "@minutes/core";
import { type Database, withTimeout } from "@minutes/db";
import type { SimilaritySearch } from "@minutes/search";
import { sql } from "drizzle-orm";
import express, { type Router } from "express";

/** What the status routes tell about the process. */
export interface StatusOptions {
  readonly db: Database;
  readonly similarity: SimilaritySearch | undefined;
  /** False once the server is stopping. */
  readonly accepting: () => boolean;
  /** Milliseconds that the database has to answer. */
  readonly deadline: number;
}

/** Serves `/health`: the process runs. `/ready`: it accepts calls and its database answers. */
export function serveStatus({ db, similarity, accepting, deadline }: StatusOptions): Router {
  const router = express.Router({ caseSensitive: true });
  const askDatabase = cacheForASecond(() => isDatabaseAnswering(db, deadline));
  router.get("/health", (_request, response) => {
    response.set(COMMON_HEADERS).send(JSON.stringify({ status: "ok" }));
  });
  router.get("/ready", async (_request, response) => {
    const ready = accepting() && (await askDatabase());
    const status = ready ? "ready" : "unavailable";
    const search = similarity ? { search: similarity.state() } : {};
    response
      .status(ready ? 200 : 503)
      .set(COMMON_HEADERS)
      .send(JSON.stringify({ status, ...search }));
  });
  return router;
}

/** Lets everybody who asks within a second of the first question share its answer. */
function cacheForASecond<Answer>(ask: () => Promise<Answer>): () => Promise<Answer> {
  let shared: { answer: Promise<Answer>; at: number } | undefined;
  return () => {
    const now = performance.now();
    if (!shared || now - shared.at >= 1_000) shared = { answer: ask(), at: now };
    return shared.answer;
  };
}

/** Asks the database a question. @returns false when it fails or does not answer in time. */
async function isDatabaseAnswering(db: Database, deadline: number): Promise<boolean> {
  const asked = db.execute(sql`select 1`).then(
    () => true,
    () => false,
  );
  return withTimeout(asked, deadline, () => false);
}
