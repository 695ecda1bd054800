import { runSteps } from "@minutes/db";
import { afterEach, expect, test } from "vitest";
import { pickTurns } from "./pick-turns.js";

/** Pads a transcript, so that its words are rare. */
const OTHERS = Array.from({ length: 40 }, (_, n) => `Something else, number ${n}.`);

let meetingTitle = "Weekly";
afterEach(() => {
  meetingTitle = "Weekly";
});

async function pick(question: string, ...texts: string[]): Promise<string[]> {
  // Turns next to each other would lend each other their words.
  const turns = texts.flatMap((text) => [text, ...OTHERS.slice(0, 5)]);
  const said = [...turns, ...OTHERS].map((text, position) => ({
    ...{ meetingId: "mtg_1", meetingTitle, meetingStart: "", position, speakerName: "Ben", text, found: 0 },
  }));
  return (await runSteps(pickTurns(question, said))).map(({ text }) => text);
}

const RANG = "I heard the alarm ring at night.";
const SILENT = "That night, no alarm would ring.";

test.each([
  "Why was there no alarm at night?",
  "Why was the night without any alarm?",
  "Why didn't the alarm ring at night?",
  "Why did the alarm never ring at night?",
])("%s is answered by what denies it first", async (question) => {
  const denied = /didn|never/.test(question) ? "At night the alarm did not ring." : SILENT;
  const picked = await pick(question, RANG, denied);
  expect(picked[0]).toBe(denied);
});

test("a question that denies nothing ranks as before, and so does one that nobody denies", async () => {
  expect((await pick("When did the alarm ring at night?", RANG, SILENT)).slice(0, 2)).toEqual([RANG, SILENT]);
  expect((await pick("Why was there no alarm at night?", RANG))[0]).toBe(RANG);
});

const HANDLES = "Marek will handle the crane on plot 7 from next week.";
const YELLOW = "The crane on plot 3 is yellow.";

test.each([
  "takes care of",
  "is taking good care of",
  "looks after",
  "is in charge of",
  "is responsible for",
  "is taking over",
  "deals with",
])("Who %s something is answered by who does it, in the same words and in others", async (does) => {
  const question = `Who ${does} the crane on plot 7?`;
  for (const said of [
    HANDLES,
    "Marek looks after the crane on plot 7.",
    `Marek ${does} the crane on plot 7.`,
  ])
    expect((await pick(question, YELLOW, said))[0]).toBe(said);
  for (const other of ["cat on plot 7", "excavator", "holidays of the drivers"])
    expect(await pick(`Who ${does} the ${other}?`, YELLOW, HANDLES), other).toEqual([]);
});

const PRICE = "Agreed, the mug price is fourteen euros.";

test.each(["new", "current", "exact", "final", "actual", "usual", "whole", "latest"])(
  "an adjective that nobody said leaves a question answered: %s",
  async (adjective) => {
    expect(await pick(`What is the ${adjective} mug price?`, PRICE)).toEqual([PRICE]);
  },
);

test("words with a meaning of their own refuse a question that nobody answered", async () => {
  expect(await pick("What is the lighthouse mug price of Saturn?", PRICE)).toEqual([]);
  expect(await pick("What is the new lighthouse?", PRICE, "Here is a new mug.")).toEqual([]);
});

test("turns next to an answer without a word of the question aren't listed, unless it asks", async () => {
  const list = async (...texts: string[]) => {
    const said = [...texts, ...OTHERS].map((text, position) => ({
      ...{ meetingId: "mtg_1", meetingTitle, meetingStart: "", position, speakerName: "Ben", text, found: 0 },
    }));
    const picks = await runSteps(pickTurns("Which color has the mug?", said));
    return picks.map(({ text, relevance }) => [text, relevance]);
  };
  const GREEN = "The color of the mug is green.";
  expect(await list("Let us write that down.", GREEN, "Who takes this?")).toEqual([[GREEN, "match"]]);
  expect(await list("So which color has the mug?", "Green.")).toEqual([
    ["So which color has the mug?", "match"],
    ["Green.", "related"],
  ]);
});

test("a word of the title counts for turns that have another word of the question", async () => {
  const PROMISE = "We promise you the berth by March.";
  const ACCESS = "I need read access to the Gdynia calls.";
  expect(await pick("What did we promise the Port of Gdynia?", ACCESS, PROMISE)).not.toContain(PROMISE);
  meetingTitle = "Customer call: Port of Gdynia";
  expect((await pick("What did we promise the Port of Gdynia?", ACCESS, PROMISE))[0]).toBe(PROMISE);
  expect(await pick("What did the Port of Gdynia order?", PROMISE)).toEqual([]);
});

test.each([
  "What was said about the budget, literally?",
  "Please quote what was said about the budget.",
  "What about the budget, word for word?",
  "Give me the exact wording about the budget.",
])("how to answer is no word that an answer must have: %s", async (question) => {
  const BUDGET = "The budget for next year is 410 thousand.";
  expect(await pick(question, BUDGET)).toEqual([BUDGET]);
});

test("who owns something is who took it over", async () => {
  const OVER = "Katarzyna takes over the migration.";
  expect((await pick("Who owns the migration?", "The migration is late.", OVER))[0]).toBe(OVER);
});

/** Picks from meetings that say one text each, the oldest first. */
async function pickOf(question: string, ...meetings: string[]): Promise<unknown[]> {
  const said = meetings.flatMap((text, n) =>
    [text, ...OTHERS].map((text, position) => ({
      ...{ meetingId: `mtg_${n}`, meetingTitle, meetingStart: `2026-0${n + 1}-05T09:00:00.000Z` },
      // Search found the oldest one best.
      ...{ position, speakerName: "Ben", text, found: position === 0 ? 1 / (n + 1) : 0 },
    })),
  );
  return (await runSteps(pickTurns(question, said))).map(({ text, relevance }) => [text, relevance]);
}

const BEN = "Ben owns the migration.";
const OVER = "From today on, Katarzyna takes over the migration.";
const MARCH = "The date of the launch is 3 March.";
const APRIL = "We move the launch to 17 April.";

test.each([
  ["Who owns the migration now?", BEN, OVER],
  ["Who currently owns the migration?", BEN, OVER],
  ["Does Ben still own the migration?", BEN, "Katarzyna owns the migration, not Ben."],
  ["What is the current date of the launch?", MARCH, APRIL],
  ["What is the latest date of the launch?", MARCH, APRIL],
])("a question about now is answered by the latest statement: %s", async (question, earlier, later) => {
  const LATE = "The weather was fine.";
  expect(await pickOf(question, earlier, later, LATE)).toEqual([
    [later, "match"],
    [earlier, "related"],
  ]);
  expect((await pickOf(question, later, earlier))[0]).toEqual([earlier, "match"]);
});

test("other questions, and later turns with too little of the question, rank as before", async () => {
  expect((await pickOf("Who owns the migration?", BEN, OVER))[0]).toEqual([BEN, "match"]);
  const MENTIONED = "The migration will be a long one.";
  expect((await pickOf("Who owns the migration now?", BEN, MENTIONED))[0]).toEqual([BEN, "match"]);
});
