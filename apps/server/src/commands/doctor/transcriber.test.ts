import { expect, test } from "vitest";
import { WHISPER_BASE } from "../../operations/transcriber/catalogue.js";
import { startTranscriber } from "../../testing/transcriber.js";
import { checkTranscriber } from "./transcriber.js";

const connect = (url: string) =>
  ({ kind: "endpoint", endpoint: { url, model: "whisper-1", key: "sk-secret" } }) as const;

test("without a transcriber, doctor says nothing about it", async () => {
  expect(await checkTranscriber(null)).toEqual([]);
});

test("ok: a model on this machine, with its speed", async () => {
  const installed = { directory: "/nowhere", speed: 4.9 };
  const choice = { kind: "local", model: WHISPER_BASE, installed, converter: null } as const;
  expect(await checkTranscriber(choice)).toEqual([
    {
      ...{ name: "Transcriber", status: "ok" },
      message: "whisper-base on this machine: about 12 minutes for an hour of speech.",
    },
  ]);
});

test("ok: a transcriber that lists its model; it is asked with the key, and sent nothing", async () => {
  const service = await startTranscriber(() => ({
    object: "list",
    data: [{ id: "tiny" }, { id: "whisper-1" }],
  }));
  expect(await checkTranscriber(connect(service.url))).toEqual([
    { name: "Transcriber", status: "ok", message: "it answers, and lists the model." },
  ]);
  expect(service.asked).toEqual([
    { path: "/v1/models", authorization: "Bearer sk-secret", fields: {}, file: null },
  ]);
});

test.each([
  ["warn", "does not list the model", 200, { data: [{ id: "tiny" }] }],
  ["ok", "it answers.", 200, { status: "ok" }],
  ["ok", "no list of models", 404, {}],
  ["fail", "refuses the key (401): check TRANSCRIBER_KEY", 401, {}],
  ["warn", "answers with 500: check TRANSCRIBER_URL", 500, {}],
])("%s: %s", async (status, message, code, body) => {
  const service = await startTranscriber((response) => {
    response.statusCode = code;
    return body;
  });
  expect(await checkTranscriber(connect(service.url))).toEqual([
    { name: "Transcriber", status, message: expect.stringContaining(message) },
  ]);
});

test("fail: a transcriber that hangs or is down", async () => {
  const hanging = await startTranscriber(() => undefined);
  const down = await startTranscriber();
  down.stop();
  for (const [url, timeout] of [[hanging.url, 50] as const, [down.url, 60_000] as const])
    expect(await checkTranscriber(connect(url), timeout)).toEqual([
      {
        ...{ name: "Transcriber", status: "fail" },
        message: "it does not answer: check TRANSCRIBER_URL, and that it is running.",
      },
    ]);
});
