import { type KeyAccess, MESSAGES, PLAN_LIMITS } from "@minutes/contract";
import type { Caller } from "../access/index.js";
import { ApiError } from "../errors.js";
import { parsePlan } from "../plans/index.js";
import {
  type CredentialCheck,
  checkWithoutLimits,
  type Quota,
  requireQuota,
  toQuota,
} from "../rate-limit/index.js";
import { hashToken, isToken } from "./token.js";
import type { KeyUses } from "./uses.js";
import type { KeyVerifier } from "./verify.js";

/** What keys are verified with; one for a process. */
export interface KeyVerification {
  readonly verifier: KeyVerifier;
  readonly uses: KeyUses;
}

/** A valid key: whose it is, on which plan, and the quota after this request. */
export interface VerifiedKey {
  readonly caller: Caller;
  readonly plan: string;
  readonly access: KeyAccess;
  readonly quota: Quota;
}

/**
 * Verifies an API key and counts the request against its quota, in one round trip that requests may share. Nothing is
 * cached: a revoked key stops with the statement that revoked it.
 * @param limit Requests per window.
 * @param checkCredential Bounds what unknown keys cost.
 * @throws ApiError 401 for a missing, unknown, disabled, revoked or expired key.
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
  const caller: Caller =
    row.kind === "personal" && row.userId !== null
      ? { kind: "personal", userId: row.userId, keyId: row.keyId }
      : { kind: "workspace", workspaceId: row.workspaceId, keyId: row.keyId };
  return { caller, plan: row.plan, access: row.access, quota: toQuota(row, limit) };
}

type CallerByKind<Kind extends Caller["kind"]> = Extract<Caller, { kind: Kind }>;

/**
 * Refuses a valid key that is over its quota, is of the other kind, or has a plan without API access, in this order.
 * @throws ApiError 429 or 403.
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
