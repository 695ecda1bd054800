import { createEmbedder, indexNotes } from "@minutes/search";
import {
  type Meeting,
  type MeetingFacts,
  openTestApi,
  type Person,
  readPayload,
  type TestApi,
} from "@minutes/testing";
import { sql } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { OPERATOR } from "../access/actor.js";
import { eraseFromMeetings, findSought } from "../erasure/index.js";
import { setPlan } from "../workspaces/index.js";

let api: TestApi;
let given: TestApi["given"];
beforeAll(async () => {
  api = await openTestApi();
  given = api.given;
});
afterAll(() => api.close());

const never = new AbortController().signal;
const said = (text: string) => [{ speakerId: "s1", speakerName: "Anna", text }];
const search = async (who: Person, query: string) =>
  (await api.data(who.key, "me/meetings.search", { query, startDate: "2000-01-01" })).results;
const texts = async (who: Person, query: string) => (await search(who, query)).map(({ text }) => text);
const SUMMARY = {
  markdown: "# Zoo\n\nThe **wombat** needs a fence.\nA bandicoot ran away.",
  short: "A wombat.",
};
const NOTES: MeetingFacts = {
  transcript: said("We talked for an hour."),
  generatedTitle: "Echidna council",
  summary: SUMMARY,
  tasks: [{ text: "Feed the quokka", assignee: { name: "Ben Numbat" } }, { text: "Call the vet" }],
  calendarEvent: {
    title: "Aardvark hour",
    attendees: [{ name: "Cleo Pangolin", email: "cleo@example.com", organizer: true }],
  },
};

/** Returns the number of rows in each table of the index. */
async function countRows({ meetingId }: Pick<Meeting, "meetingId">, documents: readonly number[]) {
  const list = sql.raw(`array[${documents.join() || "-1"}]`);
  const [row] = await api.db
    .select({
      documents: sql<number>`(select count(*)::int from search_documents where meeting_id = ${meetingId})`,
      chunks: sql<number>`(select count(*)::int from search_chunks where meeting_id = ${meetingId})`,
      postings: sql<number>`(select count(*)::int from search_postings where document = any (${list}))`,
      speakers: sql<number>`(select count(*)::int from search_speakers where document = any (${list}))`,
      windows: sql<number>`(select count(*)::int from search_windows where document = any (${list}))`,
    })
    .from(sql`(values (1)) one`);
  return row;
}
const listDocuments = async (meetingId: string) =>
  await api.db
    .select({
      document: sql<number>`document`,
      firstChunk: sql<number>`first_chunk`,
      row: sql<string>`xmin::text`,
    })
    .from(sql`search_documents`)
    .where(sql`meeting_id = ${meetingId}`)
    .orderBy(sql`first_chunk`);

test("200: words only in a summary, task, title or name are found, in rows of the contract", async () => {
  const anna = await given.person();
  const { meetingId } = await given.meeting(anna, {
    ...NOTES,
    title: "Koala",
    startTime: "2025-03-01T10:00:00Z",
  });
  expect(await search(anna, "bandicoot")).toEqual([
    {
      id: `${meetingId}-chunk-16385`,
      text: "A wombat.\n# Zoo\nThe **wombat** needs a fence.\nA bandicoot ran away.",
      meetingId,
      meetingTitle: "Koala",
      meetingDate: "2025-03-01",
    },
  ]);
  expect(await texts(anna, "quokka")).toEqual(["Ben Numbat: Feed the quokka"]);
  expect(await texts(anna, "numbat")).toEqual(["Ben Numbat: Feed the quokka"]);
  for (const word of ["echidna", "aardvark", "pangolin"])
    expect(await texts(anna, word)).toEqual(["Koala\nEchidna council\nAardvark hour\nCleo Pangolin"]);
});

test("200: the title of a meeting without a transcript is found", async () => {
  const anna = await given.person();
  await given.meeting(anna, { title: "The platypus plan", transcript: [] });
  expect(await texts(anna, "platypus")).toEqual(["The platypus plan"]);
});

test("200: transcripts come before notes if both match; the title is indexed once", async () => {
  const anna = await given.person();
  const filler = "Then there was more to tell about the weather of the day.";
  const { meetingId } = await given.meeting(anna, {
    transcript: said(`The wombat needs a fence. ${filler}`),
    summary: { markdown: "The wombat needs a fence." },
    tasks: [{ text: "The wombat needs a fence" }],
  });
  const ids = (await search(anna, "wombat fence")).map(({ id }) => id);
  expect(ids[0]).toBe(`${meetingId}-chunk-0`);
  expect(ids).toHaveLength(3);
  const plain = await given.meeting(anna, { transcript: said("A lemur.") });
  expect(await listDocuments(plain.meetingId)).toHaveLength(1);
});

describe("a locked summary", () => {
  test("200: is never in the index or sent to a model, and an upgrade makes it findable at once", async () => {
    const anna = await given.person();
    const [member] = await api.db
      .select({ workspaceId: sql<string>`workspace_id` })
      .from(sql`members`)
      .where(sql`user_id = ${anna.userId}`);
    const { meetingId } = await given.meeting(anna, { ...NOTES, summary: { markdown: "A secret bilby." } });
    expect(await texts(anna, "bilby")).toHaveLength(1);
    await api.db.execute(sql`update summaries set locked = true where meeting_id = ${meetingId}`);
    expect(await texts(anna, "bilby")).toEqual([]);
    await api.db.transaction((tx) => indexNotes(tx, meetingId));
    expect(await texts(anna, "bilby")).toEqual([]);
    const sent: string[] = [];
    const embedder = createEmbedder({
      name: "listening",
      scale: { unrelated: 0, weight: 1, limit: 0.25 },
      embed: async (input) => {
        sent.push(...input);
        return input.map(() => [1, 0]);
      },
    });
    while ((await embedder.embedMeetings(api.db, never)) > 0);
    expect(sent.join()).toContain("Feed the quokka");
    expect(sent.join()).not.toContain("bilby");
    const [stored] = await api.db
      .select({ chunks: sql<number>`count(*)::int` })
      .from(sql`search_chunks`)
      .where(sql`meeting_id = ${meetingId} and text like '%bilby%'`);
    expect(stored?.chunks).toBe(0);
    await setPlan(api.db, OPERATOR, member?.workspaceId ?? "", "team");
    expect(await texts(anna, "bilby")).toHaveLength(1);
  });
});

test("200: a summary that is sent again unchanged makes no version, and is still found", async () => {
  const anna = await given.person();
  const summary = { markdown: "A bandicoot ran away." };
  const { meetingId } = await given.meeting(anna, { ...NOTES, summary });
  const edited = await api.call(anna.key, "rest/me/meetings.update", { meetingId, baseVersion: 1, summary });
  expect(readPayload(edited)).toEqual({ meetingId, version: 1 });
  expect(await texts(anna, "bandicoot")).toHaveLength(1);
});

describe("a task", () => {
  test("200: its new text is found at once, and its old text no longer", async () => {
    const anna = await given.person();
    const { taskIds } = await given.meeting(anna, NOTES);
    await api.data(anna.key, "me/tasks.update", { taskId: taskIds[0], text: "Feed the dingo" });
    expect(await texts(anna, "dingo")).toEqual(["Ben Numbat: Feed the dingo"]);
    expect(await texts(anna, "quokka")).toEqual([]);
  });

  test("completing it or sending the same text touches no row of the index", async () => {
    const anna = await given.person();
    const { meetingId, taskIds } = await given.meeting(anna, NOTES);
    const before = await listDocuments(meetingId);
    expect(before).toHaveLength(2);
    for (const change of [{ completed: true }, { completed: false }, { text: "Feed the quokka" }])
      await api.data(anna.key, "me/tasks.update", { taskId: taskIds[0], ...change });
    expect(await listDocuments(meetingId)).toEqual(before);
  });

  test("404: another user's task; nothing is indexed again", async () => {
    const [anna, ben] = [await given.person(), await given.person()];
    const { meetingId, taskIds } = await given.meeting(anna, NOTES);
    const before = await listDocuments(meetingId);
    const answer = await api.call(ben.key, "me/tasks.update", {
      taskId: taskIds[0],
      text: "Feed the dingo",
    });
    expect(answer.status).toBe(404);
    expect(await listDocuments(meetingId)).toEqual(before);
    expect(await texts(ben, "quokka bandicoot")).toEqual([]);
  });

  test("200: edits of all tasks at once are all found, and a deletion in between leaves nothing", async () => {
    const anna = await given.person();
    const many = await given.meeting(anna, { tasks: Array.from({ length: 8 }, () => ({ text: "Old" })) });
    const gone = await given.meeting(anna, NOTES);
    const documents = (await listDocuments(gone.meetingId)).map(({ document }) => document);
    const rename = (taskId: string, at: number) =>
      api.call(anna.key, "me/tasks.update", { taskId, text: `Task number${at}` });
    const answers = await Promise.all([
      ...many.taskIds.map(rename),
      ...gone.taskIds.map(rename),
      api.call(anna.key, "me/meetings.delete", { meetingId: gone.meetingId }),
    ]);
    const statuses = answers.map(({ status }) => status);
    expect(statuses.slice(0, 8)).toEqual(Array(8).fill(200));
    for (const status of statuses.slice(8, 10)) expect([200, 404]).toContain(status);
    expect(statuses[10]).toBe(200);
    for (let at = 0; at < 8; at++)
      expect((await search(anna, `number${at}`)).map((row) => row.meetingId)).toContain(many.meetingId);
    const none = { documents: 0, chunks: 0, postings: 0, speakers: 0, windows: 0 };
    expect(await countRows(gone, documents)).toEqual(none);
  });
});

test("a deleted meeting leaves no row of its notes", async () => {
  const anna = await given.person();
  const meeting = await given.meeting(anna, NOTES);
  const documents = (await listDocuments(meeting.meetingId)).map(({ document }) => document);
  expect(documents).toHaveLength(2);
  await api.data(anna.key, "me/meetings.delete", { meetingId: meeting.meetingId });
  const none = { documents: 0, chunks: 0, postings: 0, speakers: 0, windows: 0 };
  expect(await countRows(meeting, documents)).toEqual(none);
  expect(await texts(anna, "quokka bandicoot pangolin")).toEqual([]);
});

test("an erased person is no longer found as assignee or attendee", async () => {
  const anna = await given.person();
  const email = "cleo@example.com";
  await given.meeting(anna, {
    ...NOTES,
    tasks: [{ text: "Feed the quokka", assignee: { name: "Cleo Pangolin", email } }],
  });
  expect(await texts(anna, "pangolin")).toHaveLength(2);
  const sought = await findSought(api.db, email);
  while ((await eraseFromMeetings(api.db, OPERATOR, sought, 10)).length > 0);
  expect(await texts(anna, "pangolin")).toEqual([]);
  expect(await texts(anna, "quokka")).toEqual(["Feed the quokka"]);
});
