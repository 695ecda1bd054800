import { PLAN_LIMITS, PLANS, type Plan, type PlanLimits } from "@minutes/contract";
import { type Database, schema } from "@minutes/db";
import { eq } from "drizzle-orm";

const { workspaces } = schema;

/** Reads a stored plan; one that this version does not know allows the least. */
export const parsePlan = (stored: string): Plan => PLANS.find((plan) => plan === stored) ?? "free";

/** Gets the plan of a workspace. */
export async function getPlan(db: Database, workspaceId: string): Promise<Plan> {
  const [workspace] = await db
    .select({ plan: workspaces.plan })
    .from(workspaces)
    .where(eq(workspaces.id, workspaceId));
  return parsePlan(workspace?.plan ?? "free");
}

/** Gets what the plan of a workspace allows. */
export const getPlanLimits = async (db: Database, workspaceId: string): Promise<PlanLimits> =>
  PLAN_LIMITS[await getPlan(db, workspaceId)];
