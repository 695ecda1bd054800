import { startTestServer, type TestServer } from "@minutes/server/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { fingerprintMeeting, fingerprintRequest } from "./fingerprint.js";

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.close());

const WORDS_OF_TURN = 5_000;

test("/health keeps answering while 20,000 different words and 8,000 turns are stored", async () => {
  const company = await server.given.company();
  const recorder = await server.given.ingestKey(company);
  const segment = (text: string) => ({ speakerId: "s1", speakerName: "Anna", text });
  const speech = Array.from({ length: 4 }, (_, turn) =>
    Array.from({ length: WORDS_OF_TURN }, (__, word) => `w${turn * WORDS_OF_TURN + word}x`).join(" "),
  );
  const short = Array.from({ length: 8_000 }, (_, at) => `yes ${at}`);
  let [answered, ended] = [0, false];
  const stored = server
    .call(recorder, "ingest/meetings.import", {
      externalId: "long",
      ownerEmail: company.admin.email,
      title: "Long",
      startTime: "2026-03-01T09:00:00Z",
      transcript: [...speech, ...short].map(segment),
    })
    .finally(() => {
      ended = true;
    });
  while (!ended) if ((await fetch(`${server.url}/health`)).ok) answered++;
  expect((await stored).status).toBe(200);
  // Without yielding, few get through: those that arrived before, and one per network round trip.
  expect(answered).toBeGreaterThan(15);
});

test("a meeting's fingerprint equals its JSON's", async () => {
  const lists = [[], [1, { a: "ü" }], Array.from({ length: 2_500 }, (_, at) => ({ at, gone: undefined }))];
  for (const list of lists) {
    const meeting = { title: "x", gone: undefined, list, event: null, other: list };
    expect(Buffer.from(await fingerprintMeeting(meeting))).toEqual(Buffer.from(fingerprintRequest(meeting)));
  }
  expect(await fingerprintMeeting({})).toEqual(fingerprintRequest({}));
});
