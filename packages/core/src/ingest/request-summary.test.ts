import { LIMITS } from "@minutes/contract";
import { schema } from "@minutes/db";
import { asUser, openTestApi, type Person, readPayload, type TestApi } from "@minutes/testing";
import { eq, sql } from "drizzle-orm";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { createInstruction } from "../workspaces/instructions/index.js";
import { NO_SUMMARIES, type Processing, startRecordingWorker } from "./processing.js";
import type { Summariser } from "./summariser.js";

const { meetings, participants, summaryRequests, summaries } = schema;
const WORDS = "We talked about the turbines, the budget and who will call the supplier.";
const TURN = { speakerId: "s", speakerName: "Anna", text: WORDS };

let api: TestApi;
let company: Awaited<ReturnType<TestApi["given"]["company"]>>;
let anna: Person;
let worker: Processing | undefined;
beforeAll(async () => {
  api = await openTestApi({ services: { summaries: { enabled: true, wake: () => worker?.wake() } } });
  company = await api.given.company();
  anna = await api.given.member(company);
});
afterEach(async () => {
  await worker?.stop();
  worker = undefined;
});
afterAll(() => api.close());

const work = (summariser: Summariser | null, backoff: number[] = []) => {
  worker = startRecordingWorker({ db: api.db, recordingDays: 30, interval: 50, summariser, backoff });
};
const given = (facts: object = {}, who = anna) =>
  api.given.meeting(who, {
    ...{ title: "Weekly", transcript: [TURN], summary: { markdown: "First." } },
    ...{ tasks: [{ text: "Call the supplier" }], ...facts },
  });
const instruct = (who: Person, list: "personal" | "team", name: string, facts: object = {}) =>
  createInstruction(api.db, asUser(who.userId), {
    ...{ list, name, prompt: `As ${name}.`, language: null, tag: null, word: null, isDefault: false },
    ...facts,
  });
const summarize = (meetingId: string, input: object = {}, who = anna) =>
  api.ask(who, "meetings.summarize", { meetingId, ...input });
interface Shown {
  readonly version: number;
  readonly newSummary: string | null;
  readonly generatedTitle: string | null;
  readonly summary: { readonly markdown: string; readonly origin?: object | null };
  readonly tasks: readonly { readonly content: string }[];
}
const show = (meetingId: string) => api.askFor<Shown>(anna, "meetings.get", { meetingId });
const until = (meetingId: string, newSummary: string | null) =>
  expect.poll(async () => (await show(meetingId)).newSummary).toBe(newSummary);
const originOf = async (meetingId: string, version: number) =>
  (await api.askFor<Shown>(anna, "meetings.getVersion", { meetingId, version })).summary.origin;

test("200: a summary is written again with another instruction and language; the one before stays as a version", async () => {
  const { id } = await instruct(anna, "personal", "Sales", { language: "de" });
  const meeting = await given();
  const { meetingId } = meeting;
  const asked = await summarize(meetingId, { instruction: "sales" });
  expect(readPayload(asked as never)).toEqual({ meetingId, instruction: "Sales", language: "de" });
  expect((await show(meetingId)).newSummary).toBe("waiting");
  const told: unknown[] = [];
  work(async ({ title, transcript, origin }) => {
    told.push({ title, words: transcript.map(({ speakerName, text }) => `${speakerName}: ${text}`), origin });
    return { generatedTitle: "Not used", summary: { markdown: `Number ${told.length}.` }, tasks: [] };
  });
  await until(meetingId, null);
  const origin = { name: "Sales", prompt: "As Sales.", language: "de" };
  expect(told).toEqual([{ title: "Weekly", words: [`Anna: ${WORDS}`], origin }]);
  expect(await show(meetingId)).toMatchObject({
    ...{ version: 2, generatedTitle: null, summary: { markdown: "Number 1." } },
    ...{ tasks: [{ content: "Call the supplier" }], summaryOrigin: { name: "Sales", language: "de" } },
  });
  const reader = await api.given.member(company);
  await api.given.shared(meeting, reader);
  expect(await api.askFor(reader, "meetings.get", { meetingId })).toMatchObject({
    ...{ summary: { markdown: "Number 1." }, summaryOrigin: null },
  });
  expect([await originOf(meetingId, 1), await originOf(meetingId, 2)]).toEqual([null, origin]);
  const { versions } = await api.askFor<{ versions: object[] }>(anna, "meetings.listVersions", { meetingId });
  expect(versions[0]).toMatchObject({ version: 2, actor: anna.userId, action: "edit", fields: ["summary"] });

  await summarize(meetingId, { instruction: id, language: null });
  await until(meetingId, null);
  expect(await originOf(meetingId, 3)).toEqual({ ...origin, language: null });
  await summarize(meetingId, { instruction: null, language: "French" });
  await until(meetingId, null);
  expect(await originOf(meetingId, 4)).toEqual({ name: null, prompt: "", language: "fr" });
});

test("200: without an instruction, it is chosen by the meeting's tag now, as for a new meeting", async () => {
  await instruct(company.admin, "team", "Board", { tag: "board" });
  const { meetingId } = await given({ tags: [{ name: "Board" }] });
  expect(readPayload((await summarize(meetingId)) as never)).toMatchObject({ instruction: "Board" });
  await api.db.delete(summaryRequests);
});

test("404, 403: others' meetings and instructions; a workspace key names only the team's", async () => {
  const { meetingId } = await given();
  const ben = await api.given.member(company);
  const stranger = (await api.given.company()).admin;
  const mine = await instruct(ben, "personal", "Ben's");
  const foreign = await instruct(stranger, "team", "Foreign");
  await instruct(company.admin, "team", "Ours");
  for (const who of [ben, stranger, company.admin])
    expect((await summarize(meetingId, {}, who)).status).toBe(403);
  const unknown = { status: 404, body: { error: "No such summary instruction." } };
  for (const instruction of [mine.id, "Ben's", foreign.id, "Foreign", "%"])
    expect(await summarize(meetingId, { instruction })).toEqual(unknown);
  const byKey = (instruction: string) =>
    api.call(company.key, "rest/workspace/meetings.summarize", { meetingId, instruction });
  await instruct(anna, "personal", "Only mine");
  expect(await byKey("Only mine")).toEqual(unknown);
  expect((await byKey("Ours")).status).toBe(200);
  const [request] = await api.db
    .select()
    .from(summaryRequests)
    .where(eq(summaryRequests.meetingId, meetingId));
  expect(request).toMatchObject({ actor: company.keyId, workspaceId: company.workspaceId });
  await api.db.delete(summaryRequests);
});

test("409: no summarizer, too few words, a locked summary; 429: many in a day; none leaves a request", async () => {
  const [whole, short, locked] = [await given(), await given({ transcript: [] }), await given()];
  await api.db.update(summaries).set({ locked: true }).where(eq(summaries.meetingId, locked.meetingId));
  expect(await summarize(short.meetingId)).toEqual({
    status: 409,
    body: { error: "A meeting needs 10 spoken words for a summary." },
  });
  expect((await summarize(locked.meetingId)).status).toBe(409);
  const without = await openTestApi({ database: api.database, services: { summaries: NO_SUMMARIES } });
  const refused = await without.ask(anna, "meetings.summarize", { meetingId: whole.meetingId });
  expect([refused.status, refused.body.error]).toEqual([409, expect.stringContaining("SUMMARISER_URL")]);
  await api.db.execute(sql`update rate_windows set count = ${LIMITS.summariesPerDay}
    where scope like ${`%summaries:${anna.userId}`}`);
  expect((await summarize(whole.meetingId)).status).toBe(429);
  await api.db.execute(sql`delete from rate_windows`);
  expect(await api.db.$count(summaryRequests)).toBe(0);
});

test("after the last retry, a request has failed and the summary stays; asking again starts over", async () => {
  const { meetingId } = await given();
  await summarize(meetingId);
  let asked = 0;
  work(async () => {
    asked++;
    throw new Error("no");
  }, [0]);
  await until(meetingId, "failed");
  expect(asked).toBe(2);
  expect(await show(meetingId)).toMatchObject({ version: 1, summary: { markdown: "First." } });
  await worker?.stop();
  work(async () => ({ summary: { markdown: "Second." } }));
  await summarize(meetingId);
  await until(meetingId, null);
  expect((await show(meetingId)).summary.markdown).toBe("Second.");
});

test("what was written from words that have changed since, as by an erasure, is dropped and written again", async () => {
  const { meetingId } = await given();
  await summarize(meetingId);
  let asked = 0;
  work(async ({ transcript }) => {
    const markdown = `${transcript[0]?.speakerName} spoke.`;
    if (asked++ === 0)
      await api.db.update(participants).set({ name: "Erased" }).where(eq(participants.meetingId, meetingId));
    return { summary: { markdown } };
  });
  await until(meetingId, null);
  expect([asked, (await show(meetingId)).summary.markdown]).toEqual([2, "Erased spoke."]);
});

test("a request ends with its meeting, when the owner leaves, and when another one comes", async () => {
  const [gone, later] = [await given(), await given()];
  const cleo = await api.given.member(company);
  const moved = await given({}, cleo);
  for (const { meetingId } of [gone, later]) await summarize(meetingId);
  await summarize(moved.meetingId, {}, cleo);
  await api.given.leaves(cleo);
  await api.data(anna.key, "me/meetings.delete", { meetingId: gone.meetingId });
  let asked = 0;
  work(async ({ origin }) => {
    if (asked++ === 0) await summarize(later.meetingId, { instruction: null, language: "fr" });
    return { summary: { markdown: `In ${origin?.language ?? "the same"}.` } };
  });
  await expect.poll(() => api.db.$count(summaryRequests)).toBe(0);
  expect(asked).toBe(2);
  expect(await show(later.meetingId)).toMatchObject({ version: 2, summary: { markdown: "In fr." } });
  const [kept] = await api.db.select().from(summaries).where(eq(summaries.meetingId, moved.meetingId));
  expect(kept?.markdown).toBe("First.");
});

test("the first summary of a meeting whose credit was not charged is locked", async () => {
  const free = await api.given.company({ plan: "free" });
  const { meetingId } = await given({ summary: undefined }, free.admin);
  await summarize(meetingId, {}, free.admin);
  work(async () => ({ summary: { markdown: "First." } }));
  await expect.poll(() => api.db.$count(summaryRequests)).toBe(0);
  const [stored] = await api.db.select().from(summaries).where(eq(summaries.meetingId, meetingId));
  expect(stored).toMatchObject({ markdown: "First.", locked: true });
});

test("the new summary is in the change feed", async () => {
  const { meetingId } = await given();
  await summarize(meetingId);
  work(async () => ({ summary: { markdown: "Later." } }));
  await until(meetingId, null);
  const [meeting] = await api.db.select().from(meetings).where(eq(meetings.id, meetingId));
  expect(meeting?.changedIn).toBeGreaterThan(meeting?.createdIn ?? 0);
});
