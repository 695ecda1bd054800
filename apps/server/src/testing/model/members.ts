import { joinWorkspace, leaveWorkspace, OPERATOR, setEmail, setPlan, setRole } from "@minutes/core";
import { schema } from "@minutes/db";
import { eq } from "drizzle-orm";
import { type Expected, refuse } from "./answers.js";
import { isLastAdmin, move, unlock } from "./rules.js";
import { callSettings, done, type Step } from "./step.js";
import type { Workspace } from "./world.js";

const answerRefusal = async (work: Promise<unknown>): Promise<Expected> =>
  work.then(
    () => done,
    (error: Error) => refuse(409, error.message),
  );
const lastAdmin = refuse(409, "This is the only admin of the workspace. Make another member an admin first.");

export async function join(step: Step) {
  const { random, world, db } = step;
  const [user, company] = [random.pick(world.users), random.pick(world.companies)];
  const changeRole = random.pick(["admin", "member"] as const);
  const stays = user.workspace === company && (changeRole === "admin" || user.role === "member");
  const refuses = !stays && isLastAdmin(world, user);
  const answer = await answerRefusal(joinWorkspace(db, OPERATOR, user.id, company.id, changeRole));
  step.expect("join", answer, refuses ? lastAdmin : done);
  if (!refuses) move(world, user, company, changeRole);
}

export async function leave(step: Step) {
  const { random, world, db } = step;
  const user = random.pick(world.users);
  const refuses = isLastAdmin(world, user);
  const answer = random.chance(0.5)
    ? await callSettings(step, user, "members.remove", { userId: user.id })
    : await answerRefusal(leaveWorkspace(db, OPERATOR, user.id));
  step.expect("leave", answer, refuses ? lastAdmin : done);
  if (refuses) return;
  const { members, workspaces } = schema;
  const [place] = await db
    .select({ id: workspaces.id, changePlan: workspaces.plan, ownerId: workspaces.ownerId })
    .from(members)
    .innerJoin(workspaces, eq(workspaces.id, members.workspaceId))
    .where(eq(members.userId, user.id));
  if (!place || place.ownerId !== user.id || place.id === user.workspace.id) {
    throw new Error("Leaving did not lead to another workspace of the user's own.");
  }
  const own: Workspace = {
    id: place.id,
    plan: place.changePlan as Workspace["plan"],
    key: null,
    ingestKey: null,
  };
  move(world, user, own, "admin");
}

export async function role(step: Step) {
  const { random, world, db } = step;
  const [actor, user] = [random.pick(world.users), random.pick(world.users)];
  const to = random.pick(["admin", "member"] as const);
  if (random.chance(0.3)) {
    const refuses = to === "member" && isLastAdmin(world, user);
    step.expect(
      "set a role",
      await answerRefusal(setRole(db, OPERATOR, user.id, to)),
      refuses ? lastAdmin : done,
    );
    if (!refuses) user.role = to;
    return;
  }
  const answer = await callSettings(step, actor, "members.setRole", { userId: user.id, role: to });
  if (actor.workspace !== user.workspace) {
    return step.expect("set a role", answer, refuse(404, "No such member."));
  }
  if (actor.role !== "admin") {
    return step.expect("set a role", answer, refuse(403, "Only a workspace admin can do this."));
  }
  const refuses = to === "member" && isLastAdmin(world, user);
  step.expect("set a role", answer, refuses ? lastAdmin : done);
  if (!refuses) user.role = to;
}

/** Changes a plan, usually to one with API access: without it there is little to compare. */
export async function plan(step: Step) {
  const { random, world, db } = step;
  const workspace = random.chance(0.7) ? random.pick(world.companies) : random.pick(world.users).workspace;
  const to = random.pick(["free", "plus", "pro", "pro", "team", "team", "enterprise"] as const);
  await setPlan(db, OPERATOR, workspace.id, to);
  workspace.plan = to;
  for (const user of world.users) if (user.workspace === workspace) unlock(world, user);
}

export async function changeEmail(step: Step) {
  const { random, world, db } = step;
  const user = random.pick(world.users);
  const to = `${user.name.toLowerCase()}-${random.int(1_000_000_000)}-${process.pid}@example.com`;
  await setEmail(db, OPERATOR, user.id, to);
  user.email = to;
}
