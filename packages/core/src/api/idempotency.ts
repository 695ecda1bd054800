import { createHash, randomUUID } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { startHeartbeat } from "@minutes/background";
import { MESSAGES } from "@minutes/contract";
import { REST_ROUTES } from "@minutes/contract/operations";
import { type Database, schema } from "@minutes/db";
import { and, eq, isNull, lte, or, type SQL, sql } from "drizzle-orm";
import { ApiError } from "../lib/api-error.js";
import type { FoundProcedure } from "./resources.js";

/** Maximum characters of an `Idempotency-Key`. */
const KEY = /^[\x21-\x7e]{1,255}$/;

/**
 * Reads the `Idempotency-Key` of a create: every procedure whose resource uses `POST`, apart from streams.
 * @returns undefined if there is none, or for another procedure
 * @throws ApiError 400
 */
export function readIdempotencyKey(request: IncomingMessage, procedure: string): string | undefined {
  const key = request.headers["idempotency-key"];
  const route = REST_ROUTES[procedure];
  if (key === undefined || !route?.at.startsWith("POST ") || route.streams) return undefined;
  if (typeof key === "string" && KEY.test(key)) return key;
  throw new ApiError("BAD_REQUEST", MESSAGES.idempotencyKeyInvalid);
}

/** Describes a call for `RunOnce`. */
export const toRepeatableCall = (
  mount: string,
  { name, parameters }: FoundProcedure,
  key: string,
  body: Uint8Array,
): RepeatableCall => ({
  route: `${mount}/${name}`,
  key,
  fingerprint: createHash("sha256")
    .update(JSON.stringify(parameters ?? {}))
    .update(body)
    .digest(),
  secret: REST_ROUTES[name]?.secret,
  content: REST_ROUTES[name]?.content,
});

const { idempotencyKeys } = schema;

/** A create that a client can repeat. */
export interface RepeatableCall {
  /** Mount and procedure. */
  readonly route: string;
  /** The client's `Idempotency-Key`. */
  readonly key: string;
  /** SHA-256 of the body and the parameters in the path. */
  readonly fingerprint: Uint8Array;
  /** Field of the answer that is never stored; undefined if there is none. */
  readonly secret: string | undefined;
  /** Fields of the answer that are stored empty. Nobody could erase a person from a stored answer. */
  readonly content?: readonly string[] | undefined;
}

/**
 * Runs a call unless the same caller has made it before; then returns the first answer, without its secret and content.
 * @throws ApiError 409 while the first call runs, 422 if its body was another one
 */
export type RunOnce = (
  call: RepeatableCall,
  run: () => Promise<unknown>,
) => Promise<{ readonly payload: unknown; readonly replayed: boolean }>;

/** Lease of a running call in seconds. Another call takes over an expired one. */
const LEASE = 30;
const renewed = sql`now() + ${LEASE} * interval '1 second'`;

/** Who calls. Deleting the user or workspace deletes their keys. */
export type KeyHolder = { readonly userId: string } | { readonly workspaceId: string };

/**
 * Creates the runner of a caller's creates. A key is kept for 24 hours after a successful call. A failed call releases
 * it. A call whose process dies releases it after 30 seconds, and is then run again.
 */
export function createRunOnce(db: Database, holder: KeyHolder): RunOnce {
  return async (call, run) => {
    const hash = createHash("sha256")
      .update(JSON.stringify([holder, call.route, call.key]))
      .digest();
    const claim = randomUUID();
    const claimed = await claimKey(db, holder, call, { hash, claim });
    if (!claimed) return { payload: await readAnswer(db, call, hash), replayed: true };
    const ours = and(eq(idempotencyKeys.hash, hash), eq(idempotencyKeys.claim, claim));
    const stop = startHeartbeat(
      () => db.update(idempotencyKeys).set({ leasedUntil: renewed }).where(ours),
      LEASE,
      () => {}, // Without renewals, the lease expires.
    );
    let payload: unknown;
    try {
      payload = await run();
    } catch (error) {
      await stop();
      await db.delete(idempotencyKeys).where(ours);
      throw error;
    }
    await stop();
    await db
      .update(idempotencyKeys)
      .set({ answer: JSON.stringify(toStored(payload, call)) })
      .where(ours);
    return { payload, replayed: false };
  };
}

/** Claims a key that is new, expired, or left by a process that died. @returns false if it is used */
async function claimKey(
  db: Database,
  holder: KeyHolder,
  { fingerprint }: RepeatableCall,
  { hash, claim }: { readonly hash: Uint8Array; readonly claim: string },
): Promise<boolean> {
  const state = { fingerprint, claim, leasedUntil: renewed, expiresAt: sql`now() + interval '24 hours'` };
  const rows = await db
    .insert(idempotencyKeys)
    .values({ hash, ...holder, ...state })
    .onConflictDoUpdate({
      target: idempotencyKeys.hash,
      set: { ...state, answer: null },
      setWhere: or(
        lte(idempotencyKeys.expiresAt, sql`now()`),
        and(
          isNull(idempotencyKeys.answer),
          lte(idempotencyKeys.leasedUntil, sql`now()`),
          eq(idempotencyKeys.fingerprint, fingerprint),
        ),
      ) as SQL,
    })
    .returning({ claim: idempotencyKeys.claim });
  return rows.length > 0;
}

/** Returns the answer of an earlier call. @throws ApiError 409, 422 */
async function readAnswer(db: Database, { fingerprint }: RepeatableCall, hash: Uint8Array): Promise<unknown> {
  const [row] = await db
    .select({
      answer: idempotencyKeys.answer,
      isSame: sql<boolean>`${eq(idempotencyKeys.fingerprint, fingerprint)}`,
    })
    .from(idempotencyKeys)
    .where(eq(idempotencyKeys.hash, hash));
  if (row && !row.isSame) throw new ApiError("UNPROCESSABLE_CONTENT", MESSAGES.idempotencyOtherBody);
  // A missing row was released just now: the client's next attempt runs.
  if (!row?.answer) throw new ApiError("CONFLICT", MESSAGES.idempotencyRunning, { "Retry-After": "1" });
  return JSON.parse(row.answer);
}

/** Returns an answer as it is stored and repeated: IDs, versions and counts. */
function toStored(payload: unknown, { secret, content = [] }: RepeatableCall): unknown {
  if (secret === undefined && content.length === 0) return payload;
  return {
    ...(payload as object),
    ...Object.fromEntries(content.map((field) => [field, ""])),
    ...(secret === undefined ? {} : { [secret]: "", message: MESSAGES.secretNotRepeated }),
  };
}
