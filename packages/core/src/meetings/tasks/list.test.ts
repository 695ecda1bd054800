import { observeStatements } from "@minutes/db";
import { insertTasks, needs, openTestApi, type Person, readPayload, type TestApi } from "@minutes/testing";
import { sql } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

let api: TestApi;
let given: TestApi["given"];
beforeAll(async () => {
  api = await openTestApi();
  given = api.given;
});
afterAll(() => api.close());

const texts = async (who: { key: string }, route: "me" | "workspace" = "me", input: object = {}) =>
  (await api.data(who.key, `${route}/tasks.list`, input)).tasks.map((task) => task.text);

test("200: a task with every field of the contract", async () => {
  const anna = await given.person();
  const meeting = await given.meeting(anna, {
    title: "Planning",
    transcript: [
      { speakerId: "s1", speakerName: "Ben", speakerEmail: "ben@example.com", text: "I'll do it." },
    ],
    tasks: [{ text: "Do it", assignee: { name: "Ben", email: "ben@example.com" } }],
  });
  const { tasks } = await api.data(anna.key, "me/tasks.list");
  expect(tasks).toEqual([
    {
      id: meeting.taskIds[0],
      text: "Do it",
      completed: false,
      assignee: { id: expect.stringMatching(/^per_/), name: "Ben", email: "ben@example.com" },
      meetingId: meeting.meetingId,
      meetingTitle: "Planning",
      createdAt: expect.stringMatching(/Z$/),
      userId: anna.userId,
    },
  ]);
});

test("200: an assignee who neither spoke nor has an address has no person ID", async () => {
  const anna = await given.person();
  await given.meeting(anna, { tasks: [{ text: "x", assignee: { name: "Absent" } }] });
  expect((await api.data(anna.key, "me/tasks.list")).tasks[0]?.assignee).toEqual({
    id: null,
    name: "Absent",
    email: null,
  });
});

describe("filters", () => {
  test("200: outside /v1, own tasks and those due before a day; 400: no day", async () => {
    const anna = await given.person();
    await given.meeting(anna, {
      tasks: [
        { text: "late", assignee: { name: "Anna", email: anna.email } },
        { text: "soon", assignee: { name: "Anna", email: anna.email } },
        { text: "Ben's", assignee: { name: "Ben", email: "ben@due.example" } },
        { text: "any time" },
      ],
    });
    for (const [text, day] of [
      ["late", "2025-01-06"],
      ["Ben's", "2025-01-06"],
      ["soon", "2025-01-07"],
    ])
      await api.db.execute(
        sql`update tasks set due_on = ${day} where text = ${text} and user_id = ${anna.userId}`,
      );
    const find = async (input: object) =>
      (await api.askFor<{ tasks: { text: string }[] }>(anna, "tasks.list", input)).tasks
        .map(({ text }) => text)
        .toSorted();
    expect(await find({ mine: true })).toEqual(["late", "soon"]);
    expect(await find({ dueBefore: "2025-01-07" })).toEqual(["Ben's", "late"]);
    expect(await find({ dueBefore: "2025-01-08", mine: true, completed: false })).toEqual(["late", "soon"]);
    expect(await find({ dueBefore: "2025-01-06" })).toEqual([]);
    for (const dueBefore of ["next friday", "2025-02-30", ""])
      expect(await api.ask(anna, "tasks.list", { dueBefore }), dueBefore).toMatchObject({ status: 400 });
  });

  test("200: outside /v1, due dates are shown with either key; rows of /v1 stay as they are", async () => {
    const company = await given.company();
    const { key } = company.admin;
    await given.meeting(company.admin, { tasks: [{ text: "dated" }, { text: "open" }] });
    await api.db.execute(
      sql`update tasks set due_on = '2025-01-06' where text = 'dated' and user_id = ${company.admin.userId}`,
    );
    for (const [routes, caller] of [
      ["me", key],
      ["workspace", company.key],
    ] as const) {
      const list = async (path: string) =>
        readPayload<{ tasks: Record<string, unknown>[] }>(
          await api.call(caller, `${path}${routes}/tasks.list`, {}),
        ).tasks;
      const rows = (await list("rest/")).map(({ text, due, canComplete }) => ({ text, due, canComplete }));
      expect(rows).toContainEqual({ text: "dated", due: "2025-01-06", canComplete: true });
      expect(rows).toContainEqual({ text: "open", due: null, canComplete: true });
      for (const row of await list("")) expect(row).not.toHaveProperty("due");
    }
  });

  test("200: completed, meetingId and dates can be combined", async () => {
    const anna = await given.person();
    const first = await given.meeting(anna, { tasks: [{ text: "a" }, { text: "b", completed: true }] });
    await given.meeting(anna, { tasks: [{ text: "c", completed: true }] });
    expect((await texts(anna)).sort()).toEqual(["a", "b", "c"]);
    expect(await texts(anna, "me", { completed: false })).toEqual(["a"]);
    expect((await texts(anna, "me", { completed: true })).sort()).toEqual(["b", "c"]);
    expect(await texts(anna, "me", { completed: true, meetingId: first.meetingId })).toEqual(["b"]);
    const today = new Date().toISOString();
    expect(await texts(anna, "me", { endDate: "2020-01-01" })).toEqual([]);
    expect(
      await texts(anna, "me", { startDate: "2020-01-01", endDate: "9999-12-31", completed: false }),
    ).toEqual(["a"]);
    expect(await texts(anna, "me", { startDate: today, endDate: "2020-01-01" })).toEqual([]);
  });

  test("200: dates refer to a task's creation, through the last instant", async () => {
    const anna = await given.person();
    const meeting = await given.meeting(anna, { startTime: "2020-01-01T00:00:00Z" });
    for (const [prefix, createdAt] of [
      ["1_", "2025-03-31T23:59:59.999Z"],
      ["2_", "2025-04-01T00:00:00.000Z"],
      ["3_", "2025-04-01T23:59:59.999Z"],
      ["4_", "2025-04-02T00:00:00.000Z"],
    ] as const)
      await insertTasks(api.db, meeting, { count: 1, createdAt, prefix });
    const ids = async (input: object) =>
      (await api.data(anna.key, "me/tasks.list", input)).tasks.map((task) => task.id[0]);
    expect(await ids({ startDate: "2025-04-01", endDate: "2025-04-01" })).toEqual(["3", "2"]);
    expect(await ids({ endDate: "2025-04-01" })).toEqual(["3", "2", "1"]);
    expect(await ids({ startDate: "2025-04-01T23:59:59.999Z" })).toEqual(["4", "3"]);
  });

  test("200: a meeting that is unknown or not visible gives an empty list", async () => {
    const company = await given.company();
    const [anna, ben] = [await given.member(company), await given.member(company)];
    const { meetingId } = await given.meeting(anna, { tasks: [{ text: "x" }] });
    expect(await texts(ben, "me", { meetingId })).toEqual([]);
    expect(await texts(anna, "me", { meetingId: "mtg_none" })).toEqual([]);
    const stranger = await given.company();
    expect(await texts(stranger, "workspace", { meetingId })).toEqual([]);
  });

  test("200: userEmail, on the workspace list, in any case; empty for a non-member", async () => {
    const company = await given.company();
    const [anna, ben] = [await given.member(company), await given.member(company)];
    await given.meeting(anna, { tasks: [{ text: "anna's" }] });
    await given.meeting(ben, { tasks: [{ text: "ben's" }] });
    expect(await texts(company, "workspace", { userEmail: anna.email.toUpperCase() })).toEqual(["anna's"]);
    expect(await texts(company, "workspace", { userEmail: "nobody@example.com" })).toEqual([]);
    await given.leaves(anna);
    expect(await texts(company, "workspace", { userEmail: anna.email })).toEqual([]);
    expect(await texts(company, "workspace")).toEqual(["ben's"]);
  });

  test.each([
    [{ completed: "true" }, "completed must be true or false."],
    [{ completed: null }, "completed must be true or false."],
    [{ completed: 1 }, "completed must be true or false."],
    [{ meetingId: "" }, "meetingId must be a string of 1 to 128 characters."],
    [{ meetingId: 7 }, "meetingId must be a string of 1 to 128 characters."],
    [{ cursor: "yesterday" }, "Invalid cursor format"],
    [{ cursor: "2025-04-01" }, "Invalid cursor format"],
    [{ cursor: "2025-02-30T00:00:00Z" }, "Invalid cursor format"],
    [{ cursor: "2025-04-01T00:00:00Z::" }, "Invalid cursor format"],
    [{ cursor: 5 }, "Invalid cursor format"],
    [{ done: true }, 'Unknown field: "done".'],
  ])("400: %j", async (input, error) => {
    const company = await given.company();
    for (const [key, route] of [
      [company.key, "workspace/tasks.list"],
      [company.admin.key, "me/tasks.list"],
    ] as const) {
      const answer = await api.call(key, route, input);
      expect([answer.status, answer.body]).toEqual([400, { error }]);
    }
  });
});

test("200: a workspace key lists every member's tasks, a personal key only its owner's", async () => {
  const company = await given.company();
  const [anna, ben] = [await given.member(company), await given.member(company)];
  await given.meeting(anna, { tasks: [{ text: "anna's" }] });
  await given.meeting(ben, { tasks: [{ text: "ben's" }] });
  expect((await texts(company, "workspace")).sort()).toEqual(["anna's", "ben's"]);
  expect(await texts(anna)).toEqual(["anna's"]);
});

describe("outside /v1, by due date", () => {
  type Page = { tasks: { id: string; due: string | null; createdAt: string }[]; nextCursor: string | null };
  /** Tasks of three sources with equal and different due dates, some without, some completed. */
  const dated = async () => {
    const company = await given.company();
    const [anna, ben] = [await given.member(company), await given.member(company)];
    const both = await given.meetingSharedByTag(anna, ben);
    await given.shared(both, ben);
    for (const meeting of [await given.meetingSharedDirectly(anna, ben), both, await given.meeting(ben)])
      await insertTasks(api.db, meeting, { count: 60, sameTime: 7 });
    await api.db.execute(sql`update tasks set completed = position % 5 = 0,
      due_on = case when position % 3 > 0 then date '2025-03-01' + position % 4 end
      where workspace_id = ${company.workspaceId}`);
    return { company, ben };
  };
  const sorted = (tasks: Page["tasks"]) =>
    tasks.toSorted((a, b) => {
      const [first, second] = [a, b].map(({ due }) => due ?? "9");
      if (first !== second) return String(first) < String(second) ? -1 : 1;
      return `${a.createdAt} ${a.id}` > `${b.createdAt} ${b.id}` ? -1 : 1;
    });

  test.each([{}, { completed: false }, { completed: true }, { dueBefore: "2025-03-03" }])(
    "200: pages of %j are exact for both kinds of keys, whatever the source",
    async (filter) => {
      const { company, ben } = await dated();
      for (const [key, path] of [
        [ben.key, "rest/me/tasks.list"],
        [company.key, "rest/workspace/tasks.list"],
      ] as const) {
        const read = async (input: object) =>
          readPayload<Page>(await api.call(key, path, { ...filter, ...input }));
        const pageThrough = async (order: string, limit: number) => {
          const seen: Page["tasks"] = [];
          for (let cursor: string | null | undefined; cursor !== null; ) {
            const page: Page = await read({ order, limit, ...(cursor ? { cursor } : {}) });
            seen.push(...page.tasks);
            cursor = page.nextCursor;
          }
          return seen;
        };
        const newest = await pageThrough("newest", 100);
        expect(newest.length).toBeGreaterThan(30);
        expect(await pageThrough("due", 7)).toEqual(sorted(newest));
      }
    },
  );

  test("400: a cursor of the other order, or malformed", async () => {
    const { ben } = await dated();
    const cursorOf = async (order: "newest" | "due") =>
      (await api.askFor<Page>(ben, "tasks.list", { order, limit: 1 })).nextCursor;
    const [newest, due] = [await cursorOf("newest"), await cursorOf("due")];
    const day = "2025-03-01";
    const time = "2025-01-01T00:00:00.000Z";
    for (const input of [
      { order: "due", cursor: newest },
      { order: "newest", cursor: due },
      { cursor: due },
      ...[`2025-02-30::${time}::t`, `${day}::${time}`, `${day}::t`, `none::${time}::`, `9::${time}::t`].map(
        (cursor) => ({ order: "due", cursor }),
      ),
    ])
      expect(await api.ask(ben, "tasks.list", input), JSON.stringify(input)).toEqual({
        ...{ status: 400, body: { error: "Invalid cursor format" } },
      });
    expect(await api.ask(ben, "tasks.list", { order: "text" })).toMatchObject({ status: 400 });
    expect((await api.call(ben.key, "me/tasks.list", { order: "due" })).status).toBe(400);
    expect((await api.call(ben.key, "me/tasks.list", { cursor: due })).status).toBe(400);
  });
});

describe("cursor", () => {
  const page = (who: Person, input: object) => api.data(who.key, "me/tasks.list", input);

  test("200: is only the time if the next task has another one, and gets an id between equal times", async () => {
    const anna = await given.person();
    const meeting = await given.meeting(anna);
    await insertTasks(api.db, meeting, { count: 3, createdAt: "2025-04-01T00:00:00.000Z", prefix: "a_" });
    await insertTasks(api.db, meeting, { count: 1, createdAt: "2025-04-02T00:00:00.000Z", prefix: "b_" });
    const first = await page(anna, { limit: 1 });
    expect(first.nextCursor).toBe("2025-04-02T00:00:00.000Z");
    const second = await page(anna, { limit: 2, cursor: first.nextCursor });
    expect(second.nextCursor).toBe(`2025-04-01T00:00:00.000Z::${second.tasks[1]?.id}`);
    const third = await page(anna, { limit: 2, cursor: second.nextCursor });
    expect([third.tasks.length, third.nextCursor]).toEqual([1, null]);
  });

  test.each(["me/tasks.list", "workspace/tasks.list"] as const)(
    "200: paging %s, tasks of one millisecond, while tasks are added",
    async (route) => {
      const count = 500;
      const company = await given.company();
      const anna = await given.member(company);
      const meeting = await given.meeting(anna);
      const createdAt = "2025-04-01T00:00:00.123Z";
      await insertTasks(api.db, meeting, { count, createdAt, prefix: "old_" });
      const seen: string[] = [];
      let cursor: string | null = null;
      for (let pages = 1; pages === 1 || cursor !== null; pages++) {
        const answer: { tasks: { id: string }[]; nextCursor: string | null } = await api.data(
          route.startsWith("me") ? anna.key : company.key,
          route,
          { limit: 25, ...(cursor === null ? {} : { cursor }) },
        );
        seen.push(...answer.tasks.map((task) => task.id));
        cursor = answer.nextCursor;
        if (pages % 10 === 0)
          for (const [prefix, time] of [
            ["newer_", "2025-04-01T00:00:00.124Z"],
            ["n_", createdAt],
            ["p_", createdAt],
          ] as const)
            await insertTasks(api.db, meeting, {
              count: 10,
              createdAt: time,
              prefix: `${prefix}${pages}`,
            });
      }
      expect(seen.filter((id) => id.startsWith("old_"))).toHaveLength(count);
      expect(new Set(seen).size).toBe(seen.length);
    },
  );

  test("200: a meeting shared by two tags takes no other's place on a page", async () => {
    const company = await given.company();
    const [anna, ben] = [await given.member(company), await given.member(company)];
    const [twice, once] = [
      await given.meetingSharedByTag(anna, ben),
      await given.meetingSharedByTag(anna, ben),
    ];
    await given.tagShared(await given.tagged(twice, "Second"), ben);
    await insertTasks(api.db, twice, { count: 6, createdAt: "2025-03-15T00:00:00.000Z", prefix: "new" });
    await insertTasks(api.db, once, { count: 1, createdAt: "2025-03-14T00:00:00.000Z", prefix: "old" });
    const { tasks } = await page(ben, { limit: 7 });
    expect(tasks.map(({ meetingId }) => meetingId)).toEqual([
      ...Array(6).fill(twice.meetingId),
      once.meetingId,
    ]);
  });

  test("200: paging over tasks from several sources repeats and skips none", async () => {
    const company = await given.company();
    const [anna, ben] = [await given.member(company), await given.member(company)];
    const direct = await given.meetingSharedDirectly(anna, ben);
    const both = await given.meetingSharedByTag(anna, ben);
    await given.shared(both, ben);
    const own = await given.meeting(ben);
    const times = { count: 100, sameTime: 11 };
    for (const meeting of [direct, both, own]) await insertTasks(api.db, meeting, times);
    const seen: string[] = [];
    let cursor: string | null = null;
    do {
      const answer: { tasks: { id: string; createdAt: string }[]; nextCursor: string | null } = await page(
        ben,
        {
          limit: 17,
          ...(cursor === null ? {} : { cursor }),
        },
      );
      seen.push(...answer.tasks.map((task) => `${task.createdAt} ${task.id}`));
      cursor = answer.nextCursor;
    } while (cursor !== null);
    expect(seen).toHaveLength(300);
    expect(seen).toEqual([...new Set(seen)].sort().reverse());
  });
});

test("200: after a rename of its meeting, a task shows the new title", async () => {
  const anna = await given.person();
  const { meetingId } = await given.meeting(anna, { tasks: [{ text: "x" }] });
  await api.db.execute(sql`update meetings set title = 'Renamed' where id = ${meetingId}`);
  expect((await api.data(anna.key, "me/tasks.list")).tasks[0]?.meetingTitle).toBe("Renamed");
});

test("200: observers see one name, whatever the filters and the page", needs("embedded"), async () => {
  const anna = await given.person();
  const names = new Set<string>();
  observeStatements(api.db, ({ name }) => names.add(name));
  const startDate = "2026-01-01";
  for (const input of [{}, { limit: 3, completed: true }, { completed: false, startDate, meetingId: "x" }])
    await texts(anna, "me", input);
  expect([...names].filter((name) => name.startsWith("tasks_"))).toEqual(["tasks_visible_newest"]);
});
