import { runSteps } from "@minutes/db";
import { expect, test } from "vitest";
import { pickTurns } from "./pick-turns.js";

/** Pads a transcript, so that its words are rare. */
const OTHERS = Array.from({ length: 40 }, (_, n) => `Something else, number ${n}.`);

async function pick(question: string, ...texts: string[]): Promise<string[]> {
  // Turns next to each other would lend each other their words.
  const turns = texts.flatMap((text) => [text, ...OTHERS.slice(0, 5)]);
  const said = [...turns, ...OTHERS].map((text, position) => ({
    ...{ meetingId: "mtg_1", position, speakerName: "Ben", text, found: 0 },
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
