import type { AnswerLine } from "@minutes/contract";
import {
  type ScriptedModel,
  startScriptedModel,
  startTestServer,
  type TestServer,
} from "@minutes/server/testing";
import type { Person } from "@minutes/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createScript, getFailure, no } from "../test/scripted.js";
import { createAsking } from "./ask.js";
import { createMeClient, type FetchLike } from "./index.js";

const SAID = "The lighthouse is closed because the lamp broke on Tuesday.";
const QUESTION = { question: "Why is the lighthouse closed?" };
const claim = (sentence: string) =>
  JSON.stringify({ turn: 1, quote: "closed because the lamp broke", sentence });

let model: ScriptedModel;
let server: TestServer;
let zoe: Person;
beforeAll(async () => {
  model = await startScriptedModel();
  server = await startTestServer({
    model: { SUMMARISER_URL: model.url, SUMMARISER_MODEL: "scripted", SUMMARISER_KEY: "secret" },
  });
  zoe = await server.given.person();
  await server.given.meeting(zoe, { transcript: [{ speakerId: "s", speakerName: "Zoë", text: SAID }] });
});
afterAll(async () => {
  model.close();
  await server.close();
});

const connect = (fetch?: FetchLike) =>
  createMeClient({ baseUrl: server.url, apiKey: zoe.key, ...(fetch ? { fetch } : {}) });

async function readAll(lines: AsyncIterable<AnswerLine>): Promise<AnswerLine[]> {
  const all = [];
  for await (const line of lines) all.push(line);
  return all;
}

/** Answers with this text, byte by byte. */
const answering = (text: string) =>
  createAsking({
    baseUrl: "https://minutes.test",
    apiKey: "jk_test",
    fetch: async () =>
      new Response(
        new ReadableStream({
          start(stream) {
            for (const byte of new TextEncoder().encode(text)) stream.enqueue(Uint8Array.of(byte));
            stream.close();
          },
        }),
      ),
  });

test("200: a sentence arrives while the model still writes, then the end with the turns", async () => {
  let finish = () => {};
  const finished = new Promise<void>((resolve) => {
    finish = resolve;
  });
  model.script(async (write) => {
    write(claim("Its lamp broke."));
    await finished;
    write(claim("It broke on Tuesday."));
  });
  const lines = connect().ask(QUESTION);
  const { value: first } = await lines.next();
  expect(first).toMatchObject({ kind: "sentence", text: "Its lamp broke.", quote: { speakerName: "Zoë" } });
  finish();
  expect(await readAll(lines)).toMatchObject([
    { kind: "sentence", text: "It broke on Tuesday." },
    { kind: "end", isWritten: true, found: true, meetings: [{ turns: [{ text: SAID }] }] },
  ]);
});

test("200: a fetch without a body has the same lines", async () => {
  model.script((write) => write(claim("Its lamp broke.")));
  const whole: FetchLike = async (url, init) => {
    const answer = await fetch(url, init);
    return { status: answer.status, headers: answer.headers, text: () => answer.text() };
  };
  expect((await readAll(connect(whole).ask(QUESTION))).map(({ kind }) => kind)).toEqual(["sentence", "end"]);
});

test("leaving the loop, or aborting, ends the model's work", async () => {
  const aborting = new AbortController();
  const cut = model.cut();
  model.script(async (write, response) => {
    write(claim("Its lamp broke."));
    await new Promise((resolve) => response.once("close", resolve));
  });
  for await (const { kind } of connect().ask(QUESTION)) {
    expect(kind).toBe("sentence");
    break;
  }
  await expect.poll(model.cut).toBe(cut + 1);
  const lines = connect().ask(QUESTION, { signal: aborting.signal });
  await lines.next();
  aborting.abort();
  expect((await getFailure(lines.next())).code).toBe("aborted");
  await expect.poll(model.cut).toBe(cut + 2);
});

test("leaving the loop closes the connection at once, not when memory is collected", async () => {
  let closed = false;
  const body = new ReadableStream({
    start: (stream) => stream.enqueue(new TextEncoder().encode('{"kind":"sentence"}\n')),
    cancel: () => {
      closed = true;
    },
  });
  const fetch = async () => new Response(body);
  const lines = createAsking({ baseUrl: "https://minutes.test", apiKey: "jk_test", fetch }).ask(QUESTION);
  await lines.next();
  await lines.return(undefined);
  expect(closed).toBe(true);
});

test("an error has the service's message and status", async () => {
  const failed = await getFailure(connect().ask({ question: " " }).next());
  expect([failed.status, failed.message]).toEqual([400, expect.stringContaining("question")]);
  const refused = answering('{"status":503,"error":"Try again."}\n').ask(QUESTION);
  expect(await getFailure(refused.next())).toMatchObject({ code: "unavailable", message: "Try again." });
});

test("an answer is read in pieces of any size, and fails if it breaks off", async () => {
  const [sentence, end] = ['{"kind":"sentence","text":"Zoë said so. 🦀"}\n', '{"kind":"end","found":true}\n'];
  expect(await readAll(answering(sentence + end).ask(QUESTION))).toEqual([
    JSON.parse(sentence),
    JSON.parse(end),
  ]);
  const broken = answering(sentence + end.slice(0, 9)).ask(QUESTION);
  await broken.next();
  expect(await getFailure(broken.next())).toMatchObject({
    code: "network",
    message: "The answer broke off.",
  });
});

test("a refused question is asked again until the answer begins", async () => {
  const end = { kind: "end", found: false };
  const { clock, fetch, requests } = createScript([no(503), { status: 200, body: end }]);
  const options = { baseUrl: "https://minutes.test/", apiKey: "jk_test", fetch };
  const lines = createAsking(options, clock).ask({
    ...QUESTION,
    meetingId: undefined,
    startDate: "2026-01-01",
  });
  // The script's answer has no line break, so it is incomplete.
  expect((await getFailure(lines.next())).code).toBe("network");
  expect(requests.map(([url]) => url)).toEqual(
    Array(2).fill(
      "https://minutes.test/rest/v1/me/answer?question=Why+is+the+lighthouse+closed%3F&startDate=2026-01-01",
    ),
  );
});
