import { schema } from "@minutes/db";
import { needs, openTestApi, type Person, readPayload, type TestApi } from "@minutes/testing";
import { eq, sql } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

const { meetings, meetingShares } = schema;

let api: TestApi;
let given: TestApi["given"];
beforeAll(async () => {
  api = await openTestApi();
  given = api.given;
});
afterAll(() => api.close());

const NOT_WRITABLE = [404, { error: "Task not found or not writable" }];
const update = async (key: string, input: object, routes: "me" | "workspace" = "me") => {
  const { status, body } = await api.call(key, `${routes}/tasks.update`, input);
  return [status, body];
};
const answered = (payload: object) => [200, { result: { data: { json: payload } } }];

async function taskOf() {
  const company = await given.company();
  const anna = await given.member(company);
  const meeting = await given.meeting(anna, { tasks: [{ text: "Old text" }] });
  const taskId = meeting.taskIds[0] ?? "";
  const now = async () => {
    const { tasks } = await api.data(anna.key, "me/tasks.list");
    return [tasks[0]?.text, tasks[0]?.completed];
  };
  return { company, anna, meeting, taskId, now };
}

describe.each(["me", "workspace"] as const)("%s/tasks.update", (routes) => {
  test("200: answers with the id and exactly the sent fields; the others stay unchanged", async () => {
    const { company, anna, taskId, now } = await taskOf();
    const key = routes === "me" ? anna.key : company.key;
    expect(await update(key, { taskId, completed: true }, routes)).toEqual(
      answered({ taskId, completed: true }),
    );
    expect(await now()).toEqual(["Old text", true]);
    expect(await update(key, { taskId, text: "  New text \n" }, routes)).toEqual(
      answered({ taskId, text: "New text" }),
    );
    expect(await now()).toEqual(["New text", true]);
    expect(await update(key, { taskId, text: "Both", completed: false }, routes)).toEqual(
      answered({ taskId, text: "Both", completed: false }),
    );
    expect(await now()).toEqual(["Both", false]);
  });

  test("200: repeating an update is a no-op", async () => {
    const { company, anna, taskId, now } = await taskOf();
    const key = routes === "me" ? anna.key : company.key;
    for (let time = 0; time < 3; time++)
      expect(await update(key, { taskId, completed: true }, routes)).toEqual(
        answered({ taskId, completed: true }),
      );
    expect(await now()).toEqual(["Old text", true]);
  });

  test.each([
    [{}, "taskId must be a string of 1 to 128 characters."],
    [{ completed: true }, "taskId must be a string of 1 to 128 characters."],
    [{ taskId: 5, completed: true }, "taskId must be a string of 1 to 128 characters."],
    [{ taskId: "", completed: true }, "taskId must be a string of 1 to 128 characters."],
    [{ taskId: "t".repeat(129), completed: true }, "taskId must be a string of 1 to 128 characters."],
    [{ taskId: "t" }, "At least one of completed or text is required."],
    [{ taskId: "t", completed: "yes" }, "completed must be true or false."],
    [{ taskId: "t", completed: null }, "completed must be true or false."],
    [{ taskId: "t", text: "" }, "text must be a string of 1 to 10,000 characters after trimming."],
    [
      { taskId: "t", text: " \n\t\u00a0 " },
      "text must be a string of 1 to 10,000 characters after trimming.",
    ],
    [{ taskId: "t", text: null }, "text must be a string of 1 to 10,000 characters after trimming."],
    [{ taskId: "t", text: "a\0b" }, "text must be a string of 1 to 10,000 characters after trimming."],
    [{ taskId: "t", text: "\ud800" }, "text must be a string of 1 to 10,000 characters after trimming."],
    [{ taskId: "t", completed: true, assignee: "x" }, 'Unknown field: "assignee".'],
  ])("400: %j", async (input, error) => {
    const { company, anna } = await taskOf();
    expect(await update(routes === "me" ? anna.key : company.key, input, routes)).toEqual([400, { error }]);
  });

  test("400: no field to update", async () => {
    const { company, anna } = await taskOf();
    const answer = await api.call(routes === "me" ? anna.key : company.key, `${routes}/tasks.update`);
    expect(answer.status).toBe(400);
    expect(answer.body).toEqual({ error: expect.any(String) });
  });
});

describe("length of text, in Unicode code points after trimming", () => {
  test.each([
    ["1", 200, "x"],
    ["10,000", 200, "x".repeat(10_000)],
    ["10,000 within spaces", 200, ` ${"x".repeat(10_000)} `],
    ["10,000 outside the basic plane", 200, "🦀".repeat(10_000)],
    ["one invisible character that is not a space", 200, "\u200b"],
    ["only spaces of every kind", 400, "\u00a0\u2003\u3000\ufeff\n"],
    ["10,001", 400, "x".repeat(10_001)],
    ["10,001 outside the basic plane", 400, "🦀".repeat(10_001)],
  ])("%s: %i", async (_name, status, text) => {
    const { anna, taskId, now } = await taskOf();
    expect((await update(anna.key, { taskId, text }))[0]).toBe(status);
    expect(await now()).toEqual([status === 200 ? text.trim() : "Old text", false]);
  });
});

describe("404: not writable, reported as if it didn't exist", () => {
  test("visible through a direct share or a tag: read-only", async () => {
    const company = await given.company();
    const [anna, ben] = [await given.member(company), await given.member(company)];
    const facts = { tasks: [{ text: "Mine" }] };
    for (const meeting of [
      await given.meetingSharedDirectly(anna, ben, facts),
      await given.meetingSharedByTag(anna, ben, facts),
      await given.meeting(anna, facts),
    ]) {
      const [taskId] = meeting.taskIds;
      expect(await update(ben.key, { taskId, completed: true })).toEqual(NOT_WRITABLE);
      expect(await update(company.admin.key, { taskId, text: "Theirs" })).toEqual(NOT_WRITABLE);
    }
    const { tasks } = await api.data(ben.key, "me/tasks.list");
    expect(tasks.map((task) => [task.text, task.completed])).toEqual([
      ["Mine", false],
      ["Mine", false],
    ]);
  });

  test("with a workspace key: tasks of another workspace, of a member who left, and unknown ones", async () => {
    const { company, anna, taskId } = await taskOf();
    const other = await given.company();
    expect(await update(other.key, { taskId, completed: true }, "workspace")).toEqual(NOT_WRITABLE);
    expect((await update(company.key, { taskId, completed: true }, "workspace"))[0]).toBe(200);
    await given.leaves(anna);
    expect(await update(company.key, { taskId, completed: true }, "workspace")).toEqual(NOT_WRITABLE);
    expect(await update(company.key, { taskId: "tsk_none", completed: true }, "workspace")).toEqual(
      NOT_WRITABLE,
    );
    expect((await update(anna.key, { taskId, completed: true }))[0]).toBe(200);
  });

  test("a task of a deleted meeting", async () => {
    const { anna, meeting, taskId } = await taskOf();
    await api.data(anna.key, "me/meetings.delete", { meetingId: meeting.meetingId });
    expect(await update(anna.key, { taskId, completed: true })).toEqual(NOT_WRITABLE);
  });
});

test("200: a completed task shows in the next lists", async () => {
  const { company, anna, taskId } = await taskOf();
  const open = async () => (await api.data(anna.key, "me/tasks.list", { completed: false })).tasks.length;
  expect(await open()).toBe(1);
  await update(anna.key, { taskId, completed: true });
  expect(await open()).toBe(0);
  expect((await api.data(company.key, "workspace/tasks.list", { completed: true })).tasks).toHaveLength(1);
  await update(anna.key, { taskId, completed: false });
  expect(await open()).toBe(1);
});

describe("the assignee of a colleague's task, outside /v1", () => {
  async function assigned(
    assignee: (ben: { email: string; name: string }) => { name: string; email?: string },
  ) {
    const company = await given.company();
    const [anna, ben] = [await given.member(company), await given.member(company)];
    const facts = { tasks: [{ text: "Call", assignee: assignee(ben) }] };
    const { taskIds, meetingId } = await given.meetingSharedDirectly(anna, ben, facts);
    return { company, anna, ben, meetingId, taskId: taskIds[0] ?? "" };
  }
  const complete = async (who: { key: string }, taskId: string, change: object = { completed: true }) =>
    (await api.call(who.key, "rest/me/tasks.update", { taskId, ...change })).status;

  test("200: completes and reopens it if they are assigned by address, and sees that they can", async () => {
    const { anna, ben, taskId } = await assigned(({ email }) => ({ name: "B.", email }));
    const tasks = async () => (await api.askFor<{ tasks: object[] }>(ben, "tasks.list")).tasks;
    expect(await tasks()).toMatchObject([{ completed: false, canComplete: true }]);
    expect(await complete(ben, taskId)).toBe(200);
    expect((await api.data(anna.key, "me/tasks.list", { completed: true })).tasks).toHaveLength(1);
    expect(await complete(ben, taskId, { completed: false })).toBe(200);
    expect(await tasks()).toMatchObject([{ completed: false }]);
    expect(await update(ben.key, { taskId, completed: true })).toEqual(NOT_WRITABLE);
    expect(await complete(ben, taskId, { text: "Theirs", completed: true })).toBe(404);
  });

  test("200: lists it as theirs, and tasks with only their exact name separately, as a guess", async () => {
    const { company, anna, ben } = await assigned(({ email }) => ({ name: "B.", email }));
    const { name } = ben;
    const elsewhere = `else@${name.toLowerCase().replaceAll(/\W/g, "")}.example`;
    const transcript = [{ speakerId: "s1", speakerName: name, text: "Hello." }];
    await given.meetingSharedDirectly(anna, ben, { tasks: [{ text: "Wait", assignee: { name } }] });
    await given.meetingSharedDirectly(anna, ben, {
      transcript,
      tasks: [{ text: "Said", assignee: { name } }],
    });
    await given.meetingSharedDirectly(anna, ben, {
      tasks: [
        { text: "Longer", assignee: { name: `${name} Jr.` } },
        { text: "Other", assignee: { name, email: elsewhere } },
        { text: "Nobody's" },
      ],
    });
    await given.meeting(anna, { tasks: [{ text: "Hidden", assignee: { name } }] });
    const list = async (who: Person, filter: object) =>
      (await api.askFor<{ tasks: { text: string }[] }>(who, "tasks.list", filter)).tasks
        .map(({ text }) => text)
        .toSorted();
    expect(await list(ben, { mine: true })).toEqual(["Call"]);
    expect(await list(ben, { namedLikeMe: true })).toEqual(["Said", "Wait"]);
    expect(await list(anna, { mine: true })).toEqual([]);
    expect(await list(anna, { namedLikeMe: true })).toEqual([]);
    // Naming the speaker leaves the guess; a merge with the person of the other address ends it.
    const { tasks } = await api.askFor<{ tasks: { text: string; assignee: { id: string } | null }[] }>(
      ...([anna, "tasks.list"] as const),
    );
    const idOf = (text: string) => tasks.find((task) => task.text === text)?.assignee?.id;
    const named = await api.call(company.key, "rest/workspace/people.confirm", {
      ...{ personId: idOf("Said"), name },
    });
    expect(named.status).toBe(200);
    expect(await list(ben, { namedLikeMe: true })).toEqual(["Said", "Wait"]);
    const merge = { personId: idOf("Said"), intoId: idOf("Other") };
    expect((await api.call(company.key, "rest/workspace/people.merge", merge)).status).toBe(200);
    expect(await list(ben, { namedLikeMe: true })).toEqual(["Wait"]);
  });

  test("200: lists it as theirs where a speaker of the same name has no address, imported or edited", async () => {
    const { anna, ben } = await assigned(() => ({ name: "Somebody" }));
    const transcript = [{ speakerId: "s1", speakerName: ben.name, text: "Hello." }];
    const task = (text: string) => ({ text, assignee: { name: ben.name, email: ben.email.toUpperCase() } });
    const { meetingId } = await given.meetingSharedDirectly(anna, ben, { transcript, tasks: [task("Call")] });
    await api.askFor(anna, "tasks.create", { meetingId, baseVersion: 1, ...task("Write") });
    const { tasks } = await api.askFor<{ tasks: { text: string }[] }>(ben, "tasks.list", { mine: true });
    expect(tasks.map(({ text }) => text).sort()).toEqual(["Call", "Write"]);
  });

  test("200: completes it after an admin has merged the assignee into their person", async () => {
    const { company, anna, ben, taskId } = await assigned(() => ({ name: "B.", email: "b@old.example" }));
    await given.meeting(anna, { tasks: [{ text: "x", assignee: { name: "Ben", email: ben.email } }] });
    expect(await complete(ben, taskId)).toBe(404);
    const { people } = readPayload<{ people: { id: string; emails: string[] }[] }>(
      await api.call(company.key, "rest/workspace/people.list"),
    );
    const idOf = (email: string) => people.find(({ emails }) => emails.includes(email))?.id;
    const merge = { personId: idOf("b@old.example"), intoId: idOf(ben.email) };
    expect((await api.call(company.key, "rest/workspace/people.merge", merge)).status).toBe(200);
    expect(await complete(ben, taskId)).toBe(200);
  });

  test("404: a share that ends while the completion waits", needs("postgres"), async () => {
    const { anna, ben, taskId, meetingId } = await assigned(({ email }) => ({ name: "B.", email }));
    let waiting: Promise<number> | undefined;
    await api.db.transaction(async (tx) => {
      await tx.select().from(meetings).where(eq(meetings.id, meetingId)).for("update");
      waiting = complete(ben, taskId);
      const waits = sql`pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
      await expect.poll(() => api.db.$count(waits)).toBe(1);
      await tx.delete(meetingShares).where(eq(meetingShares.meetingId, meetingId));
    });
    expect(await waiting).toBe(404);
    expect(await api.askFor(anna, "tasks.list")).toMatchObject({ tasks: [{ completed: false }] });
  });

  test("404: one of the same name, one who can't read the meeting, and anybody else", async () => {
    const named = await assigned(({ name }) => ({ name }));
    expect(await complete(named.ben, named.taskId)).toBe(404);
    expect(await api.askFor(named.ben, "tasks.list")).toMatchObject({ tasks: [{ canComplete: false }] });
    const { company, anna, ben, taskId } = await assigned(({ email }) => ({ name: "B.", email }));
    expect(await complete(company.admin, taskId)).toBe(404);
    await given.leaves(ben);
    expect(await complete(ben, taskId)).toBe(404);
    expect(await api.askFor(anna, "tasks.list")).toMatchObject({ tasks: [{ completed: false }] });
  });
});
