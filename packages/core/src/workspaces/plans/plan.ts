import { LIMITS, PLAN_LIMITS, PLANS, type Plan, type PlanLimits } from "@minutes/contract";
import { type Database, schema } from "@minutes/db";
import { eq } from "drizzle-orm";

const { workspaces } = schema;

/** Parses a stored plan. One unknown to this version counts as the lowest. */
export const parsePlan = (stored: string): Plan => PLANS.find((plan) => plan === stored) ?? "free";

/** Returns a workspace's plan. */
export async function getPlan(db: Database, workspaceId: string): Promise<Plan> {
  const [workspace] = await db
    .select({ plan: workspaces.plan })
    .from(workspaces)
    .where(eq(workspaces.id, workspaceId));
  return parsePlan(workspace?.plan ?? "free");
}

/** Returns the limits of a workspace's plan. */
export const getPlanLimits = async (db: Database, workspaceId: string): Promise<PlanLimits> =>
  PLAN_LIMITS[await getPlan(db, workspaceId)];

/** Returns true if fewer than ten words were spoken: such a meeting gets no summary and costs no credit. */
export function isTooShortToSummarise(turns: Iterable<{ readonly text: string }>): boolean {
  let words = 0;
  for (const { text } of turns) {
    words += text.match(/\S+/g)?.length ?? 0;
    if (words >= LIMITS.summaryMinWords) return false;
  }
  return true;
}
