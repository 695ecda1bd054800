import { BatchQueue } from "@minutes/background";
import type { KeyAccess } from "@minutes/contract";
import { type Database, runNamedStatement, schema, writeArray } from "@minutes/db";
import { sql } from "drizzle-orm";
import { countRequests, type QuotaRow } from "../api/rate-limit/index.js";
import { hashToken } from "./token.js";

const { apiKeys, members, workspaces } = schema;

/** A valid key with its holder, and the quota after this request. */
export interface VerifiedRow extends QuotaRow {
  readonly keyId: string;
  readonly kind: schema.KeyKind;
  readonly userId: string | null;
  readonly workspaceId: string;
  readonly plan: string;
  readonly access: KeyAccess;
  /** True if the stored last-used time is more than a minute old. */
  readonly stale: boolean;
}

/** A row of `verifyKeys`. `used` includes all requests of the statement. */
interface BatchRow extends VerifiedRow {
  readonly hash: string;
  readonly scope: string;
}

/**
 * Verifies keys and counts the requests of each, in one statement. Invalid keys have no row. `offset 0` forces one
 * index lookup per key: without statistics, PostgreSQL would scan all keys for each request.
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

/** Returns true if a key is still valid, without counting a request. */
export async function isValidKey(db: Database, key: string): Promise<boolean> {
  const [row] = await db
    .select({ keyId: apiKeys.id })
    .from(apiKeys)
    .where(
      sql`${apiKeys.hash} = ${sql.param(hashToken(key), apiKeys.hash)} and ${apiKeys.disabledAt} is null and ${apiKeys.revokedAt} is null
        and coalesce(${apiKeys.expiresAt} > now(), true)`,
    );
  return row !== undefined;
}

/**
 * Verifies and counts requests by key. Requests that arrive while a statement is running share the next one, so a busy
 * server verifies many keys per statement, and a single request does not wait. Nothing is cached: each answer comes
 * from a statement that began after the request arrived.
 * @see docs/decisions/0086-credential-checks.md
 */
export class KeyVerifier {
  readonly #queue: BatchQueue<string, VerifiedRow | undefined>;
  #answeredAt = Number.NEGATIVE_INFINITY;

  constructor(db: Database) {
    this.#queue = new BatchQueue(async (hashes) => {
      const rows = await verifyBatch(db, hashes);
      this.#answeredAt = performance.now();
      return rows;
    });
  }

  /** When the database last answered, as of `performance.now()`. */
  get answeredAt(): number {
    return this.#answeredAt;
  }

  /** Verifies the key of one request by its hash. @returns undefined for an invalid key */
  verify(hash: Uint8Array): Promise<VerifiedRow | undefined> {
    return this.#queue.add(Buffer.from(hash.buffer, hash.byteOffset, hash.byteLength).toString("hex"));
  }
}

/** Verifies the key of each request in a batch. @returns undefined for an invalid key */
async function verifyBatch(
  db: Database,
  hashes: readonly string[],
): Promise<readonly (VerifiedRow | undefined)[]> {
  const requests = new Map<string, number>();
  for (const hash of hashes) requests.set(hash, (requests.get(hash) ?? 0) + 1);
  const rows = await runNamedStatement<BatchRow>(db, "verify_keys", verifyKeys, {
    hashes: writeArray([...requests.keys()]),
    requests: writeArray([...requests.values()]),
  });
  const rowsByHash = new Map(rows.map((row) => [row.hash, row]));
  const counted = new Map<string, number>();
  for (const { hash, scope, used } of rows)
    counted.set(scope, (counted.get(scope) ?? used) - (requests.get(hash) ?? 0));
  return hashes.map((hash) => {
    const row = rowsByHash.get(hash);
    if (!row) return undefined;
    // Requests of one scope are numbered in order of arrival.
    const used = (counted.get(row.scope) ?? 0) + 1;
    counted.set(row.scope, used);
    return { ...row, used };
  });
}
