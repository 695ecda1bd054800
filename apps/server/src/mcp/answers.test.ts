import { schema } from "@minutes/db";
import { type Company, type Meeting, type Person, waitForFeed } from "@minutes/testing";
import { eq } from "drizzle-orm";
import { expect, test } from "vitest";
import { connectAssistant, useTool as use, useAssistantScene } from "../testing/assistant.js";
import type { TestServer } from "../testing/index.js";
import { noteSeveral, suggestNames } from "./tools/similar-names.js";

let server: TestServer;
let company: Company;
let anna: Person;
let meeting: Meeting;
useAssistantScene((scene) => {
  ({ server, company, anna, meeting } = scene);
});

const assistant = (headers: Record<string, string>, url = server.url) => connectAssistant(url, headers);

test("lists, tags and search have the API's payload", async () => {
  const client = await assistant({ "x-api-key": anna.key });
  expect(await use(client, "list_meetings", { limit: 1 })).toEqual(
    await server.data(anna.key, "me/meetings.list", { limit: 1 }),
  );
  expect(await use(client, "list_tags")).toEqual(await server.data(anna.key, "me/tags.list"));
  const { tasks, nextCursor } = await server.data(anna.key, "me/tasks.list");
  // Due dates, and whether the caller can complete a task, are additions to the API's rows.
  expect(await use(client, "list_tasks")).toEqual({
    tasks: tasks.map((task: object) => ({ ...task, due: null, canComplete: true })),
    nextCursor,
  });
});

test("changes are told since a cursor, and neither waited for nor sent with details", async () => {
  const ben = await server.given.member(company);
  const client = await assistant({ "x-api-key": ben.key });
  const { meetingId, taskIds } = await server.given.meeting(ben, { tasks: [{ text: "Tell" }] });
  await waitForFeed(server.db);
  const ids = ({ changes }: { changes: { id: string }[] }) => changes.map(({ id }) => id);
  let page = await use(client, "list_changes", { limit: 1 });
  expect([ids(page), page.hasMore]).toEqual([[meetingId], true]);
  page = await use(client, "list_changes", { cursor: page.nextCursor });
  expect([ids(page), page.hasMore]).toEqual([taskIds, false]);
  await server.data(ben.key, "me/tasks.update", { taskId: taskIds[0] ?? "", completed: true });
  await expect
    .poll(async () => ids(await use(client, "list_changes", { cursor: page.nextCursor })))
    .toEqual(taskIds);
  for (const args of [{ wait: 1 }, { include: ["detail"] }])
    expect(await use(client, "list_changes", args)).toEqual({
      refused: expect.stringMatching(/wait|include/),
    });
  const workspace = await assistant({ "x-api-key": company.key });
  expect((await use(workspace, "list_changes", { limit: 100 })).changes).not.toEqual([]);
});

test("search comes with speakers and times, five results unless asked for more, and filters", async () => {
  const client = await assistant({ "x-api-key": anna.key });
  const { meetingId } = meeting;
  const found = await use(client, "search_meetings", { query: "turbines" });
  const { results } = await server.data(anna.key, "me/meetings.search", { query: "turbines" });
  expect(found).toMatchObject({ results: [...results], allTime: null });
  expect(found.results[0].link).toMatch(/\/meetings\/[\w]+\?at=\d+$/);
  expect(found.results[0]).toMatchObject({ meetingId });
  const guest = { position: 1, speakerName: "Guest", startSeconds: 2, endSeconds: 5 };
  expect(found.results[0].segments).toContainEqual(guest);
  expect(await use(client, "search_meetings", { query: "turbines", person: "Nobody" })).toEqual({
    results: [],
    allTime: null,
    note: "Nothing was found in own and shared meetings of the last 6 months, in which Nobody spoke. Searched by words only: try other words.",
  });
  expect(await use(client, "search_meetings", { query: "turbines", limit: 0 })).toEqual({
    refused: "limit must be an integer from 1 to 100.",
  });
  const tools = (await client.listTools()).tools.find(({ name }) => name === "search_meetings");
  const { limit, tag, person } = (tools?.inputSchema.properties ?? {}) as Record<string, object>;
  expect([limit, tag, person]).toMatchObject([{ maximum: 40 }, { maxLength: 100 }, { maxLength: 254 }]);
});

test("a name that matches several people gets a note, a name that matches one doesn't", async () => {
  const dan = await server.given.member(company);
  for (const speakerName of ["Marek Nowak", "Marek Novotny"])
    await server.given.meeting(dan, {
      transcript: [{ speakerId: "s", speakerName, text: "The turbines." }],
      tasks: [{ text: "Call", assignee: { name: speakerName } }],
    });
  for (const speakerEmail of ["ola@north.example", "ola@south.example", undefined])
    await server.given.meeting(dan, {
      transcript: [{ speakerId: "s", speakerName: "Ola Berg", speakerEmail, text: "The turbines." }],
      tasks: [{ text: "Call", assignee: { name: "Ola Berg", email: speakerEmail } }],
    });
  const client = await assistant({ "x-api-key": dan.key });
  for (const [tool, field, args] of [
    ["find_meetings", "person", {}],
    ["list_tasks", "assignee", {}],
    ["search_meetings", "person", { query: "turbines" }],
  ] as const) {
    const noteOf = async (name: string) => {
      const answer = await use(client, tool, { ...args, [field]: name });
      expect(answer.refused, tool).toBeUndefined();
      return answer.note ?? "";
    };
    expect(await noteOf("marek"), tool).toMatch(
      /Several people match this name: Marek Nov\w+, Marek Now\w+\. Ask/,
    );
    expect(await noteOf("Marek Novotny"), tool).not.toContain("Several");
    // The third has no address, and is taken for one of them.
    expect(await noteOf("Ola Berg"), tool).toMatch(/: Ola Berg \(ola@\w+\S+\), Ola Berg \(ola@\S+\)\. Ask/);
    // An address can be longer than a name.
    expect(await noteOf("x".repeat(254)), tool).not.toContain("Several");
  }
  const ask = async (name: string) =>
    (await use(client, "ask", { question: `What did ${name} say about turbines?` })).note ?? "";
  expect(await ask("Marek")).toMatch(/Several people match this name: Marek/);
  expect(await ask("Marek Novotny")).not.toContain("Several");
  const { nextCursor } = await use(client, "list_tasks", { assignee: "marek", limit: 1 });
  const next = await use(client, "list_tasks", { assignee: "marek", limit: 1, cursor: nextCursor });
  expect([next.tasks.length, next.note]).toEqual([1, undefined]);
});

test("a note that fails leaves the answer as it is", async () => {
  const run = async () => {
    throw new Error("The database is busy.");
  };
  expect(await noteSeveral({ run }, { person: "Marek" })).toBe("");
  expect(await suggestNames({ run }, { person: "Marek" })).toBe("");
});

test("an empty summary is told from a locked one, except with a workspace key", async () => {
  const { meetingId } = await server.given.meeting(anna, {
    summary: { markdown: "Secret", short: "Secret" },
  });
  const lock = (locked: boolean, markdown: string) =>
    server.db
      .update(schema.summaries)
      .set({ locked, markdown })
      .where(eq(schema.summaries.meetingId, meetingId));
  const read = async (key: string) => {
    const client = await assistant({ "x-api-key": key });
    const { contents } = await client.readResource({ uri: `minutes://meeting/${meetingId}` });
    const { note } = await use(client, "get_meeting", { meetingId });
    return `${note} ${(contents[0] as { text: string }).text}`;
  };
  const told = (reason: string) => {
    const said = new RegExp(`^${reason}: read its transcript with get_transcript\\. [^]*\n\n${reason}\\.$`);
    return expect.stringMatching(said);
  };
  const unsaid = told("It has no summary, or a locked one");
  await lock(true, "Secret");
  expect([await read(anna.key), await read(company.key)]).toEqual([told("Its summary is locked"), unsaid]);
  await lock(false, "");
  expect([await read(anna.key), await read(company.key)]).toEqual([told("It has no summary"), unsaid]);
});

test("a misspelled name gets suggestions from people the caller can see, and nobody else", async () => {
  const [ben, cara] = [await server.given.member(company), await server.given.member(company)];
  const speaks = (speakerName: string) => ({
    title: "Corrections",
    transcript: [{ speakerId: "s", speakerName, text: "The turbines." }],
    tasks: [{ text: "Call", assignee: { name: speakerName } }],
  });
  for (const name of ["Clémence Lindqvist", "Clemanz Moor"]) await server.given.meeting(ben, speaks(name));
  await server.given.meeting(cara, speaks("Clemancia Hidden"));
  const client = await assistant({ "x-api-key": ben.key });
  const noteOf = async (tool: string, args: object) => (await use(client, tool, { ...args })).note;
  for (const [tool, args] of [
    ["find_meetings", { person: "Clemance" }],
    ["list_tasks", { assignee: "clemance" }],
    ["list_people", { name: "Clemance" }],
    ["search_meetings", { query: "turbines", person: "Clemance" }],
    ["ask", { question: "Which zeppelin did Clemance promise?" }],
  ] as const)
    expect(await noteOf(tool, args), tool).toMatch(/ Did you mean Clémence Lindqvist or Clemanz Moor\?$/);
  expect(await noteOf("find_meetings", { person: "Lindquist" })).toMatch(
    / Did you mean Clémence Lindqvist\?$/,
  );
  expect(await noteOf("find_meetings", { person: "Clemancio" })).not.toContain("Hidden");
  for (const person of ["Zoe", "Xq", "clemant@moor.example"])
    expect(await noteOf("find_meetings", { person }), person).not.toContain("Did you mean");
  // The name exists, but not with the other filter.
  expect(await noteOf("find_meetings", { person: "Clemanz", text: "zeppelin" })).not.toContain(
    "Did you mean",
  );
});

test("a meeting comes without its transcript, which comes in pages", async () => {
  const client = await assistant({ "x-api-key": anna.key });
  const { meetingId } = meeting;
  const { transcript, summary, tasks, ...whole } = await server.data(anna.key, "me/meetings.get", {
    meetingId,
  });
  expect(await use(client, "get_meeting", { meetingId })).toEqual({
    ...whole,
    summary: { markdown: summary.markdown, short: summary.short },
    ...{ recordedBy: anna.name, eventFromCalendar: false, hasAudio: false, summaryLocked: false },
    ...{ newSummary: null, summaryOrigin: null },
    ...{ recordingUrl: null, startPrecision: null },
    tasks: tasks.map(({ content, completed, assignee }: (typeof tasks)[number]) => ({
      ...{ id: expect.any(String), text: content, completed, due: null },
      assignee: assignee && { ...assignee, id: expect.toSatisfy((id) => id === null || id !== "") },
    })),
    transcriptPages: 1,
    url: expect.stringMatching(new RegExp(`/meetings/${meetingId}$`)),
    version: 1,
  });
  expect(await use(client, "get_transcript", { meetingId })).toEqual({
    meetingId,
    title: whole.title,
    page: 1,
    pages: 1,
    transcript,
  });
  expect(await use(client, "get_transcript", { meetingId, page: 2 })).toEqual({
    refused: "The transcript has 1 page.",
  });
  expect(await use(client, "get_transcript", { meetingId, page: 0 })).toEqual({
    refused: "page must be an integer from 1.",
  });
});

test("turns are read around a position, and counted", async () => {
  const client = await assistant({ "x-api-key": anna.key });
  const { meetingId } = meeting;
  const whole = await use(client, "get_turns", { meetingId, turns: 50 });
  expect(whole.segments.map(({ position }: { position: number }) => position)).toEqual([
    ...whole.segments.keys(),
  ]);
  expect(whole.count).toBe(whole.segments.length);
  expect(await use(client, "get_turns", { meetingId, position: 1, turns: 0 })).toEqual({
    segments: [whole.segments[1]],
    count: whole.count,
    link: expect.stringMatching(`/meetings/${meetingId}\\?at=1$`),
  });
  const ofWorkspace = await assistant({ "x-api-key": company.key });
  expect(await use(ofWorkspace, "get_turns", { meetingId, turns: 50 })).toEqual(whole);
});

test("search and fetch have the shape that research assistants require", async () => {
  const client = await assistant({ "x-api-key": anna.key });
  const { meetingId } = meeting;
  const { results } = await use(client, "search", { query: "turbines" });
  expect(results[0]).toEqual({
    ...{ id: meetingId, title: expect.stringMatching(/ \(\d{4}-\d\d-\d\d\)$/), text: expect.any(String) },
    url: expect.stringMatching(new RegExp(`/meetings/${meetingId}$`)),
  });
  const document = await use(client, "fetch", { id: meetingId });
  const { transcript } = await server.data(anna.key, "me/meetings.get", { meetingId });
  expect(document).toMatchObject({
    id: meetingId,
    url: results[0].url,
    metadata: { date: expect.any(String) },
  });
  expect(document.text).toContain(`\n\n# Transcript\n\n${transcript}`);
});

test("meetings are found by person, tasks by assignee without accents and by date, and recent has both", async () => {
  const zoe = await server.given.member(company);
  const title = "Plan the fair";
  const { meetingId } = await server.given.meeting(zoe, {
    ...{ title, startTime: new Date(Date.now() - 3_600_000).toISOString() },
    tasks: [{ text: "Book", assignee: { name: "José Ruiz" } }, { text: "Print" }],
  });
  const client = await assistant({ "x-api-key": zoe.key });
  expect((await use(client, "find_meetings", { text: "the FAIR" })).meetings).toMatchObject([
    { id: meetingId, title, openTasks: 2 },
  ]);
  const texts = async (args: Record<string, unknown>) =>
    (await use(client, "list_tasks", args)).tasks.map(({ text }: { text: string }) => text);
  expect(await texts({ assignee: "jose" })).toEqual(["Book"]);
  expect(await texts({ assignee: "jose", completed: true })).toEqual([]);
  expect(await texts({ startDate: "2020-01-01" })).toHaveLength(2);
  expect(await texts({ startDate: "2999-01-01" })).toEqual([]);
  expect(await use(client, "recent")).toMatchObject({
    ...{ meetings: [{ id: meetingId }], tasks: [{ meetingId }, { meetingId }], more: false },
  });
  expect(await use(client, "recent", { since: "2999-01-01" })).toMatchObject({ meetings: [], tasks: [] });
});

test("results of which none is a match come with a note that they are no evidence", async () => {
  const client = await assistant({ "x-api-key": anna.key });
  const weak = "turbines quokka tangerine flugelhorn xylograph zeppelin ukulele";
  const note = "None is a match: they may be about something else, so they are no evidence.";
  const found = await use(client, "search_meetings", { query: weak });
  expect([...new Set(found.results.map(({ relevance }: { relevance: string }) => relevance))]).toEqual([
    "related",
  ]);
  expect(found.note).toBe(`${note} Searched the last 6 months: set startDate for older ones.`);
  const { results, ...rest } = await use(client, "search", { query: weak });
  expect(results).toHaveLength(1);
  expect(rest).toEqual({ note });
  expect((await use(client, "search", { query: "turbines" })).note).toBeUndefined();
  const { note: range } = await use(client, "search_meetings", { query: "turbines" });
  expect(range).toBe("Searched the last 6 months: set startDate for older ones.");
});

test("results can be ordered by date: matches of all time, without what is only related", async () => {
  const ben = await server.given.member(company);
  for (const [days, text] of [
    [3, "The annual discount."],
    [400, "The annual discount."],
    [10, "The annual discount."],
    [500, "An annual report of the yard."],
    [1, "An annual report of the yard."],
  ] as const)
    await server.given.meeting(ben, {
      startTime: new Date(Date.now() - days * 86_400_000).toISOString(),
      transcript: [{ speakerId: "s1", speakerName: "Ben", text }],
    });
  const client = await assistant({ "x-api-key": ben.key });
  const dates = async (order: string) =>
    (await use(client, "search_meetings", { query: "annual discount", order })).results.map(
      ({ meetingDate }: { meetingDate: string }) => meetingDate,
    );
  const oldest = await dates("oldest");
  expect(oldest).toEqual(oldest.toSorted());
  expect(oldest).toHaveLength(3);
  expect(oldest).toEqual((await dates("newest")).toReversed());
});

test.each([
  ["list_tasks", { assignee: 5 }, "assignee must be a string."],
  [
    "list_tasks",
    { startDate: "soon" },
    "Invalid startDate format. Write a day such as 2026-03-14, or an instant with a zone.",
  ],
  [
    "list_tasks",
    { cursor: "none::2025-01-01T00:00:00.000Z::t" },
    "Invalid cursor format. Pass nextCursor as it was returned, and repeat the other arguments.",
  ],
  ["search_meetings", { query: "x", order: "random" }, "order must be one of relevance, newest, oldest."],
  ["search_meetings", { query: "x", order: "oldest", limit: 0 }, "limit must be an integer from 1 to 100."],
  ["list_tasks", { assignee: "x", limit: 101 }, "limit must be an integer from 1 to 100."],
  ["get_turns", { meetingId: "none", turns: 51 }, "turns must not be above 50."],
  [
    "create_task",
    { meetingId: "m", baseVersion: 1, text: "x", assignee: "Bo" },
    "assignee must be an object.",
  ],
  ["update_meeting_tags", { meetingId: "m", add: "new" }, "add must be a list."],
  [
    "find_meetings",
    { startDate: "2026-11-28", endDate: "2026-11-27T23:59:59Z" },
    "startDate must not be after endDate.",
  ],
  [
    "list_tasks",
    { startDate: "2026-11-28", endDate: "2026-11-27T23:59:59Z" },
    "startDate must not be after endDate.",
  ],
  ["recent", { until: "2026-01-01" }, 'Unknown argument: "until". recent takes since.'],
  ["get_person", { id: "none" }, 'Unknown argument: "id". get_person takes personId, everything.'],
  ["search", { query: "" }, "query must be a string of 1 to 1,000 characters after trimming."],
  ["fetch", { id: "none" }, "Meeting not found. See list_meetings for ids."],
  ["share_meeting", {}, "This key has no such tool. See tools/list."],
])("%s %j is refused: %s", async (name, args, message) => {
  expect(await use(await assistant({ "x-api-key": anna.key }), name, args)).toEqual({ refused: message });
});

test("list_meetings is refused as over HTTP", async () => {
  expect(await use(await assistant({ "x-api-key": anna.key }), "list_meetings", { limit: 101 })).toEqual({
    refused: "limit must be an integer from 1 to 100.",
  });
});

test("a refusal of an unknown ID or a missing version names a tool of the key that returns it", async () => {
  const { meetingId } = meeting;
  const of = { meetingId, baseVersion: 1 };
  for (const [key, kind] of [
    [anna.key, "user"],
    [company.key, "workspace"],
  ] as const) {
    const client = await assistant({ "x-api-key": key });
    const names = (await client.listTools()).tools.map(({ name }) => name);
    for (const [tool, args] of [
      ["get_meeting", { meetingId: "none" }],
      ["get_person", { personId: "none" }],
      ["update_task", { taskId: "none", completed: true }],
      ["update_meeting_task", { ...of, taskId: "none", text: "x" }],
      ["name_speaker", { ...of, speakerLabel: "none", name: "x" }],
      ["update_turn", { ...of, turn: 99_999, spokenText: "x" }],
      ["restore_version", { ...of, version: 99 }],
      ["update_meeting", { meetingId, title: "x" }],
      ["update_meeting_tags", { meetingId, remove: ["none"] }],
      ["prepare_event", { eventId: "none" }],
    ] as const) {
      if (!names.includes(tool)) continue;
      const { refused } = await use(client, tool, args);
      const [named] = /\b(?:list|get)_\w+/.exec(refused) ?? [];
      expect([kind, tool, refused, named]).toEqual([kind, tool, refused, expect.toBeOneOf(names)]);
    }
  }
});

test("another's meeting is refused with the API's sentence", async () => {
  const stranger = await server.given.person();
  const client = await assistant({ "x-api-key": stranger.key });
  expect(await use(client, "get_meeting", { meetingId: meeting.meetingId })).toEqual({
    refused: "Access denied. You do not have access to this meeting.",
  });
});
