import { compare } from "./compare.js";
import { API_PLANS, canRead, isInWorkspace } from "./rules.js";
import type { Meeting, User, Workspace, World } from "./world.js";

/** The expected answer of a call: status and complete body. */
export interface Expected {
  readonly status: number;
  readonly body: unknown;
}

export const ok = (payload: unknown): Expected => ({
  status: 200,
  body: { result: { data: { json: payload } } },
});
export const refuse = (status: number, error: string): Expected => ({ status, body: { error } });

/** The caller: a user with a personal key, or a workspace. */
export type Caller = { readonly user: User } | { readonly workspace: Workspace };

export const isUser = (caller: Caller): caller is Extract<Caller, { user: User }> => "user" in caller;
export const getKey = (caller: Caller): string | null =>
  isUser(caller) ? caller.user.key : caller.workspace.key;
const getPlan = (caller: Caller) => (isUser(caller) ? caller.user.workspace : caller.workspace).plan;

export const canSee = (caller: Caller, meeting: Meeting): boolean =>
  isUser(caller) ? canRead(caller.user, meeting) : isInWorkspace(caller.workspace, meeting);
export const canWrite = (caller: Caller, meeting: Meeting): boolean =>
  isUser(caller) ? meeting.owner === caller.user : isInWorkspace(caller.workspace, meeting);

/** Answers a caller whose plan has API access, and refuses any other. */
export const answerIfAdmitted = (caller: Caller, answer: () => Expected): Expected =>
  API_PLANS.includes(getPlan(caller))
    ? answer()
    : refuse(403, "API access requires a Pro, Team or Enterprise plan.");

export interface ListInput {
  limit?: number;
  cursor?: string;
  startDate?: string;
  endDate?: string;
  tag?: string;
  userEmail?: string;
  completed?: boolean;
  meetingId?: string;
}

/** Returns true if a time is in a range. A day means its first instant as a start and its last as an end. */
export const isInRange = (time: string, { startDate, endDate }: ListInput): boolean =>
  (startDate === undefined || time >= (startDate.length === 10 ? `${startDate}T00:00:00.000Z` : startDate)) &&
  (endDate === undefined || time <= (endDate.length === 10 ? `${endDate}T23:59:59.999Z` : endDate));

/** Lists a user's tags as answers show them. */
export const listTagItems = (world: World, user: User) =>
  world.tags
    .filter((tag) => tag.owner === user || tag.readers.has(user))
    .sort((one, other) => compare(one.name, other.name) || compare(one.id, other.id))
    .map((tag) => ({ id: tag.id, name: tag.name, shared: tag.owner !== user }));

/** Lists a user's tags. Workspace keys have no such route. */
export const listTags = (world: World, user: User): Expected =>
  answerIfAdmitted({ user }, () => ok({ tags: listTagItems(world, user) }));
