import { request } from "node:http";
import { startTestServer, type TestServer } from "@minutes/server/testing";
import { type Company, PROCEDURES, readPayload, send } from "@minutes/testing";
import { afterAll, beforeAll, expect, test } from "vitest";

let server: TestServer;
let company: Company;
let key: string;
beforeAll(async () => {
  server = await startTestServer();
  company = await server.given.company();
  key = await server.given.ingestKey(company);
});
afterAll(() => server.close());

let last = 0;
const meeting = (segments: readonly object[]) => ({
  externalId: `large-${++last}`,
  ownerEmail: company.admin.email,
  title: "Large",
  startTime: "2026-03-01T09:00:00Z",
  transcript: segments,
});
/** Segments of some 1.3 MB: bodies above 1 MiB are parsed in a thread. */
const segments = Array.from({ length: 12_000 }, (_, at) => ({
  speakerId: `s${at % 9}`,
  speakerName: `Speaker ${at % 9}`,
  text: `What was said in turn ${at}, "quoted" and with ümlauts.`,
  start: at,
}));
const sendBody = (path: string, body: string | Uint8Array) =>
  send(server.url, `/ingest/v1/${path}`, {
    method: "POST",
    headers: { "x-api-key": key, "content-type": "application/json" },
    body,
  });
const sendInput = (path: string, input: object) => sendBody(path, JSON.stringify({ json: input }));

test("200: a large meeting is stored as sent, and the same meeting with reordered fields is a no-op", async () => {
  const sent = meeting(segments);
  const first = await sendInput("meetings.import", sent);
  const { meetingId } = readPayload<{ meetingId: string }>(first);
  const { transcript } = await server.data(company.admin.key, "me/meetings.get", { meetingId });
  const turns = transcript.split("\n\n");
  expect(turns).toHaveLength(segments.length);
  for (const at of [0, 9_999, 11_999]) expect(turns[at]).toContain(segments[at]?.text);
  const again = await sendInput("meetings.import", Object.fromEntries(Object.entries(sent).reverse()));
  expect(again.text).toBe(first.text);
});

test("400: a large body's fault is reported like a short one's", async () => {
  const invalid = meeting([...segments, { speakerId: "s1", speakerName: "Anna" }]);
  const bodies: [string | Uint8Array, RegExp][] = [
    [JSON.stringify({ json: invalid }), /^transcript\[12000\]\.text must be given$/],
    [JSON.stringify({ json: { ...invalid, colour: "red" } }), /^transcript\[12000\]|^Unknown field/],
    [JSON.stringify({ json: segments }), /^input\.json must be an object\.$/],
    [`{"json":${JSON.stringify(invalid)}`, /^input is not valid JSON\.$/],
    [Buffer.from(JSON.stringify({ json: invalid }), "latin1"), /^The body is not valid UTF-8\.$/],
    [`{"json":{"transcript":[${"[],".repeat(2_000_000)}0]}}`, /^The input has too many values\./],
  ];
  for (const [body, sentence] of bodies) {
    const { status, body: answer } = await sendBody("meetings.import", body);
    expect([status, answer]).toEqual([400, { error: expect.stringMatching(sentence) }]);
  }
});

test("200: each meeting of a large batch is stored or refused", async () => {
  const meetings = [meeting(segments), { title: "No owner" }, meeting(segments.slice(0, 2_000))];
  const lines = (await sendInput("meetings.importMany", { meetings })).text.trim().split("\n");
  const answers = lines.map((line) => JSON.parse(line));
  expect(answers[0].result.data.json.state).toBe("completed");
  expect(answers[1]).toEqual({ status: 400, error: expect.stringContaining("externalId") });
  const { meetingId } = answers[2].result.data.json;
  const { transcript } = await server.data(company.admin.key, "me/meetings.get", { meetingId });
  expect(transcript.split("\n\n")).toHaveLength(2_000);
});

test("/health answers while 15 MB are parsed", async () => {
  const text = "word ".repeat(60);
  const transcript = Array.from({ length: 40_000 }, () => ({ speakerId: "s", speakerName: "A", text }));
  // The last segment is not valid, so every answer until then is given while the body is parsed and validated.
  const body = Buffer.from(JSON.stringify({ json: { title: "Large", transcript: [...transcript, {}] } }));
  let status: number | undefined;
  const call = request(`${server.url}/ingest/v1/meetings.import`, {
    method: "POST",
    headers: { "x-api-key": key, "content-type": "application/json", "content-length": body.length },
  });
  call.on("response", (response) => {
    status = response.resume().statusCode;
  });
  const answerHealth = async () => expect((await fetch(`${server.url}/health`)).status).toBe(200);
  await new Promise<unknown>((resolve) => call.write(body.subarray(0, -1), resolve));
  // The server reads the sent bytes before the last one lets it start.
  for (let nth = 0; nth < 200; nth++) await answerHealth();
  call.end(body.subarray(-1));
  let answered = 0;
  for (; status === undefined; answered++) await answerHealth();
  expect(status).toBe(400);
  // Parsed where requests are served, it lets through those that arrived before.
  expect(answered).toBeGreaterThan(10);
});

test("400: every write of a recorder is parsed in the thread, which refuses millions of values", async () => {
  const body = `{"json":{"externalId":[${"[],".repeat(2_000_000)}0]}}`;
  const writes = PROCEDURES.filter(({ path, isWrite }) => path.startsWith("/ingest/v1/") && isWrite);
  expect(writes).toHaveLength(5);
  for (const { path } of writes) {
    const answer = await sendBody(path.slice("/ingest/v1/".length), body);
    expect([path, answer.status, answer.text]).toEqual([
      path,
      400,
      expect.stringContaining("too many values"),
    ]);
  }
});
