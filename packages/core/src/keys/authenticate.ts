import { type KeyAccess, MESSAGES, PLAN_LIMITS } from "@minutes/contract";
import type { Database } from "@minutes/db";
import type { Caller } from "../access/index.js";
import {
  type CredentialCheck,
  checkWithoutLimits,
  type Quota,
  requireQuota,
  toQuota,
} from "../api/rate-limit/index.js";
import { ApiError } from "../lib/errors.js";
import { parsePlan } from "../workspaces/plans/index.js";
import { hashToken, isToken } from "./token.js";
import type { KeyUses } from "./uses.js";
import { isValidKey, type KeyVerifier } from "./verify.js";

/** The dependencies of key verification, one per process. */
export interface KeyVerification {
  readonly verifier: KeyVerifier;
  readonly uses: KeyUses;
}

/** A valid key with its holder, plan, and quota after this request. */
export interface VerifiedKey {
  readonly caller: Caller;
  readonly plan: string;
  readonly access: KeyAccess;
  readonly quota: Quota;
}

/**
 * Verifies an API key and counts the request against its quota, in one round trip that concurrent requests can share.
 * Nothing is cached, so revoking a key takes effect immediately.
 * @param limit requests per window
 * @param checkCredential bounds the cost of unknown keys
 * @throws ApiError 401 for a missing, unknown, disabled, revoked or expired key
 * @see docs/specification.md#authentication
 */
export async function authenticate(
  { verifier, uses }: KeyVerification,
  key: string | undefined,
  limit: number,
  checkCredential: CredentialCheck = checkWithoutLimits,
): Promise<VerifiedKey> {
  if (!key) throw new ApiError("UNAUTHORIZED", MESSAGES.missingKey);
  if (!isToken("jk_", key)) throw new ApiError("UNAUTHORIZED", MESSAGES.invalidKey);
  const hash = hashToken(key);
  const row = await checkCredential(hash, () => verifier.verify(hash), { batched: true });
  if (!row) throw new ApiError("UNAUTHORIZED", MESSAGES.invalidKey);
  if (row.stale) uses.record(row.keyId);
  const via = { kind: "key", keyId: row.keyId } as const;
  const caller: Caller =
    row.kind === "personal" && row.userId !== null
      ? { kind: "user", userId: row.userId, workspaceId: row.workspaceId, via }
      : { kind: "workspace", workspaceId: row.workspaceId, via };
  return { caller, plan: row.plan, access: row.access, quota: toQuota(row, limit) };
}

/** Requires that a key is still valid, without counting a request. @throws ApiError 401 */
export async function requireValidKey(db: Database, key: string | undefined): Promise<void> {
  if (key === undefined || !(await isValidKey(db, key)))
    throw new ApiError("UNAUTHORIZED", MESSAGES.invalidKey);
}

type CallerByKind<Kind extends Caller["kind"]> = Extract<Caller, { kind: Kind }>;

/**
 * Refuses a valid key that is over quota, of the other kind, or on a plan without API access, in this order.
 * @throws ApiError 429 or 403
 * @see docs/open-questions.md#q1
 */
export function requireApiAccess<Kind extends Caller["kind"]>(
  verified: VerifiedKey,
  kind: Kind,
): CallerByKind<Kind> {
  const { caller, plan, quota } = verified;
  requireQuota(quota);
  if (caller.kind !== kind) {
    throw new ApiError(
      "FORBIDDEN",
      kind === "workspace" ? MESSAGES.needsWorkspaceKey : MESSAGES.needsPersonalKey,
    );
  }
  if (!PLAN_LIMITS[parsePlan(plan)].apiAccess) throw new ApiError("FORBIDDEN", MESSAGES.needsPlan);
  return caller as CallerByKind<Kind>;
}
