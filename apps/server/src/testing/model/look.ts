import { findPayload } from "@minutes/testing";
import { type Caller, type Expected, getKey, isUser, type ListInput, listTags } from "./answers.js";
import { deleteMeeting, getMeeting, listMeetings } from "./answers-of-meetings.js";
import { listTasks, updateTask } from "./answers-of-tasks.js";
import { compareCopy } from "./look-at-feed.js";
import { chooseRange, compareSearch, toRange } from "./look-at-search.js";
import { TAGS } from "./populate.js";
import { listCompleted, remove } from "./rules.js";
import type { Step } from "./step.js";

/** Calls every route of a caller, and compares each complete answer with the model's. */
export async function compareRoutes(step: Step, caller: Caller): Promise<void> {
  const { random, world } = step;
  const side = isUser(caller) ? "me" : "workspace";
  const who = isUser(caller) ? caller.user.name : "a workspace";
  const ask = async (route: string, input: object, expected: () => Expected): Promise<Expected> => {
    const answer = await step.server.call(getKey(caller), `${side}/${route}`, input);
    step.expect(`${who} asks ${side}/${route} ${JSON.stringify(input)}`, answer, expected());
    return answer;
  };

  await comparePages(ask, "meetings.list", chooseMeetingFilters(step, caller), (input) =>
    listMeetings(world, caller, input),
  );
  await comparePages(ask, "tasks.list", chooseTaskFilters(step, caller), (input) =>
    listTasks(world, caller, input),
  );
  const meeting = random.any(world.meetings);
  const meetingId = meeting?.id ?? "mtg_unknown";
  await ask("meetings.get", { meetingId }, () => getMeeting(world, caller, meetingId));

  // Usually something it can't delete; a permitted deletion is also done in the model.
  const target = random.any(world.meetings)?.id ?? "mtg_unknown";
  if (!deleteMeeting(world, caller, target).gone || random.chance(0.02)) {
    await ask("meetings.delete", { meetingId: target }, () => {
      const { gone, ...expected } = deleteMeeting(world, caller, target);
      if (gone) remove(gone);
      return expected;
    });
  }
  const task = random.any(listCompleted(world).flatMap(({ content }) => content.tasks));
  const update = {
    taskId: task?.id ?? "tsk_unknown",
    ...(random.chance(0.3) ? { text: `Changed ${random.int(100)}` } : {}),
    completed: random.chance(0.5),
  };
  await ask("tasks.update", update, () => {
    const { task: changed, ...expected } = updateTask(world, caller, update);
    if (!changed) return expected;
    const { meeting: its, ...before } = changed;
    const after = { ...before, completed: update.completed, text: update.text ?? before.text };
    const tasks = its.content.tasks.map((one) => (one.id === before.id ? after : one));
    its.content = { ...its.content, tasks };
    return expected;
  });

  await compareCopy(step, caller);

  if (!isUser(caller)) return;
  await ask("tags.list", {}, () => listTags(world, caller.user));
  await compareSearch(step, caller.user);
}

type Ask = (route: string, input: object, expected: () => Expected) => Promise<Expected>;

/** Compares the first page and the next two. */
async function comparePages(
  ask: Ask,
  route: string,
  filters: ListInput,
  expected: (input: ListInput) => Expected,
) {
  let cursor: string | null | undefined;
  for (let page = 0; page < 3 && cursor !== null; page++) {
    const input = { ...filters, ...(cursor ? { cursor } : {}) };
    const answer = await ask(route, input, () => expected(input));
    cursor = findPayload<{ nextCursor: string | null }>(answer)?.nextCursor ?? null;
  }
}

const limits = [undefined, undefined, 1, 3, 7, 100];

function chooseMeetingFilters({ random, world }: Step, caller: Caller): ListInput {
  const limit = random.pick(limits);
  return {
    ...(limit === undefined ? {} : { limit }),
    ...chooseRange({ random }),
    ...(isUser(caller) && random.chance(0.3) ? { tag: random.pick(TAGS) } : {}),
    ...(!isUser(caller) && random.chance(0.3)
      ? { userEmail: random.pick(world.users).email.toUpperCase() }
      : {}),
  };
}

function chooseTaskFilters({ random, world }: Step, caller: Caller): ListInput {
  const limit = random.pick(limits);
  const times = listCompleted(world)
    .flatMap(({ content }) => content.tasks)
    .map(({ createdAt }) => createdAt);
  const [from, to] = [random.any(times), random.any(times)];
  const meetingId = random.chance(0.2) ? random.any(world.meetings)?.id : undefined;
  return {
    ...(limit === undefined ? {} : { limit }),
    ...(from && to ? toRange(random.chance(0.2), random.chance(0.2), from, to, false) : {}),
    ...(random.chance(0.3) ? { completed: random.chance(0.5) } : {}),
    ...(meetingId === undefined ? {} : { meetingId }),
    ...(!isUser(caller) && random.chance(0.3) ? { userEmail: random.pick(world.users).email } : {}),
  };
}
