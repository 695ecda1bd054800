import type { DetailedSearchResults } from "@minutes/contract";
import { startTestServer, type TestServer } from "@minutes/server/testing";
import { openSignedInBrowser, type Person, readPayload, type TestBrowser } from "@minutes/testing";
import { sql } from "drizzle-orm";
import { afterAll, beforeAll, expect, test } from "vitest";

let server: TestServer;
let anna: Person;
let browser: TestBrowser;
const LONG_AGO = "2019-03-04T10:00:00.000Z";
beforeAll(async () => {
  server = await startTestServer();
  anna = await server.given.person();
  browser = await openSignedInBrowser(server, anna);
});
afterAll(() => server.close());

const search = async (input: object, who = browser) =>
  readPayload<DetailedSearchResults>(await who.read("console/v1/meetings.search", input));
const EMAILS: Readonly<Record<string, string>> = { Emil: "emil@Example.com", Änne: "aenne@example.com" };
const turn = (speakerName: string, text: string, start?: number) => ({
  speakerId: speakerName,
  speakerName,
  text,
  ...(start === undefined ? {} : { start, end: start + 5 }),
});
const filler = (word: string) => `${word} ${"and then we talked on ".repeat(8)}.`;

test("200: the results of /v1 in the same order, with each turn's position, speaker and times", async () => {
  const turns = Array.from({ length: 12 }, (_, at) =>
    turn(at % 2 ? "Anna" : "Ben", filler(at === 9 ? "A gearbox" : "Something"), at * 10),
  );
  // A turn without words is not in any chunk.
  await server.given.meeting(anna, { transcript: [turn("Anna", " "), ...turns] });
  const plain = await server.data(anna.key, "me/meetings.search", { query: "gearbox" });
  const { results, allTime } = await search({ query: "gearbox" });
  expect(results.map(({ segments: _, relevance: __, ...result }) => result)).toEqual(plain.results);
  expect(allTime).toBeNull();
  const [best] = results;
  expect(best?.relevance).toBe("match");
  const place = best?.segments.find(({ position }) => position === 10);
  expect(place).toEqual({ position: 10, speakerName: "Anna", startSeconds: 90, endSeconds: 95 });
  expect(best?.text.split("\n")).toHaveLength(best?.segments.length ?? 0);
  // Together the chunks contain every turn once.
  const places = results.flatMap(({ segments }) => segments.map(({ position }) => position));
  expect(places.toSorted((left, right) => left - right)).toEqual(turns.map((_, at) => at + 1));
});

test("200: limit returns the first ones; tag and person restrict to meetings that the caller can see", async () => {
  const company = await server.given.company();
  const [cleo, dora] = [await server.given.member(company), await server.given.member(company)];
  const visit = await openSignedInBrowser(server, cleo);
  const give = (who: Person, speaker: string, tags: { name: string }[] = []) =>
    server.given.meeting(who, {
      transcript: [{ ...turn(speaker, `The quokka of ${speaker}.`), speakerEmail: EMAILS[speaker] }],
      tags,
    });
  await give(cleo, "Emil", [{ name: "zoo" }]);
  await give(cleo, "Änne", []);
  await give(dora, "Emil", [{ name: "zoo" }]);
  const texts = async (input: object) =>
    (await search({ query: "quokka", ...input }, visit)).results.map(({ text }) => text).toSorted();
  expect(await texts({})).toEqual(["Emil: The quokka of Emil.", "Änne: The quokka of Änne."]);
  expect(await texts({ limit: 1 })).toHaveLength(1);
  expect(await texts({ tag: "zoo" })).toEqual(["Emil: The quokka of Emil."]);
  for (const person of ["emil", "EMIL@example.com", "mil"])
    expect(await texts({ person })).toEqual(["Emil: The quokka of Emil."]);
  expect(await texts({ tag: "zoo", person: "Änne" })).toEqual([]);
  expect(await texts({ person: "%" })).toEqual([]);
});

test("200: a range without a match reports the number of matches of all time, and the oldest day", async () => {
  const who = await server.given.person();
  const visit = await openSignedInBrowser(server, who);
  for (const startTime of [LONG_AGO, "2020-05-06T10:00:00.000Z"])
    await server.given.meeting(who, { startTime, transcript: [turn("Anna", "A pangolin.")] });
  const old = { results: [], allTime: { matches: 2, firstDate: "2019-03-04" } };
  expect(await search({ query: "pangolin" }, visit)).toEqual(old);
  expect(await search({ query: "pangolin", startDate: "2021-01-01" }, visit)).toEqual(old);
  expect(await search({ query: "pangolin", person: "Ben" }, visit)).toEqual({ results: [], allTime: null });
  expect(await search({ query: "aardvark" }, visit)).toEqual({ results: [], allTime: null });
  // Another person's meetings are not counted.
  expect(await search({ query: "pangolin" })).toEqual({ results: [], allTime: null });
  const { results } = await search({ query: "pangolin", startDate: old.allTime.firstDate }, visit);
  expect(results).toHaveLength(2);
});

test("200: related results in a range do not hide matches of all time", async () => {
  const who = await server.given.person();
  const visit = await openSignedInBrowser(server, who);
  await server.given.meeting(who, {
    startTime: LONG_AGO,
    transcript: [turn("Anna", "The annual discount.")],
  });
  const related = [turn("Anna", "An annual report of the yard.")];
  await server.given.meeting(who, { startTime: "2018-03-04T09:00:00.000Z", transcript: related });
  const older = { results: [], allTime: { matches: 1, firstDate: "2019-03-04" } };
  expect(await search({ query: "annual discount" }, visit)).toEqual(older);
  await server.given.meeting(who, { transcript: related });
  const { results, allTime } = await search({ query: "annual discount" }, visit);
  expect(results).toMatchObject([{ relevance: "related" }]);
  expect(allTime).toEqual({ matches: 1, firstDate: "2019-03-04" });
});

test("200: a meeting indexed before segments were stored is found without them", async () => {
  const who = await server.given.person();
  const visit = await openSignedInBrowser(server, who);
  const { meetingId } = await server.given.meeting(who, { transcript: [turn("Anna", "An okapi.")] });
  await server.db.execute(
    sql`update search_chunks set first_turn = null, last_turn = null where meeting_id = ${meetingId}`,
  );
  const { results } = await search({ query: "okapi" }, visit);
  expect(results).toMatchObject([{ meetingId, segments: [] }]);
});

test("400: a limit, tag or person out of bounds; 401: without a session", async () => {
  for (const [input, error] of [
    [{ query: "x", limit: 0 }, "limit must be an integer from 1 to 100."],
    [{ query: "x", tag: "" }, "tag must be a tag name of 1 to 100 characters."],
    [{ query: "x", person: "" }, "person must be a text of 1 to 254 characters"],
  ] as const) {
    const { status, body } = await browser.read("console/v1/meetings.search", input);
    expect([status, body]).toEqual([400, { error }]);
  }
  expect((await server.call(anna.key, "me/meetings.search", { query: "x", limit: 1 })).status).toBe(400);
});
