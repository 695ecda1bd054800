import { insertMeetings, openTestApi, type Person, type TestApi } from "@minutes/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

let api: TestApi;
let given: TestApi["given"];
/** One meeting at each of these times, which is also its title. */
const STARTS = [
  "2025-03-31T23:59:59.999Z",
  "2025-04-01T00:00:00.000Z",
  "2025-04-01T12:00:00.000Z",
  "2025-04-01T23:59:59.999Z",
  "2025-04-02T00:00:00.000Z",
];
let anna: Person;
let companyKey: string;
beforeAll(async () => {
  api = await openTestApi();
  given = api.given;
  const company = await given.company();
  companyKey = company.key;
  anna = await given.member(company, { email: "anna@example.com" });
  for (const startTime of STARTS) await given.meeting(anna, { startTime, title: startTime });
});
afterAll(() => api.close());

/** Returns the starts of the listed meetings, oldest first, which must be the same for both kinds of key. */
async function starts(input: object): Promise<string[]> {
  const [mine, theirs] = [
    await api.data(anna.key, "me/meetings.list", input),
    await api.data(companyKey, "workspace/meetings.list", input),
  ];
  expect(mine).toEqual(theirs);
  return mine.meetings.map((meeting) => meeting.startTime).reverse();
}
/** Returns the refusal, which must be the same for both list procedures. */
async function refusals(input: object) {
  const answers = [
    await api.call(anna.key, "me/meetings.list", input),
    await api.call(companyKey, "workspace/meetings.list", input),
    await api.call(anna.key, "me/tasks.list", input),
    await api.call(companyKey, "workspace/tasks.list", input),
  ];
  return [...new Set(answers.map(({ status, body }) => `${status} ${JSON.stringify(body)}`))];
}

describe("dates", () => {
  test("200: a day means that UTC day, from its first through its last instant", async () => {
    expect(await starts({ startDate: "2025-04-01" })).toEqual(STARTS.slice(1));
    expect(await starts({ endDate: "2025-04-01" })).toEqual(STARTS.slice(0, 4));
    expect(await starts({ startDate: "2025-04-01", endDate: "2025-04-01" })).toEqual(STARTS.slice(1, 4));
  });

  test("200: a date-time with a zone means that instant, inclusive", async () => {
    expect(await starts({ startDate: "2025-04-01T12:00:00Z", endDate: "2025-04-01T12:00:00.000Z" })).toEqual([
      STARTS[2],
    ]);
    expect(
      await starts({ startDate: "2025-04-01T14:00:00+02:00", endDate: "2025-04-01T06:00-06:00" }),
    ).toEqual([STARTS[2]]);
    expect(await starts({ startDate: "2025-04-01T12:00:00.0001Z" })).toEqual(STARTS.slice(3));
  });

  test("200: a start after the end gives an empty list", async () => {
    expect(await starts({ startDate: "2025-04-02", endDate: "2025-04-01" })).toEqual([]);
  });

  test("200: leap days and the first and last years exist", async () => {
    expect(await starts({ startDate: "2024-02-29", endDate: "9999-12-31" })).toEqual(STARTS);
    expect(await starts({ startDate: "0001-01-01", endDate: "0001-01-01" })).toEqual([]);
  });

  const BAD = [
    "2025-02-30",
    "2023-02-29",
    "2025-13-01",
    "2025-00-10",
    "2025-4-1",
    "20250401",
    "0000-01-01",
    "+275760-09-13",
    "10000-01-01",
    "2025-04-01T12:00:00",
    "2025-04-01 12:00:00Z",
    "2025-04-01T24:00:00Z",
    "2025-04-01T12:60:00Z",
    "2025-04-01T12:00:00+24:00",
    "2025-W14-2",
    "today",
    "",
    " 2025-04-01",
    "2025-04-01'--",
    "infinity",
    20250401,
    null,
    true,
    {},
    ["2025-04-01"],
  ];
  test.each(BAD)("400: %j is not a date", async (bad) => {
    expect(await refusals({ startDate: bad })).toEqual(['400 {"error":"Invalid startDate format"}']);
    expect(await refusals({ endDate: bad })).toEqual(['400 {"error":"Invalid endDate format"}']);
  });
});

describe("limit", () => {
  test.each([1, 2, 5, 100])("200: %d", async (limit) => {
    expect(await starts({ limit })).toHaveLength(Math.min(limit, STARTS.length));
  });

  test.each([0, -1, 101, 2.5, 1e9, "5", null, true, [], {}])("400: %j", async (limit) => {
    expect(await refusals({ limit })).toEqual(['400 {"error":"limit must be an integer from 1 to 100."}']);
  });

  test("200: 50 when absent", async () => {
    const ben = await given.person();
    await insertMeetings(api.db, ben, { count: 60 });
    const page = await api.data(ben.key, "me/meetings.list");
    expect(page.meetings).toHaveLength(50);
    const rest = await api.data(ben.key, "me/meetings.list", { cursor: page.nextCursor });
    expect([rest.meetings.length, rest.nextCursor]).toEqual([10, null]);
  });
});

describe("cursor", () => {
  test("200: is the last row's start and id, and null at the end", async () => {
    const page = await api.data(anna.key, "me/meetings.list", { limit: 2 });
    const last = page.meetings[1];
    expect(page.nextCursor).toBe(`${last?.startTime}::${last?.id}`);
    const rest = await api.data(anna.key, "me/meetings.list", { limit: 3, cursor: page.nextCursor });
    expect(rest.meetings.map((m) => m.title)).toEqual([STARTS[2], STARTS[1], STARTS[0]]);
    expect(rest.nextCursor).toBeNull();
  });

  test("200: can be combined with dates, and works after its row was deleted", async () => {
    const cursor = "2025-04-01T23:59:59.999Z::\u{10FFFF}";
    expect(await starts({ cursor, startDate: "2025-04-01" })).toEqual(STARTS.slice(1, 4));
    expect(await starts({ cursor: "2025-04-01T00:00:00+00:00::!" })).toEqual(STARTS.slice(0, 1));
  });

  test.each([
    "",
    "x",
    "::",
    "2025-04-01::mtg_1",
    "2025-04-01T00:00:00.000Z",
    "2025-04-01T00:00:00.000Z::",
    "2025-02-30T00:00:00.000Z::mtg_1",
    "2025-04-01T00:00:00::mtg_1",
    `2025-04-01T00:00:00.000Z::${"x".repeat(129)}`,
    5,
    null,
    {},
  ])("400: %j is not a meeting cursor", async (cursor) => {
    for (const [key, route] of [
      [anna.key, "me/meetings.list"],
      [companyKey, "workspace/meetings.list"],
    ] as const) {
      const answer = await api.call(key, route, { cursor });
      expect([answer.status, answer.body]).toEqual([400, { error: "Invalid cursor format" }]);
    }
  });
});

describe("userEmail, of the workspace list", () => {
  const titles = async (key: string, userEmail: string) =>
    (await api.data(key, "workspace/meetings.list", { userEmail })).meetings.length;

  test("200: one member's meetings, in any case; none of a non-member's", async () => {
    const company = await given.company();
    const ben = await given.member(company, { email: "Ben@Example.com" });
    await given.meeting(ben);
    await given.meeting(company.admin);
    expect(await titles(company.key, "ben@example.com")).toBe(1);
    expect(await titles(company.key, "BEN@EXAMPLE.COM")).toBe(1);
    expect(await titles(company.key, "anna@example.com")).toBe(0);
    expect(await titles(company.key, "nobody")).toBe(0);
    await given.leaves(ben);
    expect(await titles(company.key, "ben@example.com")).toBe(0);
  });

  test.each(["", null, 5, `${"x".repeat(250)}@x.de`])("400: %j", async (userEmail) => {
    const answer = await api.call(companyKey, "workspace/meetings.list", { userEmail });
    expect([answer.status, answer.body]).toEqual([
      400,
      { error: "userEmail must be a string of 1 to 254 characters." },
    ]);
  });

  test("400: is unknown on personal routes, and so is tag on workspace routes", async () => {
    const mine = await api.call(anna.key, "me/meetings.list", { userEmail: anna.email });
    expect([mine.status, mine.body]).toEqual([400, { error: 'Unknown field: "userEmail".' }]);
    expect((await api.call(anna.key, "me/tasks.list", { userEmail: anna.email })).status).toBe(400);
    const theirs = await api.call(companyKey, "workspace/meetings.list", { tag: "x" });
    expect([theirs.status, theirs.body]).toEqual([400, { error: 'Unknown field: "tag".' }]);
  });
});

describe("tag, of the personal list", () => {
  const under = async (who: Person, tag: string) =>
    (await api.data(who.key, "me/meetings.list", { tag })).meetings.map((meeting) => meeting.id);

  test("200: own tags and those shared with the caller, together; exact name", async () => {
    const company = await given.company();
    const [ben, cleo] = [await given.member(company), await given.member(company)];
    const shared = await given.meetingSharedByTag(ben, cleo, { tag: "plan" });
    const own = await given.meeting(cleo, { tags: [{ name: "plan" }] });
    await given.meeting(cleo, { tags: [{ name: "other" }] });
    expect((await under(cleo, "plan")).sort()).toEqual([shared.meetingId, own.meetingId].sort());
    expect(await under(ben, "plan")).toEqual([shared.meetingId]);
    for (const name of ["Plan", "plan ", "pla", "%", "unknown"]) expect(await under(cleo, name)).toEqual([]);
  });

  test("200: excludes tags of meetings that were shared directly", async () => {
    const company = await given.company();
    const [ben, cleo] = [await given.member(company), await given.member(company)];
    const direct = await given.meetingSharedDirectly(ben, cleo, { tags: [{ name: "bens" }] });
    expect(await under(cleo, "bens")).toEqual([]);
    expect(await under(ben, "bens")).toEqual([direct.meetingId]);
  });

  test.each(["", null, 5, "x".repeat(101)])("400: %j", async (tag) => {
    const answer = await api.call(anna.key, "me/meetings.list", { tag });
    expect([answer.status, answer.body]).toEqual([
      400,
      { error: "tag must be a tag name of 1 to 100 characters." },
    ]);
  });
});

test("200: sorted by start, then id by code point, both descending", async () => {
  const ben = await given.person();
  const ids = ["a", "B", "_", "é", "Z", "10", "9", "🦀", "\uffee"];
  for (const prefix of ids) await insertMeetings(api.db, ben, { count: 1, prefix });
  const { meetings } = await api.data(ben.key, "me/meetings.list");
  const byCodePoint = [...ids].sort((a, b) => Buffer.compare(Buffer.from(b), Buffer.from(a)));
  expect(meetings.map((meeting) => meeting.id.slice(0, -32))).toEqual(byCodePoint);
});
