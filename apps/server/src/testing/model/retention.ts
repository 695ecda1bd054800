import type { RetentionRule } from "@minutes/contract";
import { runRetention } from "@minutes/core";
import { schema } from "@minutes/db";
import { findPayload } from "@minutes/testing";
import { inArray, sql } from "drizzle-orm";
import { ok, refuse } from "./answers.js";
import { TAGS } from "./populate.js";
import { listCompleted, remove } from "./rules.js";
import { callSettings, done, type Step } from "./step.js";
import type { Meeting } from "./world.js";

const onlyAdmins = refuse(403, "Only a workspace admin can do this.");
const noMeeting = refuse(404, "Meeting not found");
const heldByAdmin = refuse(403, "An admin put this meeting on hold. Only an admin can release it.");

/** Sets or deletes a retention rule of a company. */
export async function changeRule(step: Step) {
  const { random, world } = step;
  const company = random.pick(world.companies);
  const user = random.any(world.users.filter(({ workspace }) => workspace === company));
  if (!user) return;
  const tag = random.chance(0.5) ? random.pick(TAGS) : null;
  const known = company.rules.get(tag);
  if (known && random.chance(0.5)) {
    const answer = await callSettings(step, user, "retention.delete", { ruleId: known.id });
    if (user.role !== "admin")
      return step.expect("delete a rule", answer, refuse(404, "No such retention rule."));
    company.rules.delete(tag);
    return step.expect("delete a rule", answer, done);
  }
  const days = random.pick([7, 100, 100, 1_000]);
  const input = { days, ...(tag === null ? {} : { tag }) };
  const answer = await callSettings(step, user, "retention.set", input);
  if (user.role !== "admin") return step.expect("set a rule", answer, onlyAdmins);
  const { id, createdAt, nextRunAt } = findPayload<RetentionRule>(answer) ?? {};
  step.expect("set a rule", answer, ok({ id: known?.id ?? id, tag, days, createdAt, nextRunAt }));
  company.rules.set(tag, { id: id ?? "", days });
}

/** Puts a meeting on hold or releases it. */
export async function hold(step: Step) {
  const { random, world } = step;
  const meeting = random.any(world.meetings);
  if (!meeting) return;
  const user = random.chance(0.5) ? meeting.owner : random.pick(world.users);
  const release = random.chance(0.4);
  const { id: meetingId } = meeting;
  const answer = await callSettings(step, user, `retention.${release ? "release" : "hold"}`, { meetingId });
  const what = release ? "release" : "hold";
  const isAdmin = user.role === "admin" && user.workspace === meeting.owner.workspace;
  if (meeting.state !== "completed" || !(isAdmin || user === meeting.owner))
    return step.expect(what, answer, noMeeting);
  if (release && meeting.heldBy !== null && !isAdmin && meeting.heldBy !== user)
    return step.expect(what, answer, heldByAdmin);
  step.expect(what, answer, done);
  if (release) meeting.heldBy = null;
  else if (meeting.heldBy === null || (isAdmin && meeting.heldBy === meeting.owner)) meeting.heldBy = user;
}

/** Runs retention as if a day had passed for the companies' rules. */
export async function expire({ world, db, expect }: Step) {
  await db
    .update(schema.retentionRules)
    .set({ nextRunAt: sql`now()` })
    .where(
      inArray(
        schema.retentionRules.workspaceId,
        world.companies.map(({ id }) => id),
      ),
    );
  await runRetention(db, new AbortController().signal);
  for (const meeting of listCompleted(world).filter(isOverdue)) remove(meeting);
  const rows = await db
    .select({ id: schema.meetings.id })
    .from(schema.meetings)
    .where(
      inArray(
        schema.meetings.userId,
        world.users.map(({ id }) => id),
      ),
    );
  const as = (ids: string[]) => ({ status: 200, body: ids.sort() });
  expect(
    "meetings that retention keeps",
    as(rows.map(({ id }) => id)),
    as(listCompleted(world).map(({ id }) => id)),
  );
}

/** Returns true for a meeting that is older than its rules allow and not on hold. */
function isOverdue({ owner, tags, content, heldBy }: Meeting): boolean {
  const { rules } = owner.workspace;
  const tagged = [...tags].flatMap(({ name }) => rules.get(name)?.days ?? []);
  const days = tagged.length > 0 ? Math.max(...tagged) : rules.get(null)?.days;
  return (
    heldBy === null && days !== undefined && Date.parse(content.startTime) < Date.now() - days * 86_400_000
  );
}
