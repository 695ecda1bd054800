import { type Instant, type KeyAccess, LIMITS, MESSAGES } from "@minutes/contract";
import { type Database, schema } from "@minutes/db";
import { and, asc, count, eq, isNull, type SQL, sql } from "drizzle-orm";
import type { PgUpdateSetSource } from "drizzle-orm/pg-core";
import { audit } from "../access/audit.js";
import type { Manager } from "../access/callers.js";
import type { Caller, UserCaller } from "../access/index.js";
import { ApiError } from "../lib/errors.js";
import { generateId } from "../lib/ids.js";
import { lockMembership, lockWorkspace, requireAdmin } from "../workspaces/index.js";
import { generateToken, hashToken, maskToken } from "./token.js";

const { apiKeys, ingestKeys, users } = schema;

/** API keys, or the ingest keys of recorders: the first word of their actions in the audit log. */
type KeyFamily = "key" | "ingest-key";
const KEY_FAMILIES: readonly KeyFamily[] = ["key", "ingest-key"];

/** Tables of keys. Ingest keys have no kind, user, access and expiry; they belong to a workspace. */
const TABLES = { key: apiKeys, "ingest-key": ingestKeys as unknown as typeof apiKeys };

/** First characters of keys. */
const PREFIXES = { key: "jk_", "ingest-key": "ik_" } as const;

/** Maximum keys of a workspace, and the messages of refusals. */
const OF_WORKSPACE = {
  key: {
    max: LIMITS.workspaceKeysPerWorkspace,
    tooMany: MESSAGES.tooManyWorkspaceKeys,
    onlyAdmins: MESSAGES.onlyAdminsMakeWorkspaceKeys,
  },
  "ingest-key": {
    max: LIMITS.ingestKeysPerWorkspace,
    tooMany: MESSAGES.tooManyIngestKeys,
    onlyAdmins: MESSAGES.onlyAdminsMakeIngestKeys,
  },
};

/** A new key, the only time its value exists in plain text. */
export interface CreatedKey {
  readonly id: string;
  readonly key: string;
}

/** A key to create. By default it can do everything and never expires; an ingest key has neither setting. */
export interface NewKey {
  readonly kind: "personal" | "workspace" | "ingest";
  readonly name: string;
  readonly access?: KeyAccess | undefined;
  readonly expiresAt?: Instant | undefined;
}

/**
 * Creates a key: a personal one for a user, or one of a workspace for one of its admins, or for the operator who acts as the workspace.
 * @see docs/specification.md#authentication
 * @throws ApiError 400 if the expiry is in the past, 403 unless the user is an admin, 409 if the holder has as many as they can
 */
export const createKey = (db: Database, caller: Caller, key: NewKey): Promise<CreatedKey> =>
  db.transaction(async (tx) => {
    if (key.kind === "personal") return createPersonalKey(tx, caller, key);
    const family = key.kind === "ingest" ? "ingest-key" : "key";
    const { max, tooMany, onlyAdmins } = OF_WORKSPACE[family];
    const holder = await lockHolder(tx, caller, onlyAdmins);
    await lockWorkspace(tx, holder.workspaceId);
    const table = TABLES[family];
    await requireRoom(tx, table, eq(table.workspaceId, holder.workspaceId), { max, tooMany });
    return insertKey(tx, caller, family, { ...key, ...holder, kind: "workspace" });
  });

async function createPersonalKey(tx: Database, caller: Caller, key: NewKey): Promise<CreatedKey> {
  if (caller.kind !== "user") throw new ApiError("BAD_REQUEST", MESSAGES.personalKeyNeedsUser);
  const { userId } = caller;
  // The lock serializes creations for one holder, so that the limit can't be exceeded.
  await lockMembership(tx, userId, "no key update");
  await requireRoom(tx, apiKeys, eq(apiKeys.userId, userId), {
    max: LIMITS.personalKeysPerUser,
    tooMany: MESSAGES.tooManyPersonalKeys,
  });
  return insertKey(tx, caller, "key", { ...key, kind: "personal", userId, createdBy: userId });
}

/** Locks the membership of a user, who must be an admin. @returns the workspace, and who creates its key */
async function lockHolder(tx: Database, caller: Caller, onlyAdmins: string) {
  if (caller.kind === "workspace") return { workspaceId: caller.workspaceId, createdBy: null };
  const { workspaceId, role } = await lockMembership(tx, caller.userId, "no key update");
  if (role !== "admin") throw new ApiError("FORBIDDEN", onlyAdmins);
  return { workspaceId, createdBy: caller.userId };
}

async function requireRoom(
  tx: Database,
  table: typeof apiKeys,
  isOfHolder: SQL,
  { max, tooMany }: { readonly max: number; readonly tooMany: string },
): Promise<void> {
  const [row] = await tx
    .select({ valid: count() })
    .from(table)
    .where(and(isOfHolder, isNull(table.revokedAt)));
  if ((row?.valid ?? 0) >= max) throw new ApiError("CONFLICT", tooMany);
}

interface KeyRow extends Omit<NewKey, "kind"> {
  readonly kind: schema.KeyKind;
  readonly createdBy: string | null;
  readonly userId?: string;
  readonly workspaceId?: string;
}

async function insertKey(tx: Database, caller: Caller, family: KeyFamily, row: KeyRow): Promise<CreatedKey> {
  const id = generateId("key");
  const token = generateToken(PREFIXES[family]);
  const expired =
    row.expiresAt === undefined ? sql<boolean>`false` : sql<boolean>`${apiKeys.expiresAt} <= now()`;
  const [created] = await tx
    .insert(TABLES[family])
    .values({ id, ...row, hash: hashToken(token), ...maskToken(token) })
    .returning({ expired });
  if (created?.expired) throw new ApiError("BAD_REQUEST", MESSAGES.keyExpiryPast);
  await audit(tx, caller, `${family}.create`, id);
  return { id, key: token };
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

/**
 * Lists a user's keys with their creators, including revoked keys, without their values. `createdBy` is null once that
 * user is deleted, and for a key that the operator created.
 */
export const listKeys = (db: Database, { userId }: Pick<UserCaller, "userId">) =>
  selectKeys(db, eq(apiKeys.userId, userId));

/** Lists the API keys and ingest keys of a workspace as `listKeys` does. @throws ApiError 403 unless for an admin */
export async function listWorkspaceKeys(db: Database, caller: Caller) {
  const { workspaceId } = caller;
  await requireAdmin(db, caller, workspaceId);
  return {
    workspace: await selectKeys(db, eq(apiKeys.workspaceId, workspaceId)),
    ingest: await selectIngestKeys(db, eq(ingestKeys.workspaceId, workspaceId)),
  };
}

/** Returns a key as lists do. @throws ApiError 404 for one that the caller can't manage */
export async function getKey(db: Database, caller: Manager, keyId: string) {
  const { family } = await requireKey(db, caller, keyId);
  const [key] =
    family === "key"
      ? await selectKeys(db, eq(apiKeys.id, keyId))
      : await selectIngestKeys(db, eq(ingestKeys.id, keyId));
  if (!key) throw new ApiError("NOT_FOUND", MESSAGES.keyNotFound);
  return key;
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

/** Disables a key until it is enabled again. It still counts towards the maximum. */
export const disableKey = (db: Database, caller: Manager, keyId: string) =>
  changeKey(db, caller, keyId, "disable", { disabledAt: sql`now()` });

/** Enables a disabled key. */
export const enableKey = (db: Database, caller: Manager, keyId: string) =>
  changeKey(db, caller, keyId, "enable", { disabledAt: null });

/** Changes a key's name. */
export const renameKey = (db: Database, caller: Manager, keyId: string, name: string) =>
  changeKey(db, caller, keyId, "rename", { name });

/** Revokes a key permanently, immediately on every instance. */
export const revokeKey = (db: Database, caller: Manager, keyId: string) =>
  changeKey(db, caller, keyId, "revoke", { revokedAt: sql`now()` });

/** Gives a key a new value; the old one stops working immediately. Access and expiry stay unchanged. */
export async function regenerateKey(db: Database, caller: Manager, keyId: string): Promise<CreatedKey> {
  let key = "";
  await changeKey(db, caller, keyId, "regenerate", (family) => {
    key = generateToken(PREFIXES[family]);
    return { hash: hashToken(key), ...maskToken(key), lastUsedAt: null };
  });
  return { id: keyId, key };
}

type KeyChange = PgUpdateSetSource<typeof apiKeys>;

/** Changes a key. @throws ApiError 404 if unknown, 403 unless the caller can manage it, 409 if revoked */
const changeKey = (
  db: Database,
  caller: Manager,
  keyId: string,
  action: "rename" | "disable" | "enable" | "regenerate" | "revoke",
  change: KeyChange | ((family: KeyFamily) => KeyChange),
): Promise<void> =>
  db.transaction(async (tx) => {
    const { family, revokedAt } = await requireKey(tx, caller, keyId, { lock: true });
    if (revokedAt !== null) throw new ApiError("CONFLICT", MESSAGES.keyRevoked);
    const table = TABLES[family];
    await tx
      .update(table)
      .set({ ...(typeof change === "function" ? change(family) : change), updatedAt: sql`now()` })
      .where(eq(table.id, keyId));
    await audit(tx, caller, `${family}.${action}`, keyId);
  });

/**
 * Finds a key of either family that the caller can manage.
 * @param lock true locks it until the transaction ends
 * @throws ApiError 404 if unknown, 403
 */
async function requireKey(db: Database, caller: Manager, keyId: string, { lock = false } = {}) {
  for (const family of KEY_FAMILIES) {
    const table = TABLES[family];
    const userId = family === "key" ? sql<string | null>`${apiKeys.userId}` : sql<null>`null`;
    const selected = db
      .select({ userId, workspaceId: table.workspaceId, revokedAt: table.revokedAt })
      .from(table)
      .where(eq(table.id, keyId));
    const [key] = await (lock ? selected.for("update") : selected);
    if (!key) continue;
    if (key.workspaceId !== null) await requireAdmin(db, caller, key.workspaceId);
    else if (caller.kind === "user" && caller.userId !== key.userId)
      throw new ApiError("FORBIDDEN", MESSAGES.notYourKey);
    return { family, revokedAt: key.revokedAt };
  }
  throw new ApiError("NOT_FOUND", MESSAGES.keyNotFound);
}
