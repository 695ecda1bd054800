import type { Database } from "@minutes/db";
import { ANONYMOUS } from "../access/actor.js";
import { audit, type SignInOrigin } from "../access/audit.js";
import { admitFailureEntry } from "./attempts.js";

/**
 * Records a failed sign-in at an account in the audit log. The entry has no user as its actor, because it is unknown
 * who tried; the object is the account. Failures without an account are not recorded.
 */
export async function recordFailedSignIn(db: Database, userId: string, origin: SignInOrigin): Promise<void> {
  // Password attempts are already counted before the check, and none is checked while the account is blocked.
  if (origin.method !== "password" && !(await admitFailureEntry(db, userId))) return;
  await audit(db, ANONYMOUS, "session.fail", userId, null, origin);
}
