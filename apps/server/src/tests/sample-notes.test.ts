import { importMeeting } from "@minutes/core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { readWrittenSample } from "../demo/sample.js";
import { startTestServer, type TestServer } from "../testing/index.js";

/** Minimum number of questions answered within the first results: one below what lexical search reaches. */
const FLOORS = { 1: 33, 5: 37, 10: 39 };

/** A question about the sample company, and where its answer is. */
interface Question {
  readonly query: string;
  /** Number of the meeting's file. */
  readonly meeting: string;
  /** A part of the summary, a task, a title or a name that nobody says in the meeting. */
  readonly answer: string;
}

const ask = (meeting: string, query: string, answer: string): Question => ({ meeting, query, answer });

/** Questions whose answers are only in summaries, tasks, titles or names. */
const QUESTIONS: readonly Question[] = [
  // Summaries
  ask("01", "how many hubs are in stock", "260 hubs in stock"),
  ask("03", "free months and compensation after the outage", "compensation"),
  ask("03", "variants of the runway with and without the hire", "three variants"),
  ask("03", "which target has to be met before Hub 2 tooling starts", "a target at month six"),
  ask("04", "which kitchens depend on a school network", "depend on a school network"),
  ask("04", "what their insurer may require", "insurer may require"),
  ask("05", "slower catch-up after a restore", "slower catch-up"),
  ask("06", "backup of 4 KB instead of 38 GB", "4 KB instead of 38 GB"),
  ask("06", "when every hub sent its backlog", "backlog"),
  ask("06", "only the last program's result counted", "program's result"),
  ask("06", "damage of the night without alarms", "## Damage"),
  ask("07", "who found the fault and is strong with logs", "very strong with logs"),
  ask("07", "conversation with an angry customer", "angry-customer conversation"),
  ask("07", "concern about written answers", "Concern: short written answers"),
  ask("08", "weak point of the tiers", "Weak point"),
  ask("08", "principles: the export is never held back", "never held back"),
  ask("09", "Gärräume", "Gärräume"),
  ask("09", "how many minutes without confirmation", "without confirmation"),
  ask("10", "what Priya objects to", "Priya objects"),
  ask("11", "normal and critical look alike", "look alike"),
  ask("12", "whoever signed first is served first", "served first"),
  ask("12", "a case with 4 mm more space", "4 mm more space"),
  ask("13", "a different patience for each room", "different patience"),
  // Tasks
  ask("01", "call the silent sites", "Call the two silent"),
  ask("05", "cap the number of quiet messages", "Cap the number"),
  ask("05", "size comparison of the dump", "size comparison"),
  ask("06", "one-page public report", "one-page public report"),
  ask("06", "credit the sites one month", "credit them one month"),
  ask("06", "sign-of-life service for our own alarms", "sign-of-life service"),
  ask("07", "prepare two weeks of support mails", "Prepare two weeks"),
  ask("08", "enter the price hold into the forecast", "price hold into the forecast"),
  ask("10", "publish the position", "Publish the support and field position"),
  ask("11", "a sound below 1,000 Hz", "below 1,000 Hz"),
  ask("14", "will parts for the hub stay available", "will stay available"),
  // Titles
  ask("01", "standup with cameras optional", "cameras optional"),
  ask("06", "truncated backups", "truncated backups"),
  ask("09", "Startgespräch", "Startgespräch"),
  // Names
  ask("03", "Alderpond Partners", "Alderpond Partners"),
  ask("10", "Renske Dijkhuis", "Renske Dijkhuis"),
  ask("12", "Viktor Brandmo", "Viktor Brandmo"),
];

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.close());

test("search answers 40 questions whose answers are only in summaries, tasks, titles or names", async () => {
  const who = await server.given.person();
  const { meetings } = await readWrittenSample(new Date());
  for (const meeting of meetings) await importMeeting(server.db, { ...meeting, ownerEmail: who.email });
  const ranks: number[] = [];
  for (const { query, meeting, answer } of QUESTIONS) {
    const source = meetings.find(({ externalId }) => externalId.startsWith(`sample-${meeting}-`));
    expect(JSON.stringify(source?.transcript), query).not.toContain(answer);
    const { results } = await server.data(who.key, "me/meetings.search", { query });
    const index = results.findIndex(
      ({ meetingTitle, text }) => meetingTitle === source?.title && text.includes(answer),
    );
    ranks.push(index + 1);
  }
  expect(ranks).toHaveLength(40);
  const report = QUESTIONS.map(({ query }, at) => `${ranks[at] || "-"}  ${query}`).join("\n");
  for (const [first, floor] of Object.entries(FLOORS)) {
    const answered = ranks.filter((rank) => rank > 0 && rank <= Number(first)).length;
    expect(answered, `in the first ${first} results:\n${report}`).toBeGreaterThanOrEqual(floor);
  }
});
