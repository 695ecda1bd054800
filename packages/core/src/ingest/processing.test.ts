import http from "node:http";
import type { AddressInfo } from "node:net";
import { schema } from "@minutes/db";
import { startTestServer, type TestServer } from "@minutes/server/testing";
import { type Company, type Person, readPayload } from "@minutes/testing";
import { max } from "drizzle-orm";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { type Processing, startRecordingWorker } from "./processing.js";
import { createChatSummariser } from "./summariser.js";
import { chatService } from "./testing/chat-service.js";

const MADE = JSON.stringify({
  title: "Turbines",
  summary: "They spoke of **turbines**.",
  short: "Turbines.",
  tasks: [{ text: "Call the supplier", assignee: "Anna" }, { text: " " }],
});
const WORDS = "We talked about the turbines, the budget and who will call the supplier.";

let server: TestServer;
let company: Company;
let anna: Person;
let key: string;
let worker: Processing | undefined;
const wake = () => worker?.wake();
beforeAll(async () => {
  server = await startTestServer({ summaries: { enabled: true, wake } });
  company = await server.given.company();
  anna = await server.given.member(company);
  key = await server.given.ingestKey(company);
});
afterEach(async () => {
  await worker?.stop();
  worker = undefined;
});
afterAll(() => server.close());

let last = 0;
async function record(extra: object = {}) {
  const input = {
    externalId: `made-${++last}`,
    ownerEmail: anna.email,
    title: "Weekly",
    startTime: "2025-03-14T09:00:00.000Z",
    endTime: "2025-03-14T09:30:00.000Z",
    transcript: [{ speakerId: "s", speakerName: "Anna", text: WORDS }],
    ...extra,
  };
  const send = async () => {
    const answer = await server.call(key, "ingest/meetings.import", input);
    return readPayload<{ meetingId: string; state: string }>(answer);
  };
  return { ...(await send()), send };
}
const summaryOf = async (meetingId: string) =>
  (await server.data(anna.key, "me/meetings.get", { meetingId })).summary.markdown;
const until = (recording: { send(): Promise<{ state: string }> }, state: string) =>
  expect.poll(async () => (await recording.send()).state).toBe(state);
const work = (url: string, options: object = {}) => {
  worker = startRecordingWorker({
    recordingDays: 30,
    db: server.db,
    summariser: createChatSummariser({ url, model: "test-model", key: "secret", ...options }),
    backoff: [0, 0],
    interval: 50,
  });
};

describe("a summariser", () => {
  test("creates title, summary, short line and tasks; until then the recording is processing", async () => {
    const recording = await record();
    expect(recording.state).toBe("processing");
    const { meetingId } = recording;
    expect((await server.call(anna.key, "me/meetings.get", { meetingId })).status).toBe(404);
    const service = await chatService(() => `\`\`\`json\n${MADE}\n\`\`\``);
    work(`${service.url}/`);
    await until(recording, "completed");
    expect(await server.data(anna.key, "me/meetings.get", { meetingId })).toMatchObject({
      generatedTitle: "Turbines",
      summary: { markdown: "They spoke of **turbines**.", short: "Turbines." },
      tasks: [{ content: "Call the supplier", assignee: { name: "Anna", email: null } }],
    });
    expect(service.asked).toMatchObject([
      {
        path: "/v1/chat/completions",
        authorization: "Bearer secret",
        body: {
          model: "test-model",
          response_format: { type: "json_object" },
          messages: [{ role: "system" }, { role: "user", content: `Meeting: Weekly\n\nAnna: ${WORDS}` }],
        },
      },
    ]);
    service.close();
  });

  test("is not called if the recorder sends a summary, or the meeting is too short for one", async () => {
    const service = await chatService(() => MADE);
    work(service.url);
    const own = await record({ summary: { markdown: "Mine." } });
    const short = await record({ transcript: [] });
    expect([own.state, short.state]).toEqual(["completed", "completed"]);
    expect(service.asked).toEqual([]);
    service.close();
  });

  test("gets a long transcript in parts, and merges their summaries", async () => {
    const transcript = Array.from({ length: 30 }, (_, at) => ({
      speakerId: "s",
      speakerName: "Anna",
      text: `${at} ${WORDS}`,
    }));
    const service = await chatService(() => MADE);
    work(service.url, { partLength: 1_000 });
    const recording = await record({ transcript });
    await until(recording, "completed");
    const users = service.asked.map(({ body }) => body.messages[1]?.content ?? "");
    expect(users.length).toBeGreaterThan(3);
    const parts = users.slice(0, -1);
    for (const { text } of transcript) expect(parts.some((part) => part.includes(text))).toBe(true);
    for (const part of parts) expect(part.length).toBeLessThan(1_100);
    expect(users.at(-1)).toContain("They spoke of **turbines**.");
    service.close();
  });

  test("that fails is retried", async () => {
    const service = await chatService((_asked, number) =>
      number < 3 ? (number === 1 ? 500 : "no JSON") : MADE,
    );
    work(service.url);
    const recording = await record();
    await until(recording, "completed");
    expect(await summaryOf(recording.meetingId)).toBe("They spoke of **turbines**.");
    expect(service.asked).toHaveLength(3);
    service.close();
  });

  test("that keeps failing does not lose the meeting: it is completed without a summary", async () => {
    const service = await chatService(() => 429);
    work(service.url);
    const recording = await record();
    await until(recording, "completed");
    expect(await summaryOf(recording.meetingId)).toBe("");
    expect(service.asked).toHaveLength(3);
    service.close();
  });

  test("that answers with endless whitespace does not delay other meetings", async () => {
    const service = await chatService((_asked, number) =>
      number === 1 ? `\`\`\`json${" ".repeat(500_000)}` : MADE,
    );
    work(service.url);
    const recording = await record();
    await until(recording, "completed");
    expect(await summaryOf(recording.meetingId)).toBe("They spoke of **turbines**.");
    service.close();
  });

  test("that takes longer than a lease is called once, however many workers there are", async () => {
    let asked = 0;
    const leasedUntil = async () =>
      (await server.db.select({ until: max(schema.recordingDrafts.dueAt) }).from(schema.recordingDrafts))[0]
        ?.until;
    const summariser = async () => {
      asked++;
      const claimed = await leasedUntil();
      await expect.poll(leasedUntil).not.toEqual(claimed);
      return { summary: { markdown: "Once." } };
    };
    const options = { recordingDays: 30, db: server.db, summariser, lease: 5, interval: 50 };
    const workers = [startRecordingWorker(options), startRecordingWorker(options)];
    const recording = await record();
    await until(recording, "completed");
    await Promise.all(workers.map((one) => one.stop()));
    expect(await summaryOf(recording.meetingId)).toBe("Once.");
    expect(asked).toBe(1);
  });

  test("that hangs ends at the timeout, and a stop does not wait for it", async () => {
    const hanging = http.createServer(() => {});
    await new Promise<void>((resolve) => hanging.listen(0, "127.0.0.1", resolve));
    const url = `http://127.0.0.1:${(hanging.address() as AddressInfo).port}/v1`;
    const slow = await record();
    work(url, { timeout: 50 });
    await until(slow, "completed");
    await worker?.stop();

    const cut = await record();
    work(url);
    await new Promise((resolve) => setTimeout(resolve, 200));
    await worker?.stop();
    expect((await cut.send()).state).toBe("processing");
    // The next process, without a summariser, continues from there.
    worker = startRecordingWorker({ recordingDays: 30, db: server.db, summariser: null });
    await until(cut, "completed");
    hanging.closeAllConnections();
    hanging.close();
  });
});
