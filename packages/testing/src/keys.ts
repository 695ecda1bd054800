import {
  type CreatedKey,
  createKey,
  type NewKey,
  type RecorderCaller,
  type UserCaller,
  type WorkspaceCaller,
} from "@minutes/core";
import type { Database } from "@minutes/db";

type Terms = Omit<NewKey, "kind" | "name">;

/** Returns a user as the caller of an operation, as if signed in. */
export const asUser = (userId: string, workspaceId = ""): UserCaller => ({
  kind: "user",
  userId,
  workspaceId,
  via: { kind: "session", sessionId: "" },
});

/** Returns a recorder of a workspace as the caller of an operation. */
export const asRecorder = (workspaceId: string): RecorderCaller => ({
  kind: "recorder",
  workspaceId,
  via: { kind: "key", keyId: "recorder" },
});

/** Returns a workspace as the caller of an operation, as if the operator acts as it. */
export const asWorkspace = (workspaceId: string): WorkspaceCaller => ({
  kind: "workspace",
  workspaceId,
  via: { kind: "operator" },
});

/** Creates a personal key of a user. */
export const createPersonalKey = (
  db: Database,
  userId: string,
  name: string,
  terms: Terms = {},
): Promise<CreatedKey> => createKey(db, asUser(userId), { kind: "personal", name, ...terms });

/** Creates a key of the workspace that a user is an admin of. */
export const createWorkspaceKey = (
  db: Database,
  userId: string,
  name: string,
  terms: Terms = {},
): Promise<CreatedKey> => createKey(db, asUser(userId), { kind: "workspace", name, ...terms });

/** Creates an ingest key of the workspace that a user is an admin of. */
export const createIngestKey = (db: Database, userId: string, name: string): Promise<CreatedKey> =>
  createKey(db, asUser(userId), { kind: "ingest", name });
