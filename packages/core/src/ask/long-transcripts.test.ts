import { Deadline } from "@minutes/db";
import {
  asUser,
  createTestDatabase,
  type Given,
  givenOn,
  type Meeting,
  type Person,
  type TestDatabase,
} from "@minutes/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { UserCaller } from "../access/index.js";
import { ask, toAnswer } from "./ask.js";
import { retrieve } from "./retrieve.js";

const TURNS = 2_000;
/** More rare words than anybody says. */
const RARE = Array.from({ length: 150 }, (_, n) => `q${n}z`).join(" ");
const say = (position: number, text: string) => ({ speakerId: `s${position % 2}`, speakerName: "Ben", text });
const SAID: Readonly<Record<number, string>> = {
  1000: "The dome opens at nine.",
  1900: "The lighthouse keeper is called Ingeborg.",
};

let database: TestDatabase;
let given: Given;
let person: Person;
let anna: UserCaller;
let long: Meeting;
beforeAll(async () => {
  database = await createTestDatabase();
  given = givenOn(database.db);
  person = await given.person();
  anna = asUser(person.userId);
  long = await given.meeting(person, {
    title: "Observatory",
    summary: { markdown: "Observatory, observatory." },
    transcript: Array.from({ length: TURNS }, (_, n) => say(n, SAID[n] ?? "and so on ".repeat(6))),
  });
});
afterAll(() => database.close());

test("200: of a long transcript, the turns around those that search finds are compared, wherever the answer is", async () => {
  const asked = { question: "Who is the lighthouse keeper?", meetingId: long.meetingId };
  const { turns } = await retrieve(database.db, anna, asked, {});
  expect(turns.map(({ position }) => position)).toContain(1_900);
  expect(turns.length).toBeLessThan(TURNS / 4);
  const { meetings } = await ask(database.db, anna, asked, {});
  expect(meetings[0]?.turns.map(({ text }) => text)).toContain(SAID[1_900]);
});

test("200: words that nobody says read no turn of a long transcript", async () => {
  const asked = { question: RARE, meetingId: long.meetingId };
  const { turns, meetings } = await retrieve(database.db, anna, asked, {});
  expect([turns.length, meetings.length]).toEqual([0, 1]);
});

test("200: a long transcript of which only the notes were found is searched itself", async () => {
  const { meetings, turns } = await retrieve(database.db, anna, { question: "observatory" }, {});
  expect(meetings.map(({ meetingId }) => meetingId)).toEqual([long.meetingId]);
  expect(turns.length).toBeLessThan(TURNS / 4);
});

test("200: turns of more characters than a transcript may have are left out, the least relevant first", async () => {
  const filler = "blah ".repeat(19_000);
  const transcript = [1, 2, 3, 4, 5].map((n) =>
    say(n, `${n === 3 ? "The anchor weighs nine tons. " : ""}${filler}`),
  );
  const { meetingId } = await given.meeting(person, { transcript });
  const { turns } = await retrieve(
    database.db,
    anna,
    { question: "How heavy is the anchor?", meetingId },
    {},
  );
  expect(turns.length).toBeGreaterThan(0);
  expect(turns.reduce((sum, { text }) => sum + text.length, 0)).toBeLessThanOrEqual(200_000);
});

/** What search found for a question: turns that take longer to compare than the event loop may wait. */
const manyTurns = {
  question: `What about ${RARE}?`,
  meetings: [{ meetingId: "m", meetingTitle: "Talk", meetingDate: "2026-01-05" }],
  turns: Array.from({ length: 20_000 }, (_, position) => ({
    ...{
      meetingId: "m",
      meetingTitle: "Talk",
      meetingStart: "",
      position,
      speakerName: "Ben",
      startSeconds: null,
      found: 0,
    },
    text: Array.from({ length: 30 }, (_unused, n) => `word${(position * 31 + n) % 997}`).join(" "),
  })),
  searched: { words: [], people: [], startDate: null, endDate: null, byMeaning: false },
};

test("other requests are answered while turns are compared", async () => {
  let answered = 0;
  const timer = setInterval(() => answered++, 1);
  const { found } = await toAnswer(manyTurns);
  clearInterval(timer);
  expect([found, answered > 1]).toEqual([false, true]);
});

test("503: the deadline ends the comparison", async () => {
  const deadline = new Deadline(1, () => new Error("late"));
  const compared = toAnswer(manyTurns, deadline);
  await expect(deadline.within(compared)).rejects.toThrow("late");
  await expect(compared).rejects.toThrow("late");
});
