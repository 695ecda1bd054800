import type { KeyAccess } from "@minutes/contract";
import { type Database, execute, schema } from "@minutes/db";
import { sql } from "drizzle-orm";
import type { Caller } from "../access/index.js";
import { BatchQueue, countRequests, type QuotaRow } from "../rate-limit/index.js";

const { apiKeys, members, workspaces } = schema;

/** A valid key, whose it is, and the quota after this request. */
export interface VerifiedRow extends QuotaRow {
  readonly keyId: string;
  readonly kind: Caller["kind"];
  readonly userId: string | null;
  readonly workspaceId: string;
  readonly plan: string;
  readonly access: KeyAccess;
  /** True when the stored last-used time is more than a minute old. */
  readonly stale: boolean;
}

/** A row of `verifyKeys`. `used` counts all requests of the statement. */
interface BatchRow extends VerifiedRow {
  readonly hash: string;
  readonly scope: string;
}

/**
 * Verifies keys and counts the requests of each, in one statement. A key that is not valid has no row. Each key is looked up
 * by itself, which `offset 0` makes sure of: where PostgreSQL does not know yet how many keys there are, it would read all
 * of them for each request.
 */
const verifyKeys = () => sql`
  with key as (
    select a.hash as asked, a.requests, k.*
    from unnest(${sql.placeholder("hashes")}::text::text[], ${sql.placeholder("requests")}::text::int[]) as a (hash, requests)
    cross join lateral (
      select k.id, k.kind, k.user_id, w.id as workspace_id, w.plan, k.access,
        k.kind || ':' || coalesce(k.user_id, k.workspace_id) as scope,
        coalesce(k.last_used_at < statement_timestamp() - interval '1 minute', true) as stale
      from ${apiKeys} k
      left join ${members} m on m.user_id = k.user_id
      join ${workspaces} w on w.id = coalesce(k.workspace_id, m.workspace_id)
      where k.hash = decode(a.hash, 'hex') and k.disabled_at is null and k.revoked_at is null
        and coalesce(k.expires_at > statement_timestamp(), true)
      offset 0
    ) k
  ), quota as (${countRequests(sql`(select scope, sum(requests)::int as requests from key group by scope order by scope) k`)})
  select key.asked as "hash", key.scope, key.id as "keyId", key.kind, key.user_id as "userId",
    key.workspace_id as "workspaceId", key.plan, key.access, key.stale, quota.used, quota.reset,
    quota.retry_after as "retryAfter"
  from key join quota using (scope)`;

/** A request that waits for its key to be verified. */
interface Waiting {
  readonly hash: string;
  readonly resolve: (row: VerifiedRow | undefined) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Verifies the keys of requests and counts them against their quotas. Requests that arrive while a statement is under way
 * go into the next one together, so that a busy server verifies many keys by one statement; a lone request waits for
 * nobody. Nothing is cached: each request's answer comes from a statement that began after the request had arrived.
 * @see docs/decisions/0180-keys-are-verified-together.md
 */
export class KeyVerifier {
  readonly #queue: BatchQueue<Waiting>;

  constructor(db: Database) {
    this.#queue = new BatchQueue((batch) => verifyBatch(db, batch));
  }

  /** Verifies the key of one request by its hash. @returns undefined for a key that is not valid */
  verify(hash: Uint8Array): Promise<VerifiedRow | undefined> {
    const hex = Buffer.from(hash.buffer, hash.byteOffset, hash.byteLength).toString("hex");
    return new Promise((resolve, reject) => this.#queue.add({ hash: hex, resolve, reject }));
  }
}

/** Verifies the keys of a batch and answers each of its requests. Never rejects. */
async function verifyBatch(db: Database, batch: readonly Waiting[]): Promise<void> {
  const requests = new Map<string, number>();
  for (const { hash } of batch) requests.set(hash, (requests.get(hash) ?? 0) + 1);
  try {
    const rows = await execute<BatchRow>(db, "verify_keys", verifyKeys, {
      hashes: `{${[...requests.keys()].join()}}`,
      requests: `{${[...requests.values()].join()}}`,
    });
    const rowsByHash = new Map(rows.map((row) => [row.hash, row]));
    const counted = new Map<string, number>();
    for (const { hash, scope, used } of rows)
      counted.set(scope, (counted.get(scope) ?? used) - (requests.get(hash) ?? 0));
    for (const { hash, resolve } of batch) {
      const row = rowsByHash.get(hash);
      if (!row) {
        resolve(undefined);
        continue;
      }
      // Each request has a place of its own in its quota, in the order of arrival.
      const used = (counted.get(row.scope) ?? 0) + 1;
      counted.set(row.scope, used);
      resolve({ ...row, used });
    }
  } catch (error) {
    for (const { reject } of batch) reject(error);
  }
}
