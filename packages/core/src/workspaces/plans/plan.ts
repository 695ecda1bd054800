import { PLAN_LIMITS, PLANS, type Plan, type PlanLimits } from "@minutes/contract";
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
