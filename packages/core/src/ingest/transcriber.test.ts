import { createWav, SPOKEN, startTranscriber } from "@minutes/server/testing";
import { expect, test } from "vitest";
import { createTranscriber, type TranscriberOptions } from "./transcriber.js";

const KEY = "sk-secret";
const TERM = "Pennyfrost";
const audio = {
  bytes: createWav(0.1),
  extension: "wav",
  vocabulary: { personal: [TERM], team: ["Zeta", TERM] },
};

const transcribe = (url: string, more: Partial<TranscriberOptions> = {}) =>
  createTranscriber({ url, model: "whisper-1", key: KEY, pause: 1, ...more })(
    audio,
    new AbortController().signal,
  );

/** Transcribes, and returns the refusal, which must name neither key, address nor content. */
async function refuse(url: string, more: Partial<TranscriberOptions> = {}): Promise<string> {
  const error = await transcribe(url, more).then(
    () => Promise.reject(new Error("It was not refused.")),
    (thrown: Error) => thrown,
  );
  expect([error.name, error.cause]).toEqual(["TranscriberError", undefined]);
  for (const secret of [KEY, TERM, "127.0.0.1", "turbines"]) expect(error.message).not.toContain(secret);
  return error.message;
}

test("a recording is sent as a form with model, format and vocabulary, under a neutral name", async () => {
  const service = await startTranscriber();
  expect(await transcribe(`${service.url}/`)).toEqual(
    SPOKEN.segments.map(({ start, end, text }) => ({ start, end, text })),
  );
  expect(service.asked).toEqual([
    {
      path: "/v1/audio/transcriptions",
      authorization: `Bearer ${KEY}`,
      fields: {
        model: "whisper-1",
        response_format: "verbose_json",
        "timestamp_granularities[]": "segment",
        prompt: "Pennyfrost, Zeta",
      },
      file: { name: "recording.wav", bytes: new Uint8Array(audio.bytes) },
    },
  ]);
});

test("a long vocabulary is cut between terms to what a model reads", async () => {
  const service = await startTranscriber();
  const team = Array.from({ length: 250 }, (_, at) => `Term ${at}`);
  const transcriber = createTranscriber({ url: service.url, model: "whisper-1" });
  await transcriber({ ...audio, vocabulary: { personal: [], team } }, new AbortController().signal);
  const terms = service.asked[0]?.fields.prompt?.split(", ") ?? [];
  expect(terms).toEqual(team.slice(0, terms.length));
  expect(terms.length).toBeGreaterThan(50);
  expect(service.asked[0]?.fields.prompt?.length).toBeLessThanOrEqual(800);
});

test("a busy transcriber is asked again after its Retry-After, at most four times", async () => {
  const service = await startTranscriber((response, number) => {
    if (number === 3) return SPOKEN;
    response.writeHead(number === 1 ? 429 : 503, { "retry-after": "0" }).end();
  });
  // A pause of its own would outlast the test.
  expect(await transcribe(service.url, { pause: 3_600_000 })).toHaveLength(2);

  const busy = await startTranscriber((response) => void response.writeHead(429).end());
  expect(await refuse(busy.url)).toBe("The transcriber is busy (429). Try again later.");
  expect(busy.asked.length).toBe(4);

  const patient = await startTranscriber(
    (response) => void response.writeHead(429, { "retry-after": "3600" }).end(),
  );
  expect(await refuse(patient.url)).toBe("The transcriber is busy (429). Try again later.");
  expect(patient.asked.length).toBe(1);
});

test.each([
  [401, "The transcriber refuses the key (401). Check TRANSCRIBER_KEY."],
  [
    404,
    "The transcriber has no such address or model (404). Check TRANSCRIBER_URL, which usually ends with /v1, and TRANSCRIBER_MODEL.",
  ],
  [
    413,
    "The recording is too large for the transcriber (413). Compress it, for example to MP3 with 64 kbit/s, or split it.",
  ],
  [
    400,
    "The transcriber refuses the recording (400). Check that it plays, and that TRANSCRIBER_MODEL supports response_format=verbose_json.",
  ],
  [500, "The transcriber failed (500). Try again later."],
])("refused after one request: a transcriber that answers %i", async (status, message) => {
  const service = await startTranscriber(
    (response) => void response.writeHead(status).end(`{"error":{"message":"${TERM} turbines ${KEY}"}}`),
  );
  expect(await refuse(service.url)).toBe(message);
  expect(service.asked.length).toBe(1);
});

test("refused: a redirect, which would send the recording elsewhere", async () => {
  const elsewhere = await startTranscriber();
  const service = await startTranscriber(
    (response) => void response.writeHead(307, { location: `${elsewhere.url}/audio/transcriptions` }).end(),
  );
  expect(await refuse(service.url)).toMatch(/^The transcriber refuses the recording \(307\)/);
  expect(elsewhere.asked).toEqual([]);
});

test.each([
  ["text only", JSON.stringify({ text: "turbines" })],
  ["no JSON", "turbines"],
  ["half of an answer", JSON.stringify(SPOKEN).slice(0, 200)],
  ["segments without a start", JSON.stringify({ segments: [{ text: "turbines", end: 1 }] })],
])("refused: an answer with %s", async (_, body) => {
  const service = await startTranscriber((response) => void response.end(body));
  expect(await refuse(service.url)).toMatch(/^The transcriber's answer has no segments with times: /);
});

test("refused: a transcriber that hangs before or within its answer, at the timeout", async () => {
  const message = "The transcriber did not answer in time. Split the recording, or use a faster model.";
  const silent = await startTranscriber(() => undefined);
  expect(await refuse(silent.url, { timeout: 50 })).toBe(message);
  const slow = await startTranscriber((response) => void response.write('{"segments":['));
  expect(await refuse(slow.url, { timeout: 50 })).toBe(message);
});

test("refused: a transcriber that is down", async () => {
  const service = await startTranscriber();
  service.stop();
  expect(await refuse(service.url)).toBe(
    "The transcriber can't be reached. Check TRANSCRIBER_URL, and that it is running.",
  );
});

test("a stop ends the request and the wait for the next one", async () => {
  const controller = new AbortController();
  const service = await startTranscriber((response) => {
    response.writeHead(429, { "retry-after": "50" }).end();
    setImmediate(() => controller.abort());
    return undefined;
  });
  const transcriber = createTranscriber({ url: service.url, model: "whisper-1" });
  await expect(transcriber(audio, controller.signal)).rejects.toThrow(/abort/);
  expect(service.asked.length).toBe(1);
});
