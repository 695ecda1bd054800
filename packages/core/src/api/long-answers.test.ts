import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { MeetingTranscript } from "@minutes/contract";
import { finish } from "@minutes/testing";
import { expect, test } from "vitest";
import { checkLong, createCheck, splitText, writeJson, writeLong, writeRowByRow } from "./long-answers.js";
import { sendResponse } from "./response.js";

const createTurn = (at: number) => ({
  speakerId: "per_1",
  speakerLabel: "s1",
  speakerName: `Zoë "Z" ${at}`,
  text: `Turn ${at} ]\n\u2028`,
  startSeconds: null,
  endSeconds: at / 7,
});
const createAnswer = (turns: number) => ({
  segments: Array.from({ length: turns }, (_, at) => createTurn(at)),
});
const long = [["segments", MeetingTranscript.shape.segments]] as const;

/** Counts the steps of work, its last one included. */
function countSteps(steps: Iterator<unknown>): number {
  let count = 1;
  while (!steps.next().done) count++;
  return count;
}

test.each([0, 500, 501, 1_000, 1_203])("%i rows are checked and written as at once", async (turns) => {
  const check = createCheck(MeetingTranscript);
  const answer = createAnswer(turns);
  expect(await check(answer)).toEqual(answer);
  expect(
    await check({ ...answer, secret: 1, segments: answer.segments.map((turn) => ({ ...turn, secret: 1 })) }),
  ).toEqual(answer);
  const checked = await check(answer);
  expect(typeof writeJson(checked)).toBe(turns > 500 ? "object" : "string");
  expect(await writeJson(checked)).toBe(JSON.stringify(answer));
  const mixed = { before: 1, ...answer, absent: undefined, after: [null, "x"] };
  expect(finish(writeLong(mixed))).toBe(JSON.stringify(mixed));
});

test("a long list is checked and written 500 rows at a time", () => {
  for (const turns of [5_000, 20_000]) {
    const answer = createAnswer(turns);
    expect(countSteps(checkLong(MeetingTranscript, answer, long))).toBe(turns / 500 + 1);
    expect(countSteps(writeLong(answer))).toBe(turns / 500 + 1);
  }
});

test("a wrong row is refused wherever it is", () => {
  for (const at of [0, 499, 500, 1_200]) {
    const { segments } = createAnswer(1_201);
    const wrong = { segments: segments.with(at, { ...createTurn(at), text: 5 as never }) };
    expect(() => finish(checkLong(MeetingTranscript, wrong, long)), `row ${at}`).toThrow("expected string");
  }
  expect(() => createCheck(MeetingTranscript)({ segments: null })).toThrow("expected array");
});

test("an answer with long rows is written row by row, also after it was checked", async () => {
  const answer = writeRowByRow(createAnswer(3));
  const checked = (await createCheck(MeetingTranscript)(answer)) as object;
  expect(writeJson(checked)).toBeInstanceOf(Promise);
  expect(await writeJson(checked)).toBe(JSON.stringify(answer));
  expect(countSteps(writeLong(createAnswer(3), 1))).toBe(4);
});

test("a long body arrives in pieces that split no character", async () => {
  const body = `a${"🦀".repeat(300_000)}z`;
  const pieces = [...splitText(body)];
  expect(pieces.join("") === body && pieces.every((piece) => piece.isWellFormed())).toBe(true);
  expect(Math.max(...pieces.map(({ length }) => length))).toBeLessThanOrEqual(128 * 1024);
  const server = createServer((_, response) => sendResponse(response, 200, {}, body));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const answer = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  expect(answer.headers.get("content-length")).toBe(String(Buffer.byteLength(body)));
  expect((await answer.text()) === body).toBe(true);
  server.close();
});
