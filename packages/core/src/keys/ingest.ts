import { LIMITS, MESSAGES } from "@minutes/contract";
import { type Database, runNamedStatement, schema } from "@minutes/db";
import { and, asc, count, eq, isNull, type SQL, sql } from "drizzle-orm";
import { type Actor, requireOperator } from "../actor.js";
import { audit } from "../audit.js";
import { ApiError } from "../errors.js";
import { generateId } from "../ids.js";
import {
  type CredentialCheck,
  checkWithoutLimits,
  countRequest,
  type Quota,
  type QuotaRow,
  toQuota,
} from "../rate-limit/index.js";
import { lockMembership, lockWorkspace, requireAdmin } from "../workspaces/index.js";
import type { CreatedKey } from "./manage.js";
import { generateToken, hashToken, isToken, maskToken } from "./token.js";

const { ingestKeys, users } = schema;

/** A recorder or importer of one workspace. */
export interface IngestCaller {
  readonly kind: "ingest";
  readonly workspaceId: string;
  readonly keyId: string;
}

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
): Promise<{ caller: IngestCaller; quota: Quota }> {
  if (!key) throw new ApiError("UNAUTHORIZED", MESSAGES.missingKey);
  if (!isToken("ik_", key)) throw new ApiError("UNAUTHORIZED", MESSAGES.invalidKey);
  const hash = hashToken(key);
  const row = await checkCredential(
    hash,
    async () => (await runNamedStatement<IngestRow>(db, "verify_ingest_key", verifyIngestKey, { hash }))[0],
  );
  if (!row) throw new ApiError("UNAUTHORIZED", MESSAGES.invalidKey);
  const caller = { kind: "ingest", workspaceId: row.workspaceId, keyId: row.keyId } as const;
  return { caller, quota: toQuota(row, limit) };
}

/**
 * Creates an ingest credential for the user's current workspace.
 * @throws ApiError 403 unless the user is an admin, 409 if the workspace has ten that are not revoked
 */
export async function createIngestKey(db: Database, userId: string, name: string): Promise<CreatedKey> {
  return db.transaction(async (tx) => {
    const { workspaceId, role } = await lockMembership(tx, userId);
    if (role !== "admin") throw new ApiError("FORBIDDEN", MESSAGES.onlyAdminsMakeIngestKeys);
    return insertIngestKey(tx, { kind: "user", userId }, { workspaceId, createdBy: userId, name });
  });
}

/** Creates an ingest credential without a user. @throws ApiError 403 unless the actor is the operator, 409 */
export async function createIngestKeyOfWorkspace(
  db: Database,
  actor: Actor,
  workspaceId: string,
  name: string,
): Promise<CreatedKey> {
  requireOperator(actor);
  return db.transaction((tx) => insertIngestKey(tx, actor, { workspaceId, createdBy: null, name }));
}

async function insertIngestKey(
  tx: Database,
  actor: Actor,
  key: { workspaceId: string; createdBy: string | null; name: string },
): Promise<CreatedKey> {
  await lockWorkspace(tx, key.workspaceId);
  const [row] = await tx
    .select({ valid: count() })
    .from(ingestKeys)
    .where(and(eq(ingestKeys.workspaceId, key.workspaceId), isNull(ingestKeys.revokedAt)));
  if ((row?.valid ?? 0) >= LIMITS.ingestKeysPerWorkspace) {
    throw new ApiError("CONFLICT", MESSAGES.tooManyIngestKeys);
  }
  const id = generateId("key");
  const token = generateToken("ik_");
  await tx.insert(ingestKeys).values({ id, ...key, hash: hashToken(token), ...maskToken(token) });
  await audit(tx, actor, "ingest-key.create", id);
  return { id, key: token };
}

/**
 * Lists the credentials of a workspace with their creators, including revoked ones, without their values.
 * @throws ApiError 403 unless the actor is an admin
 */
export async function listIngestKeys(db: Database, actor: Actor, workspaceId: string) {
  await requireAdmin(db, actor, workspaceId);
  return selectIngestKeys(db, eq(ingestKeys.workspaceId, workspaceId));
}

/** Returns one credential as `listIngestKeys` does, for the operator. @throws ApiError 404 */
export async function getIngestKey(db: Database, keyId: string) {
  const [key] = await selectIngestKeys(db, eq(ingestKeys.id, keyId));
  if (!key) throw new ApiError("NOT_FOUND", MESSAGES.keyNotFound);
  return key;
}

const selectIngestKeys = (db: Database, condition: SQL) =>
  db
    .select({
      id: ingestKeys.id,
      name: ingestKeys.name,
      prefix: ingestKeys.prefix,
      lastFour: ingestKeys.lastFour,
      createdAt: ingestKeys.createdAt,
      lastUsedAt: ingestKeys.lastUsedAt,
      disabledAt: ingestKeys.disabledAt,
      revokedAt: ingestKeys.revokedAt,
      /** Null once that user is deleted. */
      createdBy: { userId: users.id, email: users.email },
    })
    .from(ingestKeys)
    .leftJoin(users, eq(users.id, ingestKeys.createdBy))
    .where(condition)
    .orderBy(asc(ingestKeys.createdAt), asc(ingestKeys.id));
