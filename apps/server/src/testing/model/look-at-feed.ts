import { waitForFeed } from "@minutes/testing";
import { type Reader, readPages } from "../sync-model/reader.js";
import { type Caller, canSee, getKey, isUser, listTagItems } from "./answers.js";
import { toDetail, toItem } from "./answers-of-meetings.js";
import { listTasksOf, toTaskItem } from "./answers-of-tasks.js";
import { API_PLANS, listCompleted } from "./rules.js";
import type { Step } from "./step.js";
import type { World } from "./world.js";

/** Compares a copy that is kept by the change feed alone with everything that the caller can see. */
export async function compareCopy({ server, world, expect }: Step, caller: Caller): Promise<void> {
  const { plan } = isUser(caller) ? caller.user.workspace : caller.workspace;
  if (!API_PLANS.includes(plan)) return;
  const reader = findReader(world, caller);
  await waitForFeed(server.db);
  await readPages(server, reader, 1_000, 20);
  const copied = [...reader.copy].map(([name, data]) => [name, withoutTime(data)] as const);
  const as = (objects: readonly (readonly [string, unknown])[]) => ({
    status: 200,
    body: Object.fromEntries(objects.toSorted(([one], [other]) => (one < other ? -1 : 1))),
  });
  expect(`${reader.name}'s copy`, as(copied), as(listObjects(world, caller)));
}

const readers = new WeakMap<object, Reader>();

/** Returns the reader of a caller, who continues where they stopped. */
function findReader(world: World, caller: Caller): Reader {
  const holder = isUser(caller) ? caller.user : caller.workspace;
  const known = readers.get(holder);
  if (known) return known;
  const reader: Reader = {
    name: isUser(caller) ? caller.user.name : "a workspace",
    key: getKey(caller) ?? "",
    side: isUser(caller) ? "me" : "workspace",
    detail: !isUser(caller) || world.users.indexOf(caller.user) % 2 === 0,
    ...{ hasty: false, cursor: undefined, copy: new Map(), removed: new Set<string>() },
  };
  readers.set(holder, reader);
  return reader;
}

/** Removes when an object was stored, which the model does not know. */
function withoutTime(data: object): object {
  const { updatedAt: _, due: __, ...rest } = data as { updatedAt?: string; due?: string | null };
  return rest;
}

/** Lists what a caller can see, by type and id. */
function listObjects(world: World, caller: Caller): [string, unknown][] {
  const { detail } = findReader(world, caller);
  const visible = listCompleted(world).filter((meeting) => canSee(caller, meeting));
  return [
    ...visible.map((meeting): [string, unknown] => [
      `meeting ${meeting.id}`,
      { ...toItem(meeting), ...(detail ? toDetail(meeting) : {}) },
    ]),
    ...visible.flatMap(listTasksOf).map((task): [string, unknown] => [`task ${task.id}`, toTaskItem(task)]),
    ...(isUser(caller)
      ? listTagItems(world, caller.user).map((tag): [string, unknown] => [`tag ${tag.id}`, tag])
      : []),
  ];
}
