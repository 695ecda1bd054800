import type { Answer } from "@minutes/contract";
import { type Company, needs, openSignedInBrowser, type Person, readPayload } from "@minutes/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { requireReadmeQuestion } from "../testing/asked-questions.js";
import { startTestServer, type TestServer } from "../testing/index.js";

let server: TestServer;
let company: Company;
let anna: Person;
beforeAll(async () => {
  server = await startTestServer();
  company = await server.given.company();
  anna = await server.given.member(company);
});
afterAll(() => server.close());

const say = (...texts: string[]) =>
  texts.map((text, n) => ({ speakerId: `s${n % 2}`, speakerName: n % 2 ? "Zoë Lind" : "Ben Okafor", text }));

async function ask(who: Person, question: string, more: object = {}): Promise<Answer> {
  const browser = await openSignedInBrowser(server, who);
  return readPayload<Answer>(await browser.read("console/v1/meetings.ask", { question, ...more }));
}
const quotes = ({ meetings }: Answer) => meetings.flatMap(({ turns }) => turns.map(({ text }) => text));

test("by words, README's question puts the incident review first on a fresh sample", needs("embedded"), () =>
  requireReadmeQuestion(),
);

test("200: answers have the turns word by word, with speaker, time and link, grouped by meeting", async () => {
  const said = say(
    "Why is the lighthouse closed?",
    "The lighthouse is closed because the lamp broke.",
    "I see.",
  );
  const { meetingId } = await server.given.meeting(anna, { title: "Harbor", transcript: said });
  const answer = await ask(anna, "Why is the lighthouse closed?");
  const [meeting] = answer.meetings;
  expect(answer).toMatchObject({
    found: true,
    searched: { words: ["lighthouse", "closed"], byMeaning: false },
  });
  expect(meeting).toMatchObject({ meetingId, meetingTitle: "Harbor" });
  expect(meeting?.turns).toContainEqual({
    ...{ position: 1, speakerName: "Zoë Lind", startSeconds: null, text: said[1]?.text },
    ...{ link: `/meetings/${meetingId}?at=1`, relevance: "match" },
  });
  expect(await ask(anna, "Who bought the submarine?")).toMatchObject({ found: false, meetings: [] });
});

test("200: only meetings that the caller can read answer", async () => {
  const owner = await server.given.member(company);
  const secret = await server.given.meeting(owner, { transcript: say("The vault code is kept by Ingrid.") });
  expect((await ask(anna, "Whose is the vault code?")).found).toBe(false);
  await server.given.shared(secret, anna);
  expect(quotes(await ask(anna, "Whose is the vault code?"))).toEqual(["The vault code is kept by Ingrid."]);
});

test("200: days that don't exist are words of the question", async () => {
  for (const day of ["on 2026-02-31", "since 2026-02-30", "on 0000-01-01", "in March 0000", "in May 9999"]) {
    const { searched } = await ask(anna, `What was the budget ${day}?`);
    expect([day, searched.startDate]).toEqual([day, day.endsWith("9999") ? "9999-05-01" : null]);
  }
});

test("200: days in the question and the parameters narrow the answer; one meeting can be asked alone", async () => {
  const owner = await server.given.member(company);
  const old = await server.given.meeting(owner, {
    ...{ startTime: "2024-03-05T10:00:00.000Z", transcript: say("The budget of the garden is forty euros.") },
  });
  const startTime = new Date().toISOString();
  const fresh = await server.given.meeting(owner, {
    ...{ startTime, transcript: say("The budget of the garden is ninety euros.") },
  });
  const question = "What is the budget of the garden?";
  expect(quotes(await ask(owner, question))).toHaveLength(2);
  const now = await ask(owner, "What is the budget of the garden now?");
  expect(now.meetings.map(({ meetingDate, turns }) => [meetingDate, turns[0]?.relevance])).toEqual([
    [startTime.slice(0, 10), "match"],
    ["2024-03-05", "related"],
  ]);
  const inMarch = await ask(owner, "What was the budget of the garden in March 2024?");
  expect(quotes(inMarch)).toEqual(["The budget of the garden is forty euros."]);
  expect(inMarch.searched).toMatchObject({ startDate: "2024-03-01", endDate: "2024-03-31" });
  expect(quotes(await ask(owner, question, { startDate: "2025-01-01" }))).toEqual([
    "The budget of the garden is ninety euros.",
  ]);
  expect((await ask(owner, question, { meetingId: old.meetingId })).meetings).toMatchObject([
    { meetingId: old.meetingId },
  ]);
  expect((await ask(owner, "Who keeps bees?", { meetingId: fresh.meetingId })).found).toBe(false);
});

test("200: summaries and tasks are never quoted, so a locked summary can't leak", async () => {
  const owner = await server.given.member(company);
  await server.given.meeting(owner, {
    ...{ title: "Plan", transcript: say("Good morning everyone.") },
    summary: { markdown: "The zeppelin lands on Tuesday.", short: "Zeppelin." },
    tasks: [{ text: "Paint the zeppelin" }],
  });
  expect((await ask(owner, "When does the zeppelin land?")).found).toBe(false);
});

test("200: a long turn is quoted around the question's words, verbatim", async () => {
  const owner = await server.given.member(company);
  const text = `${"We talked about the weather for a while. ".repeat(40)}The anchor weighs nine tons. ${"And so on. ".repeat(90)}`;
  await server.given.meeting(owner, { transcript: say(text) });
  const [quote = ""] = quotes(await ask(owner, "How much does the anchor weigh?"));
  expect(quote).toContain("The anchor weighs nine tons.");
  expect(quote.length).toBeLessThanOrEqual(600);
  expect(text).toContain(quote);
});

test("refused: workspace keys can't ask, strangers not about a meeting, and a question is needed", async () => {
  const get = async (key: string, query: string, side = "me") => {
    const answer = await fetch(`${server.url}/rest/v1/${side}/ask${query}`, {
      headers: { "x-api-key": key },
    });
    return [answer.status, ((await answer.json()) as { error?: string }).error];
  };
  const { meetingId } = await server.given.meeting(anna, {});
  const stranger = await server.given.person();
  expect((await get(company.key, "?question=why"))[0]).toBe(403);
  expect((await get(company.key, "?question=why", "workspace"))[0]).toBe(404);
  expect((await get(anna.key, ""))[0]).toBe(400);
  expect((await get(anna.key, "?question=why&meetingId=none"))[0]).toBe(404);
  expect(await get(stranger.key, `?question=why&meetingId=${meetingId}`)).toEqual([
    403,
    "Access denied. You do not have access to this meeting.",
  ]);
});
