import { secondsFromNow } from "@minutes/background";
import { MESSAGES } from "@minutes/contract";
import { type Database, schema } from "@minutes/db";
import { and, desc, eq, inArray, sql } from "drizzle-orm";
import { audit } from "../../access/audit.js";
import { ApiError } from "../../lib/errors.js";
import { generateId } from "../../lib/ids.js";
import { lockMembership } from "../../workspaces/index.js";
import { keepClient } from "./clients.js";
import { MAX_APPS_PER_USER, OAUTH_SECONDS } from "./lifetimes.js";
import type { OAuthScope } from "./scopes.js";
import type { OAuthAdapter } from "./store.js";
import { isOpenGrant } from "./tokens.js";

const { oauthGrants } = schema;

/** An app that a user connects, as its client describes it. */
export interface NewApp {
  readonly clientId: string;
  readonly clientName: string;
  readonly clientHost: string;
  readonly resource: string;
  readonly scopes: readonly OAuthScope[];
}

/**
 * Connects an app to a user in their current workspace. Disconnects their oldest beyond `MAX_APPS_PER_USER`.
 * @returns the id of the connection
 * @throws ApiError 403 for `workspace:read` without being an admin
 */
export async function connectApp(db: Database, userId: string, app: NewApp): Promise<string> {
  const id = generateId("app");
  await db.transaction(async (tx) => {
    const { workspaceId, role } = await lockMembership(tx, userId, "no key update");
    if (role !== "admin" && app.scopes.includes("workspace:read"))
      throw new ApiError("FORBIDDEN", MESSAGES.onlyAdmins);
    await tx.insert(oauthGrants).values({
      ...{ id, userId, workspaceId, ...app, scopes: app.scopes.join(" ") },
      expiresAt: secondsFromNow(OAUTH_SECONDS.grant),
    });
    await keepClient(tx, app.clientId);
    const oldest = tx
      .select({ id: oauthGrants.id })
      .from(oauthGrants)
      .where(eq(oauthGrants.userId, userId))
      .orderBy(desc(oauthGrants.createdAt), desc(oauthGrants.id))
      .offset(MAX_APPS_PER_USER);
    await tx.delete(oauthGrants).where(inArray(oauthGrants.id, oldest));
    await audit(tx, { kind: "user", userId }, "app.connect", id);
  });
  return id;
}

/** Lists a user's connected apps, newest first. `lastUsedAt` is null until the first use. */
export async function listApps(db: Database, userId: string) {
  const apps = await db
    .select({
      id: oauthGrants.id,
      name: oauthGrants.clientName,
      host: oauthGrants.clientHost,
      scopes: oauthGrants.scopes,
      createdAt: oauthGrants.createdAt,
      lastUsedAt: oauthGrants.lastUsedAt,
    })
    .from(oauthGrants)
    .where(and(eq(oauthGrants.userId, userId), isOpenGrant(sql`${oauthGrants.id}`)))
    .orderBy(desc(oauthGrants.createdAt), desc(oauthGrants.id));
  return { apps: apps.map((app) => ({ ...app, scopes: app.scopes.split(" ") as OAuthScope[] })) };
}

/** Disconnects one of a user's apps: its tokens end immediately on every process. @throws ApiError 404 for another's */
export async function disconnectApp(db: Database, userId: string, appId: string): Promise<void> {
  await db.transaction(async (tx) => {
    const removed = await tx
      .delete(oauthGrants)
      .where(and(eq(oauthGrants.id, appId), eq(oauthGrants.userId, userId)))
      .returning({ id: oauthGrants.id });
    if (removed.length === 0) throw new ApiError("NOT_FOUND", MESSAGES.appNotFound);
    await audit(tx, { kind: "user", userId }, "app.disconnect", appId);
  });
}

const toSeconds = (instant: string): number => Math.floor(Date.parse(instant) / 1_000);

/** Creates the adapter that reads connections and deletes those that the library revokes. `connectApp` creates them. */
export const createGrantAdapter = (db: Database): OAuthAdapter => ({
  upsert: async () => {
    throw new TypeError("Connections are created by a consent.");
  },
  find: async (id) => {
    const [grant] = await db
      .select()
      .from(oauthGrants)
      .where(and(eq(oauthGrants.id, id), isOpenGrant(sql`${oauthGrants.id}`)));
    if (!grant) return undefined;
    const { userId, clientId, resource, scopes, createdAt, expiresAt } = grant;
    return {
      ...{ kind: "Grant", jti: id, accountId: userId, clientId },
      ...{ resources: { [resource]: scopes }, iat: toSeconds(createdAt), exp: toSeconds(expiresAt) },
    };
  },
  consume: async () => {},
  destroy: async (id) => {
    await db.transaction(async (tx) => {
      const [ended] = await tx
        .delete(oauthGrants)
        .where(eq(oauthGrants.id, id))
        .returning({ userId: oauthGrants.userId });
      if (ended) await audit(tx, { kind: "user", userId: ended.userId }, "app.disconnect", id);
    });
  },
  revokeByGrantId: async () => {},
});
