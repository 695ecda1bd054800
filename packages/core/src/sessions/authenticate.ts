import { MESSAGES } from "@minutes/contract";
import { type Database, execute, schema } from "@minutes/db";
import { sql } from "drizzle-orm";
import { ApiError } from "../errors.js";
import { countRequest, type Quota, toQuota } from "../rate-limit/index.js";
import { readSession } from "./token.js";

const { members } = schema;

/** A user who has signed in to the settings API, with their current workspace and role. */
export interface SignedInUser {
  readonly userId: string;
  readonly workspaceId: string;
  readonly role: "admin" | "member";
}

/**
 * Finds the signed-in user of a request by its `Authorization` header.
 * @returns the user's id, or null when nobody has signed in.
 */
export type Authenticate = (authorization: string | undefined) => string | null;

/** Authenticates by the token that `minutes login` makes, sent as `Authorization: Bearer <token>`. */
export const bySessionToken =
  (secret: string): Authenticate =>
  (authorization) => {
    const [, token] = /^Bearer (\S+)$/i.exec(authorization ?? "") ?? [];
    return token === undefined ? null : readSession(secret, token);
  };

interface UserRow extends SignedInUser {
  readonly used: number;
  readonly reset: number;
  readonly retryAfter: number;
}

const selectSession = () => sql`
  with who as (
    select user_id, workspace_id, role, 'settings:' || user_id as scope from ${members}
    where user_id = ${sql.placeholder("userId")}
  ), quota as (${countRequest(sql`who`)})
  select who.user_id as "userId", who.workspace_id as "workspaceId", who.role, quota.used, quota.reset,
    quota.retry_after as "retryAfter"
  from who, quota`;

/**
 * Finds the signed-in user and counts the request against their quota, in one round trip.
 * @throws ApiError 401 for nobody, and for a user who is gone.
 */
export async function authenticateUser(
  db: Database,
  authenticate: Authenticate,
  authorization: string | undefined,
  limit: number,
): Promise<{ user: SignedInUser; quota: Quota }> {
  if (!authorization) throw new ApiError("UNAUTHORIZED", MESSAGES.signIn);
  const userId = authenticate(authorization);
  const [row] =
    userId === null ? [] : await execute<UserRow>(db, "verify_session", selectSession, { userId });
  if (!row) throw new ApiError("UNAUTHORIZED", MESSAGES.signInAgain);
  const { workspaceId, role } = row;
  return { user: { userId: row.userId, workspaceId, role }, quota: toQuota(row, limit) };
}
