import { MESSAGES } from "@minutes/contract";
import { schema } from "@minutes/db";
import { startTestServer, type TestServer } from "@minutes/server/testing";
import { readPayload } from "@minutes/testing";
import { eq } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { OPERATOR } from "../../access/actor.js";
import { eraseFromMeetings, findSought } from "../../erasure/index.js";
import { exportMeeting } from "../../export/index.js";

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.close());

const URL_ = "https://calls.example.com/r/1?t=secret";

async function importMeeting(recordingUrl: unknown) {
  const company = await server.given.company();
  const recorder = await server.given.ingestKey(company);
  const answer = await server.call(recorder, "ingest/meetings.import", {
    ...{
      externalId: "a",
      title: "Plan",
      startTime: "2025-01-06T09:00:00Z",
      recordingUrl,
      startPrecision: "day",
    },
    ownerEmail: company.admin.email,
    transcript: [{ speakerId: "b", speakerName: "Ben", speakerEmail: "ben@example.com", text: "Hello." }],
  });
  const ask = (meetingId: string, headers: Record<string, string>) =>
    fetch(`${server.url}/rest/v1/me/meetings/${meetingId}/recording`, { headers, redirect: "manual" });
  return { company, answer, ask };
}

describe("the address of a recording that stays at its provider", () => {
  test("is in the export, not in /v1; a bearer token is redirected to it, a key in x-api-key is not sent there", async () => {
    const { company, answer, ask } = await importMeeting(URL_);
    const { meetingId } = readPayload<{ meetingId: string }>(answer);
    const { record } = await exportMeeting(server.db, meetingId);
    expect(record).toMatchObject({ recordingUrl: URL_, startPrecision: "day" });
    const detail = await server.call(company.admin.key, "me/meetings.get", { meetingId });
    expect(JSON.stringify(readPayload(detail))).not.toMatch(/calls\.example\.com|startPrecision/);
    const bearer = await ask(meetingId, { authorization: `Bearer ${company.admin.key}` });
    expect([bearer.status, bearer.headers.get("location")]).toEqual([302, URL_]);
    const key = await ask(meetingId, { "x-api-key": company.admin.key });
    expect([key.status, key.headers.get("location")]).toEqual([200, null]);
    expect(await key.json()).toEqual({
      ...{ address: URL_, expiresAt: null, type: null, bytes: null, seconds: null },
    });
    const stranger = await server.given.person();
    expect((await ask(meetingId, { "x-api-key": stranger.key })).status).toBe(403);
  });

  test("ends when a person is erased from the meeting", async () => {
    const { company, answer, ask } = await importMeeting(URL_);
    const { meetingId } = readPayload<{ meetingId: string }>(answer);
    const sought = await findSought(server.db, "ben@example.com");
    while ((await eraseFromMeetings(server.db, OPERATOR, sought, 10)).length > 0);
    const [row] = await server.db.select().from(schema.meetings).where(eq(schema.meetings.id, meetingId));
    expect(row?.recordingUrl).toBeNull();
    const gone = await ask(meetingId, { "x-api-key": company.admin.key });
    expect([gone.status, await gone.json()]).toEqual([404, { error: MESSAGES.noRecording }]);
  });

  test.each([
    "http://calls.example.com/1",
    "javascript:alert(1)",
    "https://",
    "https://anna:secret@calls.example.com/",
    "https://calls.example.com/a b",
    "https://calls.example.com/ü",
    `https://calls.example.com/${"a".repeat(2_000)}`,
    7,
  ])("400: %s", async (recordingUrl) => {
    const { answer } = await importMeeting(recordingUrl);
    expect(answer.status).toBe(400);
  });
});
