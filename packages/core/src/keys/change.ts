import { MESSAGES } from "@minutes/contract";
import { type Database, schema } from "@minutes/db";
import { eq, sql } from "drizzle-orm";
import type { PgUpdateSetSource } from "drizzle-orm/pg-core";
import type { Actor } from "../actor.js";
import { audit } from "../audit.js";
import { ApiError } from "../errors.js";
import { requireAdmin } from "../workspaces/index.js";
import { type KeyFamily, PREFIXES, TABLES } from "./families.js";
import type { CreatedKey } from "./manage.js";
import { generateToken, hashToken, maskToken } from "./token.js";

const { apiKeys } = schema;

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
  family: KeyFamily = "key",
): Promise<CreatedKey> {
  const token = generateToken(PREFIXES[family]);
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
