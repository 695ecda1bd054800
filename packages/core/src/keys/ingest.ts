import { MESSAGES } from "@minutes/contract";
import { type Database, runNamedStatement, schema } from "@minutes/db";
import { sql } from "drizzle-orm";
import type { RecorderCaller } from "../access/index.js";
import {
  type CredentialCheck,
  checkWithoutLimits,
  countRequest,
  type Quota,
  type QuotaRow,
  toQuota,
} from "../api/rate-limit/index.js";
import { ApiError } from "../lib/errors.js";
import { hashToken, isToken } from "./token.js";

const { ingestKeys } = schema;

interface IngestRow extends QuotaRow {
  readonly keyId: string;
  readonly workspaceId: string;
}

/** Verifies the credential, stores its use at most once a minute and counts the request, in one statement. */
const verifyIngestKey = () => sql`
  with key as (
    select k.id, k.workspace_id, 'ingest:' || k.workspace_id as scope from ${ingestKeys} k
    where k.hash = ${sql.placeholder("hash")} and k.revoked_at is null and k.disabled_at is null
  ), used as (
    update ${ingestKeys} set last_used_at = now() where id in (select id from key)
      and coalesce(last_used_at < now() - interval '1 minute', true)
  ), quota as (${countRequest(sql`key`)})
  select key.id as "keyId", key.workspace_id as "workspaceId", quota.used, quota.reset,
    quota.retry_after as "retryAfter"
  from key, quota`;

/**
 * Verifies an ingest credential and counts the request against its workspace's ingest quota, in one round trip.
 * @param limit requests per window
 * @param checkCredential bounds the cost of unknown credentials
 * @throws ApiError 401 for a missing, unknown, disabled or revoked credential, and for an API key
 */
export async function authenticateIngest(
  db: Database,
  key: string | undefined,
  limit: number,
  checkCredential: CredentialCheck = checkWithoutLimits,
): Promise<{ caller: RecorderCaller; quota: Quota }> {
  if (!key) throw new ApiError("UNAUTHORIZED", MESSAGES.missingKey);
  if (!isToken("ik_", key)) throw new ApiError("UNAUTHORIZED", MESSAGES.invalidKey);
  const hash = hashToken(key);
  const row = await checkCredential(
    hash,
    async () => (await runNamedStatement<IngestRow>(db, "verify_ingest_key", verifyIngestKey, { hash }))[0],
  );
  if (!row) throw new ApiError("UNAUTHORIZED", MESSAGES.invalidKey);
  const via = { kind: "key", keyId: row.keyId } as const;
  const caller = { kind: "recorder", workspaceId: row.workspaceId, via } as const;
  return { caller, quota: toQuota(row, limit) };
}
