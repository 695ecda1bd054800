import { type Instant, type KeyAccess, LIMITS, MESSAGES } from "@minutes/contract";
import { type Database, schema } from "@minutes/db";
import { and, asc, count, eq, isNull, type SQL, sql } from "drizzle-orm";
import { type Actor, requireOperator } from "../actor.js";
import { audit } from "../audit.js";
import { ApiError } from "../errors.js";
import { generateId } from "../ids.js";
import { lockMembership, lockWorkspace, requireAdmin } from "../workspaces/index.js";
import { type KeyFamily, OF_WORKSPACE, PREFIXES, TABLES } from "./families.js";
import { generateToken, hashToken, maskToken } from "./token.js";

const { apiKeys, ingestKeys, users } = schema;

/** A new key, the only time its value exists in plain text. */
export interface CreatedKey {
  readonly id: string;
  readonly key: string;
}

/** Restrictions of a new key. By default it can do everything and never expires. */
export interface KeyTerms {
  readonly access?: KeyAccess | undefined;
  readonly expiresAt?: Instant | undefined;
}

/**
 * Creates a personal key for a user. `by` is the actor in the audit log.
 * @see docs/specification.md#authentication
 * @throws ApiError 400 if the expiry is in the past, 409 if the user has three that are not revoked
 */
export async function createPersonalKey(
  db: Database,
  userId: string,
  name: string,
  by: Actor = { kind: "user", userId },
  terms: KeyTerms = {},
): Promise<CreatedKey> {
  return db.transaction(async (tx) => {
    // The lock serializes creations for one holder, so that the limit can't be exceeded.
    await lockMembership(tx, userId);
    const used = await countValid(tx, apiKeys, eq(apiKeys.userId, userId));
    if (used >= LIMITS.personalKeysPerUser) throw new ApiError("CONFLICT", MESSAGES.tooManyPersonalKeys);
    return insertKey(tx, "key", { kind: "personal", userId, createdBy: userId, name }, terms, by);
  });
}

/**
 * Creates a key for the user's current workspace. `by` is the actor in the audit log.
 * @see docs/specification.md#authentication
 * @throws ApiError 400 if the expiry is in the past, 403 unless the user is an admin, 409 if the workspace has ten that
 * are not revoked
 */
export async function createWorkspaceKey(
  db: Database,
  userId: string,
  name: string,
  by: Actor = { kind: "user", userId },
  terms: KeyTerms = {},
  family: KeyFamily = "key",
): Promise<CreatedKey> {
  return db.transaction(async (tx) => {
    const { workspaceId, role } = await lockMembership(tx, userId);
    if (role !== "admin") throw new ApiError("FORBIDDEN", OF_WORKSPACE[family].onlyAdmins);
    return insertWorkspaceKey(tx, family, { workspaceId, createdBy: userId, name }, terms, by);
  });
}

/** Creates an ingest key for the user's current workspace. @throws ApiError 403, 409 as `createWorkspaceKey` */
export const createIngestKey = (db: Database, userId: string, name: string): Promise<CreatedKey> =>
  createWorkspaceKey(db, userId, name, undefined, undefined, "ingest-key");

/** Creates a key for a workspace without a user. @throws ApiError 403 unless the actor is the operator, 400, 404, 409 */
export async function createKeyOfWorkspace(
  db: Database,
  actor: Actor,
  workspaceId: string,
  name: string,
  terms: KeyTerms = {},
  family: KeyFamily = "key",
): Promise<CreatedKey> {
  requireOperator(actor);
  return db.transaction((tx) =>
    insertWorkspaceKey(tx, family, { workspaceId, createdBy: null, name }, terms, actor),
  );
}

async function insertWorkspaceKey(
  tx: Database,
  family: KeyFamily,
  key: { workspaceId: string; createdBy: string | null; name: string },
  terms: KeyTerms,
  by: Actor,
): Promise<CreatedKey> {
  await lockWorkspace(tx, key.workspaceId);
  const { max, tooMany } = OF_WORKSPACE[family];
  const table = TABLES[family];
  const used = await countValid(tx, table, eq(table.workspaceId, key.workspaceId));
  if (used >= max) throw new ApiError("CONFLICT", tooMany);
  return insertKey(tx, family, { kind: "workspace", ...key }, terms, by);
}

async function countValid(tx: Database, table: typeof apiKeys, holder: SQL): Promise<number> {
  const [row] = await tx
    .select({ valid: count() })
    .from(table)
    .where(and(holder, isNull(table.revokedAt)));
  return row?.valid ?? 0;
}

type NewKey = {
  kind: schema.KeyKind;
  name: string;
  createdBy: string | null;
  userId?: string;
  workspaceId?: string;
};

async function insertKey(
  tx: Database,
  family: KeyFamily,
  key: NewKey,
  { access, expiresAt }: KeyTerms,
  by: Actor,
): Promise<CreatedKey> {
  const id = generateId("key");
  const token = generateToken(PREFIXES[family]);
  const expired = expiresAt === undefined ? sql<boolean>`false` : sql<boolean>`${apiKeys.expiresAt} <= now()`;
  const [created] = await tx
    .insert(TABLES[family])
    .values({ id, ...key, access, expiresAt, hash: hashToken(token), ...maskToken(token) })
    .returning({ expired });
  if (created?.expired) throw new ApiError("BAD_REQUEST", MESSAGES.keyExpiryPast);
  await audit(tx, by, `${family}.create`, id);
  return { id, key: token };
}

/**
 * Lists the keys of a user or workspace with their creators, including revoked keys, without their values. `createdBy`
 * is null once that user is deleted, and for a key that the operator created without one.
 */
export const listKeys = (db: Database, holder: { userId: string } | { workspaceId: string }) =>
  selectKeys(
    db,
    "userId" in holder ? eq(apiKeys.userId, holder.userId) : eq(apiKeys.workspaceId, holder.workspaceId),
  );

/** Returns one key as `listKeys` does, for the operator. @throws ApiError 404 */
export async function getKey(db: Database, keyId: string) {
  const [key] = await selectKeys(db, eq(apiKeys.id, keyId));
  if (!key) throw new ApiError("NOT_FOUND", MESSAGES.keyNotFound);
  return key;
}

/** Returns what keys of both families show of themselves. */
const toShown = <Table extends typeof apiKeys | typeof ingestKeys>(table: Table) => ({
  id: table.id,
  name: table.name,
  prefix: table.prefix,
  lastFour: table.lastFour,
  createdAt: table.createdAt,
  lastUsedAt: table.lastUsedAt,
  disabledAt: table.disabledAt,
  revokedAt: table.revokedAt,
  createdBy: { userId: users.id, email: users.email },
});

const selectKeys = (db: Database, condition: SQL) =>
  db
    .select({
      ...toShown(apiKeys),
      kind: apiKeys.kind,
      access: apiKeys.access,
      expiresAt: apiKeys.expiresAt,
    })
    .from(apiKeys)
    .leftJoin(users, eq(users.id, apiKeys.createdBy))
    .where(condition)
    .orderBy(asc(apiKeys.createdAt), asc(apiKeys.id));

const selectIngestKeys = (db: Database, condition: SQL) =>
  db
    .select(toShown(ingestKeys))
    .from(ingestKeys)
    .leftJoin(users, eq(users.id, ingestKeys.createdBy))
    .where(condition)
    .orderBy(asc(ingestKeys.createdAt), asc(ingestKeys.id));

/** Lists the ingest keys of a workspace as `listKeys` does. @throws ApiError 403 unless the actor is an admin */
export async function listIngestKeys(db: Database, actor: Actor, workspaceId: string) {
  await requireAdmin(db, actor, workspaceId);
  return selectIngestKeys(db, eq(ingestKeys.workspaceId, workspaceId));
}

/** Returns one ingest key, for the operator. @throws ApiError 404 */
export async function getIngestKey(db: Database, keyId: string) {
  const [key] = await selectIngestKeys(db, eq(ingestKeys.id, keyId));
  if (!key) throw new ApiError("NOT_FOUND", MESSAGES.keyNotFound);
  return key;
}

/** Lists the keys of a workspace, for its admins. @throws ApiError 403 */
export async function listWorkspaceKeys(db: Database, actor: Actor, workspaceId: string) {
  await requireAdmin(db, actor, workspaceId);
  return listKeys(db, { workspaceId });
}

/** Returns whether a key works now or can be enabled; null if it is revoked or unknown. */
export async function getKeyState(db: Database, key: string): Promise<"enabled" | "disabled" | null> {
  const [row] = await db
    .select({ disabledAt: apiKeys.disabledAt })
    .from(apiKeys)
    .where(and(eq(apiKeys.hash, hashToken(key)), isNull(apiKeys.revokedAt)));
  if (!row) return null;
  return row.disabledAt === null ? "enabled" : "disabled";
}
