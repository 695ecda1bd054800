import { type Expected, refuse } from "./answers.js";
import { readTag, TAGS } from "./populate.js";
import { callSettings, done, type Step } from "./step.js";
import type { User } from "./world.js";

const unknownUser = refuse(404, "No user has this e-mail address.");

/** Shares or unshares a meeting. The actor may not own it, and the other user may not be a colleague. */
export async function shareMeeting(step: Step) {
  const { random, world } = step;
  const meeting = random.any(world.meetings);
  if (!meeting) return;
  const { user, reader } = pair(step, meeting.owner);
  const take = random.chance(0.3);
  const input = { meetingId: meeting.id, email: reader.email };
  const answer = await callSettings(step, user, take ? "meetings.unshare" : "meetings.share", input);
  const expected = (): Expected => {
    if (reader.workspace !== user.workspace) return unknownUser;
    if (meeting.state !== "completed") return refuse(404, "Meeting not found");
    if (meeting.owner !== user) return refuse(403, "Access denied. You do not have access to this meeting.");
    if (!take && reader === user) return refuse(409, "A share can't be with the owner.");
    if (take) meeting.readers.delete(reader);
    else meeting.readers.add(reader);
    return done;
  };
  step.expect(take ? "unshare a meeting" : "share a meeting", answer, expected());
}

/** Picks usually the owner and a colleague, sometimes anyone. */
function pair({ random, world }: Step, owner: User): { user: User; reader: User } {
  const user = random.chance(0.85) ? owner : random.pick(world.users);
  const colleagues = world.users.filter((other) => other !== user && other.workspace === user.workspace);
  const reader = (random.chance(0.85) ? random.any(colleagues) : null) ?? random.pick(world.users);
  return { user, reader };
}

export async function shareTag(step: Step) {
  const { random, world } = step;
  const tag = random.any(world.tags);
  if (!tag) return;
  const { user, reader } = pair(step, tag.owner);
  const take = random.chance(0.3);
  const input = { tagId: tag.id, email: reader.email };
  const answer = await callSettings(step, user, take ? "tags.unshare" : "tags.share", input);
  const expected = (): Expected => {
    if (reader.workspace !== user.workspace) return unknownUser;
    if (tag.owner !== user) return refuse(404, "No such tag.");
    if (!take && reader === user) return refuse(409, "A share can't be with the owner.");
    if (take) tag.readers.delete(reader);
    else tag.readers.add(reader);
    return done;
  };
  step.expect(take ? "unshare a tag" : "share a tag", answer, expected());
}

export async function tagMeeting(step: Step) {
  const { random, world, db } = step;
  const meeting = random.any(world.meetings);
  if (!meeting) return;
  const user = random.chance(0.85) ? meeting.owner : random.pick(world.users);
  const tag = random.chance(0.4) ? random.any([...meeting.tags]) : null;
  const name = random.pick(TAGS);
  const answer = tag
    ? await callSettings(step, user, "meetings.untag", { meetingId: meeting.id, tagId: tag.id })
    : await callSettings(step, user, "meetings.tag", { meetingId: meeting.id, name });
  if (meeting.state !== "completed") return step.expect("tag", answer, refuse(404, "Meeting not found"));
  if (meeting.owner !== user) {
    return step.expect("tag", answer, refuse(403, "Access denied. You do not have access to this meeting."));
  }
  step.expect("tag", answer, done);
  if (tag) meeting.tags.delete(tag);
  else meeting.tags.add(await readTag(db, world, user, name));
}

export async function deleteTag(step: Step) {
  const { random, world } = step;
  const tag = random.any(world.tags);
  if (!tag) return;
  const user = random.chance(0.8) ? tag.owner : random.pick(world.users);
  const answer = await callSettings(step, user, "tags.delete", { tagId: tag.id });
  if (user !== tag.owner) return step.expect("delete a tag", answer, refuse(404, "No such tag."));
  step.expect("delete a tag", answer, done);
  world.tags = world.tags.filter((other) => other !== tag);
  for (const meeting of world.meetings) meeting.tags.delete(tag);
}
