import { MESSAGES } from "@minutes/contract";
import { type Database, execute, schema } from "@minutes/db";
import { sql } from "drizzle-orm";
import { ApiError } from "../errors.js";
import { countRequest, type Quota, quotaFrom } from "../rate-limit/index.js";
import { readSession } from "./token.js";

const { members } = schema;

/** Somebody who has signed in to the settings side, in his place of this moment. */
export interface SignedInUser {
  readonly userId: string;
  readonly workspaceId: string;
  readonly role: "admin" | "member";
}

/**
 * The port through which the settings side learns who calls: whatever signs people in, it ends in the id of a user.
 * @returns null when nobody has signed in.
 */
export type Authenticate = (authorization: string | undefined) => string | null;

/** The sign-in by the token that `minutes login` makes, sent as `Authorization: Bearer <token>`. */
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

const place = () => sql`
  with who as (
    select user_id, workspace_id, role, 'settings:' || user_id as scope from ${members}
    where user_id = ${sql.placeholder("userId")}
  ), quota as (${countRequest(sql`who`)})
  select who.user_id as "userId", who.workspace_id as "workspaceId", who.role, quota.used, quota.reset,
    quota.retry_after as "retryAfter"
  from who, quota`;

/**
 * Who calls, where he is now, and how much of his quota is left, in one round trip.
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
  const [row] = userId === null ? [] : await execute<UserRow>(db, "verify_session", place, { userId });
  if (!row) throw new ApiError("UNAUTHORIZED", MESSAGES.signInAgain);
  const { workspaceId, role } = row;
  return { user: { userId: row.userId, workspaceId, role }, quota: quotaFrom(row, limit) };
}

/** @throws ApiError 429 when the user's quota is used up. */
export function admitUser({ user, quota }: { user: SignedInUser; quota: Quota }): SignedInUser {
  if (quota.exceeded) throw new ApiError("TOO_MANY_REQUESTS", MESSAGES.rateLimited);
  return user;
}
