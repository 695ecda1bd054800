import { type Instant, type KeyAccess, LIMITS, MESSAGES } from "@minutes/contract";
import { type Database, schema } from "@minutes/db";
import { and, asc, count, eq, isNull, type SQL, sql } from "drizzle-orm";
import type { PgUpdateSetSource } from "drizzle-orm/pg-core";
import { type Actor, requireOperator } from "../actor.js";
import { audit } from "../audit.js";
import { ApiError } from "../errors.js";
import { generateId } from "../ids.js";
import { lockMembership, lockWorkspace, requireAdmin } from "../workspaces/index.js";
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
    const used = await countValid(tx, eq(apiKeys.userId, userId));
    if (used >= LIMITS.personalKeysPerUser) throw new ApiError("CONFLICT", MESSAGES.tooManyPersonalKeys);
    return insertKey(tx, { kind: "personal", userId, createdBy: userId, name }, terms, by);
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
): Promise<CreatedKey> {
  return db.transaction(async (tx) => {
    const { workspaceId, role } = await lockMembership(tx, userId);
    if (role !== "admin") throw new ApiError("FORBIDDEN", MESSAGES.onlyAdminsMakeWorkspaceKeys);
    return insertWorkspaceKey(tx, { workspaceId, createdBy: userId, name }, terms, by);
  });
}

/** Creates a key for a workspace without a user. @throws ApiError 403 unless the actor is the operator, 400, 404, 409 */
export async function createKeyOfWorkspace(
  db: Database,
  actor: Actor,
  workspaceId: string,
  name: string,
  terms: KeyTerms = {},
): Promise<CreatedKey> {
  requireOperator(actor);
  return db.transaction((tx) => insertWorkspaceKey(tx, { workspaceId, createdBy: null, name }, terms, actor));
}

async function insertWorkspaceKey(
  tx: Database,
  key: { workspaceId: string; createdBy: string | null; name: string },
  terms: KeyTerms,
  by: Actor,
): Promise<CreatedKey> {
  await lockWorkspace(tx, key.workspaceId);
  const used = await countValid(tx, eq(apiKeys.workspaceId, key.workspaceId));
  if (used >= LIMITS.workspaceKeysPerWorkspace) throw new ApiError("CONFLICT", MESSAGES.tooManyWorkspaceKeys);
  return insertKey(tx, { kind: "workspace", ...key }, terms, by);
}

async function countValid(tx: Database, holder: ReturnType<typeof eq>): Promise<number> {
  const [row] = await tx
    .select({ valid: count() })
    .from(apiKeys)
    .where(and(holder, isNull(apiKeys.revokedAt)));
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
  key: NewKey,
  { access, expiresAt }: KeyTerms,
  by: Actor,
): Promise<CreatedKey> {
  const id = generateId("key");
  const token = generateToken("jk_");
  const [created] = await tx
    .insert(apiKeys)
    .values({ id, ...key, access, expiresAt, hash: hashToken(token), ...maskToken(token) })
    .returning({ expired: sql<boolean>`coalesce(${apiKeys.expiresAt} <= now(), false)` });
  if (created?.expired) throw new ApiError("BAD_REQUEST", MESSAGES.keyExpiryPast);
  await audit(tx, by, "key.create", id);
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

const selectKeys = (db: Database, condition: SQL) =>
  db
    .select({
      id: apiKeys.id,
      kind: apiKeys.kind,
      name: apiKeys.name,
      prefix: apiKeys.prefix,
      lastFour: apiKeys.lastFour,
      createdAt: apiKeys.createdAt,
      lastUsedAt: apiKeys.lastUsedAt,
      access: apiKeys.access,
      expiresAt: apiKeys.expiresAt,
      disabledAt: apiKeys.disabledAt,
      revokedAt: apiKeys.revokedAt,
      createdBy: { userId: users.id, email: users.email },
    })
    .from(apiKeys)
    .leftJoin(users, eq(users.id, apiKeys.createdBy))
    .where(condition)
    .orderBy(asc(apiKeys.createdAt), asc(apiKeys.id));

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

/** API keys, or the ingest keys of recorders: the first word of their actions in the audit log. */
type KeyFamily = "key" | "ingest-key";

/** Tables of keys. Both have the columns that are changed here. */
const TABLES = { key: apiKeys, "ingest-key": ingestKeys as unknown as typeof apiKeys };

/** Disables a key until it is enabled again. It still counts towards the maximum. */
export const disableKey = (db: Database, actor: Actor, keyId: string, family?: KeyFamily) =>
  changeKey(db, actor, keyId, family, "disable", { disabledAt: sql`now()` });

/** Changes a key's name. */
export const renameKey = (db: Database, actor: Actor, keyId: string, name: string, family?: KeyFamily) =>
  changeKey(db, actor, keyId, family, "rename", { name });

/** Enables a disabled key. */
export const enableKey = (db: Database, actor: Actor, keyId: string, family?: KeyFamily) =>
  changeKey(db, actor, keyId, family, "enable", { disabledAt: null });

/** Revokes a key permanently, immediately on every instance. */
export const revokeKey = (db: Database, actor: Actor, keyId: string, family?: KeyFamily) =>
  changeKey(db, actor, keyId, family, "revoke", { revokedAt: sql`now()` });

/** Gives a key a new value; the old one stops working immediately. Access and expiry stay unchanged. */
export async function regenerateKey(
  db: Database,
  actor: Actor,
  keyId: string,
  family?: KeyFamily,
): Promise<CreatedKey> {
  const token = generateToken(family === "ingest-key" ? "ik_" : "jk_");
  const value = { hash: hashToken(token), ...maskToken(token), lastUsedAt: null };
  await changeKey(db, actor, keyId, family, "regenerate", value);
  return { id: keyId, key: token };
}

/** Changes a key. @throws ApiError 404 if unknown, 403 unless the actor can manage it, 409 if revoked */
async function changeKey(
  db: Database,
  actor: Actor,
  keyId: string,
  family: KeyFamily = "key",
  action: string,
  change: PgUpdateSetSource<typeof apiKeys>,
): Promise<void> {
  const table = TABLES[family];
  const userId = family === "key" ? apiKeys.userId : sql<null>`null`;
  await db.transaction(async (tx) => {
    const [key] = await tx
      .select({ userId, workspaceId: table.workspaceId, revokedAt: table.revokedAt })
      .from(table)
      .where(eq(table.id, keyId))
      .for("update");
    if (!key) throw new ApiError("NOT_FOUND", MESSAGES.keyNotFound);
    await requireManager(tx, actor, key);
    if (key.revokedAt !== null) throw new ApiError("CONFLICT", MESSAGES.keyRevoked);
    await tx
      .update(table)
      .set({ ...change, updatedAt: sql`now()` })
      .where(eq(table.id, keyId));
    await audit(tx, actor, `${family}.${action}`, keyId);
  });
}

/** Requires the owner of a personal key, or an admin of a workspace key's workspace. @throws ApiError 403 */
async function requireManager(
  tx: Database,
  actor: Actor,
  key: { userId: string | null; workspaceId: string | null },
) {
  if (key.workspaceId !== null) return requireAdmin(tx, actor, key.workspaceId);
  if (actor.kind === "user" && actor.userId !== key.userId)
    throw new ApiError("FORBIDDEN", MESSAGES.notYourKey);
}
