import { compare } from "./compare.js";
import { identify } from "./identify.js";
import type { Content, Meeting, Sent, Task, User, Workspace, World } from "./world.js";

/** The contract's rules about people, plans and credits, as functions on plain objects. */

export const API_PLANS = ["pro", "team", "enterprise"];
const CREDITS = { free: 10, plus: 20, pro: Infinity, team: Infinity, enterprise: Infinity };
const MINUTES = { free: 30, plus: 120, pro: 300, team: 300, enterprise: 300 };
/** Minimum number of spoken words for a summary (docs/ingest.md). */
const SUMMARY_WORDS = 10;

export const listCompleted = (world: World): Meeting[] =>
  world.meetings.filter(({ state }) => state === "completed");

/** Returns true for own and shared meetings, directly or through a shared tag. */
export const canRead = (user: User, { owner, readers, tags }: Meeting): boolean =>
  owner === user || readers.has(user) || [...tags].some((tag) => tag.readers.has(user));

/** Returns true for meetings whose owner is a member of the workspace. */
export const isInWorkspace = (workspace: Workspace, { owner }: Meeting): boolean =>
  owner.workspace === workspace;

/** What was sent, or what a meeting says now: the same rules apply. */
type Spoken = Pick<Content, "startTime" | "endTime" | "turns">;

const isTooShortToSummarise = ({ turns }: Spoken): boolean =>
  turns.flatMap(({ text }) => text.split(" ")).length < SUMMARY_WORDS;

const minutes = ({ startTime, endTime }: Spoken): number =>
  endTime === null ? 0 : (Date.parse(endTime) - Date.parse(startTime)) / 60_000;

const toSpoken = ({ startTime, endTime, transcript }: Sent): Spoken => ({
  startTime,
  endTime,
  turns: transcript.map(({ speakerId, text }) => ({ label: speakerId, text })),
});

/** Applies a completion to the owner's credits. @returns whether a summary is locked */
export function complete(world: World, meeting: Meeting): boolean {
  const { owner, sent } = meeting;
  const { plan } = owner.workspace;
  meeting.state = "completed";
  meeting.completed = ++world.completions;
  const spoken = toSpoken(sent);
  const free = isTooShortToSummarise(spoken);
  if (!free && !meeting.charged && owner.credits < CREDITS[plan]) {
    meeting.charged = true;
    owner.credits++;
  }
  return !(free || meeting.charged) || minutes(spoken) > MINUTES[plan];
}

/** Returns true if new content's summary is locked: an existing summary keeps its lock, and nothing is charged. */
export function locksReplaced({ owner, content, charged }: Meeting, sent: Sent): boolean {
  if (content.summary) return content.summary.locked;
  const { plan } = owner.workspace;
  const spoken = toSpoken(sent);
  const paid = isTooShortToSummarise(spoken) || charged || CREDITS[plan] === Infinity;
  return !paid || minutes(spoken) > MINUTES[plan];
}

export const isLocked = ({ content: { summary } }: Meeting): boolean => summary?.locked ?? false;

/** Unlocks what the user's plan allows, oldest first. */
export function unlock(world: World, user: User): void {
  const { plan } = user.workspace;
  const locked = listCompleted(world).filter((meeting) => meeting.owner === user && isLocked(meeting));
  for (const meeting of locked.sort((one, other) => one.completed - other.completed)) {
    const { content } = meeting;
    if (minutes(content) > MINUTES[plan]) continue;
    if (!meeting.charged && !isTooShortToSummarise(content)) {
      if (user.credits >= CREDITS[plan]) continue;
      user.credits++;
      meeting.charged = true;
    }
    meeting.content = { ...content, summary: content.summary && { ...content.summary, locked: false } };
  }
}

/** Moves a user. Shares exist only between members of one workspace and end when either leaves. */
export function move(world: World, user: User, workspace: Workspace, role: User["role"]): void {
  if (user.workspace === workspace) {
    user.role = role;
    return;
  }
  for (const meeting of world.meetings) {
    if (meeting.owner === user) meeting.readers.clear();
    meeting.readers.delete(user);
  }
  for (const tag of world.tags) {
    if (tag.owner === user) tag.readers.clear();
    tag.readers.delete(user);
  }
  user.workspace = workspace;
  user.role = role;
  unlock(world, user);
  for (const meeting of listCompleted(world).filter(({ owner }) => owner === user))
    meeting.content = {
      ...meeting.content,
      ...identify(world, workspace, meeting.content, meeting.content.speakers),
    };
}

/** Returns true if members would be left without an admin. */
export function isLastAdmin(world: World, user: User): boolean {
  const others = world.users.filter((other) => other !== user && other.workspace === user.workspace);
  return user.role === "admin" && others.length > 0 && !others.some(({ role }) => role === "admin");
}

export function remove(meeting: Meeting): void {
  meeting.state = "deleted";
  meeting.tags.clear();
  meeting.readers.clear();
}

/** Sorts by newest start, then by greatest id in code point order. Ids and times are ASCII. */
export const compareByStart = (one: Meeting, other: Meeting): number =>
  compare(other.content.startTime, one.content.startTime) || compare(other.id, one.id);
export const compareByCreation = (one: Task, other: Task): number =>
  compare(other.createdAt, one.createdAt) || compare(other.id, one.id);
