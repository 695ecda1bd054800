import type { EditedMeeting, EditedSpeaker, MeetingSpeakers } from "@minutes/contract";
import { schema } from "@minutes/db";
import { startTestServer, type TestServer } from "@minutes/server/testing";
import {
  createConsoleCalls,
  type Meeting,
  type MeetingFacts,
  type Person,
  send,
  waitForFeed,
} from "@minutes/testing";
import { eq, sql } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { countName } from "./count-name.js";

let server: TestServer;
let given: TestServer["given"];
beforeAll(async () => {
  server = await startTestServer();
  given = server.given;
});
afterAll(() => server.close());

const READS = ["speakers.list", "meetings.search"];
const { ask, askFor } = createConsoleCalls(() => server, READS);
const edit = ({ owner, meetingId }: Meeting, procedure: string, input: object) =>
  askFor<EditedSpeaker>(owner, `speakers.${procedure}`, { meetingId, ...input });
const listSpeakers = ({ owner, meetingId }: Meeting) =>
  askFor<MeetingSpeakers>(owner, "speakers.list", { meetingId });
const read = ({ owner, meetingId }: Meeting) => server.data(owner.key, "me/meetings.get", { meetingId });
const find = async (who: Person, query: string) => {
  const { results } = await server.data(who.key, "me/meetings.search", { query, startDate: "2000-01-01" });
  return [...new Set(results.map(({ meetingId }) => meetingId))];
};
const findByPerson = async (who: Person, person: string) => {
  const { results } = await askFor<{ results: { meetingId: string }[] }>(who, "meetings.search", {
    ...{ query: "wombat", person, startDate: "2000-01-01" },
  });
  return [...new Set(results.map(({ meetingId }) => meetingId))];
};
const assigneesOf = async (who: Person) =>
  (await server.data(who.key, "me/tasks.list")).tasks.map(({ assignee }) => assignee);

const said = (speakerId: string, speakerName: string, start: number, end: number) => ({
  ...{ speakerId, speakerName, start, end, text: "The wombat sleeps." },
});
const FACTS: MeetingFacts = {
  title: "Weekly",
  startTime: "2025-03-14T09:00:00.000Z",
  transcript: [
    said("s1", "Speaker 1", 0, 2),
    said("s2", "Speaker 2", 2, 5),
    said("s1", "Speaker 1", 5, 9),
    said("s3", "Speaker 3", 9, 10),
  ],
  summary: { markdown: "Speaker 1 asked, Speaker 2 answered Speaker 1 and Speaker 10." },
  tasks: [{ text: "Feed it", assignee: { name: "Speaker 1" } }, { text: "Nobody's" }],
  calendarEvent: {
    externalId: "series_20250314T090000Z",
    attendees: [{ name: "Ada Lovelace", email: "ada.calendar@example.com" }],
  },
};

async function annaWithMeeting(facts: MeetingFacts = {}) {
  const company = await given.company();
  const anna = await given.member(company, { name: "Anna" });
  return { company, anna, meeting: await given.meeting(anna, { ...FACTS, ...facts }) };
}

describe("200: a speaker is assigned to a new person", () => {
  test("in transcript, participants, tasks, search, speaker filter and feed, but not in the summary", async () => {
    const { anna, meeting } = await annaWithMeeting();
    const { meetingId } = meeting;
    const own = (await read(meeting)).participants[0]?.id;
    await waitForFeed(server.db);
    const first = await server.data(anna.key, "sync/me/changes.list");
    const named = await edit(meeting, "assign", { speakerLabel: "s1", baseVersion: 1, name: "Gustav Klimt" });
    expect(named).toEqual({
      ...{ meetingId, version: 2, speakerLabel: "s1", formerName: "Speaker 1", formerNameInSummary: 2 },
    });
    const after = await read(meeting);
    expect(after.transcript).toMatch(/^\*\*Gustav Klimt\*\*: The wombat sleeps\.\n\n\*\*Speaker 2\*\*/);
    expect(after.participants[0]).toEqual({ id: own, name: "Gustav Klimt", email: null });
    expect(await assigneesOf(anna)).toEqual(
      expect.arrayContaining([{ id: own, name: "Gustav Klimt", email: null }]),
    );
    expect(after.summary.markdown).toContain("Speaker 1 asked");
    expect(await find(anna, "klimt")).toEqual([meetingId]);
    expect(await findByPerson(anna, "Gustav Klimt")).toEqual([meetingId]);
    expect(await findByPerson(anna, "Speaker 1")).toEqual([]);
    await waitForFeed(server.db);
    const { changes } = await server.data(anna.key, "sync/me/changes.list", { cursor: first.nextCursor });
    expect(changes).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ type: "meeting", op: "upsert", id: meetingId }),
        expect.objectContaining({
          ...{ type: "task", op: "upsert" },
          data: expect.objectContaining({ assignee: { id: own, name: "Gustav Klimt", email: null } }),
        }),
      ]),
    );
  });

  test("with an address is the same person in every meeting, and undone by restoring the version", async () => {
    const { anna, meeting } = await annaWithMeeting();
    const { meetingId } = meeting;
    const before = await read(meeting);
    const other = await given.meeting(anna, {
      transcript: [{ ...said("x", "Zoe", 0, 1), speakerEmail: "zoe.named@example.com" }],
    });
    const who = { name: "Zoë", email: "Zoe.Named@example.com" };
    await edit(meeting, "assign", { speakerLabel: "s1", baseVersion: 1, ...who });
    const zoe = (await read(other)).participants[0]?.id;
    expect((await read(meeting)).participants[0]).toEqual({
      ...{ id: zoe, name: "Zoë", email: "zoe.named@example.com" },
    });
    await askFor(anna, "meetings.restoreVersion", { meetingId, version: 1, baseVersion: 2 });
    expect(await read(meeting)).toEqual(before);
    await askFor(anna, "meetings.restoreVersion", { meetingId, version: 2, baseVersion: 3 });
    expect((await read(meeting)).participants[0]).toMatchObject({ id: zoe, name: "Zoë" });
  });

  test("keeps the name when the recorder replaces the meeting, by label", async () => {
    const { company, anna, meeting } = await annaWithMeeting({ externalId: "named-and-replaced" });
    await edit(meeting, "assign", { speakerLabel: "s1", baseVersion: 1, name: "Gustav" });
    const [gustav, second] = (await read(meeting)).participants;
    const answer = await server.call(await given.ingestKey(company), "ingest/meetings.import", {
      ...{ ...FACTS, externalId: "named-and-replaced", ownerEmail: anna.email, replace: true },
      transcript: [said("s1", "Speaker A", 0, 1), said("s2", "Speaker B", 1, 2)],
    });
    expect(answer.status).toBe(200);
    expect((await read(meeting)).participants).toEqual([gustav, { ...second, name: "Speaker B" }]);
  });
});

describe("200: a speaker is assigned to an existing person", () => {
  test("of another meeting, who becomes one person; a name with it counts in this meeting only", async () => {
    const { anna, meeting } = await annaWithMeeting();
    const other = await given.meeting(anna, { transcript: [said("x", "Guest", 0, 1)] });
    const guest = (await read(other)).participants[0]?.id ?? "";
    await edit(meeting, "assign", { speakerLabel: "s1", baseVersion: 1, personId: guest });
    await edit(meeting, "assign", { speakerLabel: "s2", baseVersion: 2, personId: guest, name: "G." });
    expect((await read(meeting)).participants).toMatchObject([
      { id: guest, name: "Guest" },
      { id: guest, name: "G." },
      { name: "Speaker 3" },
    ]);
    expect((await read(other)).participants).toMatchObject([{ id: guest, name: "Guest" }]);
  });

  test("404: a person the caller can't see, whether in the same workspace or another", async () => {
    const { company, anna, meeting } = await annaWithMeeting();
    const boris = await given.member(company);
    const hidden = await given.meeting(boris, { transcript: [said("x", "Hidden", 0, 1)] });
    const stranger = await given.meeting(await given.person(), { transcript: [said("x", "Else", 0, 1)] });
    for (const one of [hidden, stranger]) {
      const personId = (await read(one)).participants[0]?.id;
      const input = { meetingId: meeting.meetingId, speakerLabel: "s1", baseVersion: 1, personId };
      expect(await ask(anna, "speakers.assign", input)).toEqual({
        status: 404,
        body: { error: "No such person." },
      });
    }
    await given.shared(hidden, anna);
    const personId = (await read(hidden)).participants[0]?.id;
    await edit(meeting, "assign", { speakerLabel: "s1", baseVersion: 1, personId });
    expect((await read(meeting)).participants[0]).toMatchObject({ id: personId, name: "Hidden" });
  });
});

describe("200: speakers are merged and split", () => {
  test("a merge gives turns and tasks to the other speaker, and can be undone", async () => {
    const { anna, meeting } = await annaWithMeeting();
    const { meetingId } = meeting;
    const before = await read(meeting);
    const merged = await edit(meeting, "merge", { speakerLabel: "s1", intoLabel: "s2", baseVersion: 1 });
    expect(merged).toMatchObject({ version: 2, speakerLabel: "s2", formerNameInSummary: 2 });
    const after = await read(meeting);
    expect(after.participants.map(({ name }) => name)).toEqual(["Speaker 2", "Speaker 3"]);
    expect(after.participants[0]?.id).toBe(before.participants[1]?.id);
    expect(after.tasks[0]?.assignee).toEqual({ name: "Speaker 2", email: null });
    expect(await findByPerson(anna, "Speaker 1")).toEqual([]);
    expect((await listSpeakers(meeting)).speakers[0]).toMatchObject({ turns: 3, talkSeconds: 9 });
    await askFor(anna, "meetings.restoreVersion", { meetingId, version: 1, baseVersion: 2 });
    expect(await read(meeting)).toEqual(before);
  });

  test("a merge of two speakers who are the same person keeps the person of their tasks", async () => {
    const { anna, meeting } = await annaWithMeeting();
    const who = { name: "Zoe", email: "zoe.twice@example.com" };
    await edit(meeting, "assign", { speakerLabel: "s1", baseVersion: 1, ...who });
    await edit(meeting, "assign", { speakerLabel: "s2", baseVersion: 2, ...who });
    const [zoe] = (await read(meeting)).participants;
    await edit(meeting, "merge", { speakerLabel: "s1", intoLabel: "s2", baseVersion: 3 });
    expect(await assigneesOf(anna)).toEqual(expect.arrayContaining([zoe]));
  });

  test("a split moves turns to a new speaker, and can be undone", async () => {
    const { anna, meeting } = await annaWithMeeting();
    const { meetingId } = meeting;
    const before = await read(meeting);
    const split = await edit(meeting, "split", {
      ...{ speakerLabel: "s1", baseVersion: 1, turns: [2, 2], name: "Zoe", email: "zoe.split@example.com" },
    });
    expect(split.speakerLabel).toMatch(/^spk_/);
    const { speakers } = await listSpeakers(meeting);
    expect(speakers).toMatchObject([
      { speakerLabel: "s1", turns: 1, talkSeconds: 2, named: false },
      { speakerLabel: "s2", turns: 1 },
      { speakerLabel: "s3", turns: 1 },
      { speakerLabel: split.speakerLabel, name: "Zoe", turns: 1, talkSeconds: 4, named: true },
    ]);
    expect(await findByPerson(anna, "Zoe")).toEqual([meetingId]);
    await askFor(anna, "meetings.restoreVersion", { meetingId, version: 1, baseVersion: 2 });
    expect(await read(meeting)).toEqual(before);
  });
});

describe("refused", () => {
  test.each([
    ["assign", { speakerLabel: "s9", name: "X" }, 404, "The meeting has no speaker with this label."],
    ["assign", { speakerLabel: "s1" }, 400, "Say who it is: a personId, a name, or a name and an email."],
    [
      "assign",
      { speakerLabel: "s1", personId: "per_x", email: "x@example.com" },
      400,
      "Give either a personId or an email.",
    ],
    ["merge", { speakerLabel: "s1", intoLabel: "s1" }, 400, "A speaker can't be merged with themselves."],
    ["merge", { speakerLabel: "s1", intoLabel: "s9" }, 404, "The meeting has no speaker with this label."],
    ["split", { speakerLabel: "s1", turns: [1], name: "X" }, 400, "All turns must be turns of this speaker."],
    [
      "split",
      { speakerLabel: "s1", turns: [0, 99], name: "X" },
      400,
      "All turns must be turns of this speaker.",
    ],
    [
      ...(["split", { speakerLabel: "s1", turns: [0, 2], name: "X" }, 400] as const),
      "At least one turn must stay with the speaker. Assign the speaker to somebody else instead.",
    ],
  ] as const)("speakers.%s with %j: %i", async (procedure, input, status, error) => {
    const { anna, meeting } = await annaWithMeeting();
    const before = await read(meeting);
    expect(
      await ask(anna, `speakers.${procedure}`, { meetingId: meeting.meetingId, baseVersion: 1, ...input }),
    ).toEqual({ status, body: { error } });
    expect(await read(meeting)).toEqual(before);
  });

  test("409: a stale base", async () => {
    const { anna, meeting } = await annaWithMeeting();
    await edit(meeting, "assign", { speakerLabel: "s1", baseVersion: 1, name: "Gustav" });
    const { meetingId } = meeting;
    const answer = await ask(anna, "speakers.assign", {
      ...{ meetingId, speakerLabel: "s2", baseVersion: 1, name: "Late" },
    });
    expect(answer).toMatchObject({ status: 409, body: { error: expect.stringContaining("participants") } });
  });

  test("403: readers of a share can list speakers, without suggestions, and change none; read-only keys neither", async () => {
    const { company, anna, meeting } = await annaWithMeeting();
    const { meetingId } = meeting;
    const boris = await given.member(company);
    await given.shared(meeting, boris);
    const listed = await askFor<MeetingSpeakers>(boris, "speakers.list", { meetingId });
    expect(listed.speakers).toHaveLength(3);
    expect(listed.suggestions).toEqual([]);
    const base = { meetingId, speakerLabel: "s1", baseVersion: 1 };
    for (const [procedure, input] of [
      ["assign", { name: "X" }],
      ["merge", { intoLabel: "s2" }],
      ["split", { turns: [0], name: "X" }],
    ] as const)
      for (const who of [boris, company.admin])
        expect(await ask(who, `speakers.${procedure}`, { ...base, ...input })).toEqual({
          status: 403,
          body: { error: "Access denied. You can only edit your own meetings." },
        });
    expect((await ask(company.admin, "speakers.list", { meetingId })).status).toBe(403);
    const rest = (key: string, routes: string, method: string, path: string, body?: object) =>
      send(server.url, `/rest/v1/${routes}/meetings/${meetingId}/speakers${path}`, {
        method,
        headers: { "x-api-key": key, "content-type": "application/json" },
        ...(body ? { body: JSON.stringify(body) } : {}),
      });
    await server.db.update(schema.apiKeys).set({ access: "read" }).where(eq(schema.apiKeys.id, anna.keyId));
    expect(await rest(anna.key, "me", "PATCH", "/s1", { baseVersion: 1, name: "X" })).toMatchObject({
      status: 403,
      body: { error: "This API key is read-only." },
    });
    expect((await rest(company.key, "workspace", "PATCH", "/s1", { baseVersion: 1, name: "X" })).status).toBe(
      200,
    );
    expect(
      (await rest(company.key, "workspace", "POST", "/s2/merge", { baseVersion: 2, intoLabel: "s1" })).status,
    ).toBe(200);
    const turns = { baseVersion: 3, turns: [0], name: "Y" };
    expect((await rest(company.key, "workspace", "POST", "/s1/split", turns)).status).toBe(200);
    expect((await rest(company.key, "workspace", "GET", "")).body).toMatchObject({ version: 4 });
    await given.leaves(anna);
    expect((await rest(company.key, "workspace", "GET", "")).status).toBe(403);
  });
});

describe("suggestions", () => {
  test("attendees first, then people of earlier meetings of the series or with the title, then members", async () => {
    const company = await given.company();
    const anna = await given.member(company, { name: "Anna" });
    const boris = await given.member(company);
    const earlier = (facts: MeetingFacts, name: string, owner = anna) =>
      given.meeting(owner, {
        ...{ title: "Else", startTime: "2025-03-07T09:00:00.000Z", ...facts },
        transcript: [
          { ...said("x", name, 0, 1), speakerEmail: `${name.toLowerCase()}.sug@example.com` },
          said("y", "Guest", 1, 2),
        ],
      });
    await earlier({ title: "Weekly" }, "Titus");
    await earlier({ calendarEvent: { externalId: "series_20250307T090000Z" } }, "Serena");
    await earlier({ calendarEvent: { externalId: "other_20250307T090000Z" } }, "Otto");
    await earlier({ title: "Weekly", startTime: "2025-04-01T09:00:00.000Z" }, "Later");
    await earlier({ title: "Weekly" }, "Secret", boris);
    const meeting = await given.meeting(anna, FACTS);
    const { suggestions } = await listSpeakers(meeting);
    expect(suggestions.map(({ name, reason }) => `${reason} ${name}`)).toEqual([
      "attendee Ada Lovelace",
      "series Serena",
      "series Titus",
      ...[anna, boris, company.admin].map(({ name }) => `member ${name}`).toSorted(),
    ]);
    const titus = suggestions.find(({ name }) => name === "Titus");
    expect(titus?.personId).toMatch(/^per_/);
    await edit(meeting, "assign", { speakerLabel: "s1", baseVersion: 1, personId: titus?.personId });
    const rest = (await listSpeakers(meeting)).suggestions;
    expect(rest.map(({ name }) => name)).not.toContain("Titus");
  });
});

test("200: an assignee who didn't speak is identified at once, and follows a restored version", async () => {
  const { anna, meeting } = await annaWithMeeting();
  const { meetingId, taskIds } = meeting;
  const assignee = { name: "Zoe", email: "zoe.tasks@example.com" };
  const input = { meetingId, text: "New", assignee };
  const { version } = await askFor<EditedMeeting>(anna, "tasks.add", { ...input, baseVersion: 1 });
  await askFor(anna, "tasks.edit", { taskId: taskIds[1], baseVersion: version, assignee });
  const ids = (await assigneesOf(anna)).filter((one) => one?.name === "Zoe").map((one) => one?.id);
  expect(ids).toEqual([expect.stringMatching(/^per_/), ids[0]]);
  await askFor(anna, "meetings.restoreVersion", { meetingId, version: 1, baseVersion: 3 });
  await server.db.execute(sql`delete from people where id = ${ids[0]}`);
  await askFor(anna, "meetings.restoreVersion", { meetingId, version: 3, baseVersion: 4 });
  const again = (await assigneesOf(anna)).filter((one) => one?.name === "Zoe").map((one) => one?.id);
  const rows = await server.db
    .select()
    .from(schema.people)
    .where(eq(schema.people.id, again[0] ?? ""));
  expect([again.length, again[0] === again[1], rows.length]).toEqual([2, true, 1]);
});

test("a name is counted as whole words", () => {
  expect(countName("Jo met Jo. Joanna and -Jo- (Jo)", "Jo")).toBe(4);
  expect(countName("Jean-Luc (/x) {1}", "Jean-Luc (/x) {1}")).toBe(1);
  expect(countName("A+B and A+B2, Ä+B", "A+B")).toBe(1);
});
