import type { Meeting, Sent, Task, User, Workspace, World } from "./world.js";

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

const isTooShortToSummarise = ({ transcript }: Sent): boolean =>
  transcript.flatMap(({ text }) => text.split(" ")).length < SUMMARY_WORDS;

const minutes = ({ startTime, endTime }: Sent): number =>
  (Date.parse(endTime) - Date.parse(startTime)) / 60_000;

/** Applies a completion to the owner's credits and the summary's lock. */
export function complete(world: World, meeting: Meeting): void {
  const { owner, sent } = meeting;
  const { plan } = owner.workspace;
  meeting.state = "completed";
  meeting.completed = ++world.completions;
  const free = isTooShortToSummarise(sent);
  if (!free && !meeting.charged && owner.credits < CREDITS[plan]) {
    meeting.charged = true;
    owner.credits++;
  }
  const paid = free || meeting.charged;
  meeting.locked = sent.summary !== undefined && (!paid || minutes(sent) > MINUTES[plan]);
}

/** Applies new content: an existing summary keeps its lock, and nothing is charged. */
export function replace(meeting: Meeting, sent: Sent): void {
  const { plan } = meeting.owner.workspace;
  const had = meeting.sent.summary !== undefined;
  const paid = isTooShortToSummarise(sent) || meeting.charged || CREDITS[plan] === Infinity;
  const locked = had ? meeting.locked : !paid || minutes(sent) > MINUTES[plan];
  meeting.locked = sent.summary !== undefined && locked;
  meeting.sent = sent;
}

/** Unlocks what the user's plan allows, oldest first. */
export function unlock(world: World, user: User): void {
  const { plan } = user.workspace;
  const locked = listCompleted(world).filter((meeting) => meeting.owner === user && meeting.locked);
  for (const meeting of locked.sort((one, other) => one.completed - other.completed)) {
    if (minutes(meeting.sent) > MINUTES[plan]) continue;
    if (!meeting.charged && !isTooShortToSummarise(meeting.sent)) {
      if (user.credits >= CREDITS[plan]) continue;
      user.credits++;
      meeting.charged = true;
    }
    meeting.locked = false;
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
}

/** Returns true if members would be left without an admin. */
export function isLastAdmin(world: World, user: User): boolean {
  const others = world.users.filter((other) => other !== user && other.workspace === user.workspace);
  return user.role === "admin" && others.length > 0 && !others.some(({ role }) => role === "admin");
}

export function remove(meeting: Meeting): void {
  meeting.state = "deleted";
  meeting.tasks = [];
  meeting.tags.clear();
  meeting.readers.clear();
}

/** Sorts by newest start, then by greatest id in code point order. Ids and times are ASCII. */
export const compareByStart = (one: Meeting, other: Meeting): number =>
  compare(other.sent.startTime, one.sent.startTime) || compare(other.id, one.id);
export const compareByCreation = (one: Task, other: Task): number =>
  compare(other.createdAt, one.createdAt) || compare(other.id, one.id);
export const compare = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0);
