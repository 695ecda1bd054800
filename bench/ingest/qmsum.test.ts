import { startTestServer, type TestServer } from "@minutes/server/testing";
import { type Company, needs, type Person } from "@minutes/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type QmsumMeeting, readQmsumMeetings } from "./dataset.js";

let server: TestServer;
let company: Company;
let anna: Person;
let key: string;
let meetings: QmsumMeeting[];
beforeAll(async () => {
  server = await startTestServer();
  company = await server.given.company();
  anna = await server.given.member(company);
  key = await server.given.ingestKey(company);
  meetings = readQmsumMeetings(anna.email);
});
afterAll(() => server.close());

const BATCH = 20;

test("200: all 197 meetings of QMSum go in through ingest, and each transcript comes back whole", {
  ...needs("searchbench"),
  timeout: 600_000,
}, async () => {
  expect(meetings).toHaveLength(197);
  for (let at = 0; at < meetings.length; at += BATCH) {
    const batch = meetings.slice(at, at + BATCH);
    const answer = await server.call(key, "ingest/meetings.importMany", {
      meetings: batch.map(({ input }) => input),
    });
    const lines = answer.text.trimEnd().split("\n");
    expect(lines).toHaveLength(batch.length);
    for (const [place, { input, transcript }] of batch.entries()) {
      const { meetingId, ...rest } = JSON.parse(lines[place] ?? "").result.data.json;
      expect(rest).toEqual({ externalId: input.externalId, state: "completed" });
      const stored = await server.data(anna.key, "me/meetings.get", { meetingId });
      expect(stored.transcript).toBe(transcript);
      const speakers = new Set(input.transcript?.map(({ speakerName }) => speakerName));
      expect(stored.participants.map(({ name }) => name)).toEqual([...speakers]);
      for (const name of speakers)
        expect(stored.transcript).toContain(`**${name.replace(/[\\*_`]/g, "\\$&")}**: `);
    }
  }
  // One of them alone, again, by the call for one.
  const again = await server.call(key, "ingest/meetings.import", meetings[0]?.input);
  expect(again.status).toBe(200);
});
