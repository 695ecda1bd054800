import { MeetingImport } from "@minutes/contract";
import { schema } from "@minutes/db";
import { openTestApi, type Person, type TestApi } from "@minutes/testing";
import { eq } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { importMeeting, importTranscribed, isImportNeeded, NO_SUMMARIES } from "./index.js";

const { creditCharges, participants, recordings } = schema;

let api: TestApi;
beforeAll(async () => {
  api = await openTestApi();
});
afterAll(() => api.close());

const HEARD = "We talked about the turbines, the budget and the supplier of both.";
const QUEUE = { enabled: true, wake: () => {} };

/** A transcribed recording as the command line imports it. */
const recorded = (owner: Person, text: string, more: object = {}) => ({
  ...MeetingImport.parse({
    externalId: "file:1",
    ownerEmail: owner.email,
    title: "call",
    startTime: "2026-03-02T10:00:00Z",
    transcript: [{ speakerId: "s1", speakerName: "Unknown speaker", text, start: 0, end: 4 }],
  }),
  assumed: ["title", "startTime", "transcript", "endTime"] as const,
  ...more,
});
const countCharges = async (owner: Person) =>
  (await api.db.select().from(creditCharges).where(eq(creditCharges.userId, owner.userId))).length;

describe("a transcribed recording", () => {
  test("is charged as a recorder's meeting is; an old meeting is not", async () => {
    const anna = await api.given.person();
    await importMeeting(api.db, recorded(anna, HEARD, { externalId: "old" }));
    expect(await countCharges(anna)).toBe(0);
    const input = recorded(anna, HEARD);
    expect(await importTranscribed(api.db, input, NO_SUMMARIES)).toMatchObject({ created: true });
    expect(await countCharges(anna)).toBe(1);
    await importTranscribed(api.db, recorded(anna, HEARD, { externalId: "short" }), NO_SUMMARIES);
    expect(await countCharges(anna)).toBe(2);
    await importTranscribed(api.db, recorded(anna, "Hello.", { externalId: "free" }), NO_SUMMARIES);
    expect(await countCharges(anna)).toBe(2);
  });

  test("heard differently is the same meeting; replacing it takes the new words, and charges nothing", async () => {
    const anna = await api.given.person();
    const first = await importTranscribed(api.db, recorded(anna, HEARD), NO_SUMMARIES);
    const other = recorded(anna, `${HEARD} Yes.`, { title: "Call 2", startTime: "2026-03-03T10:00:00.000Z" });
    expect(await importTranscribed(api.db, other, NO_SUMMARIES)).toMatchObject({
      meetingId: first.meetingId,
      created: false,
    });
    const replaced = await importTranscribed(api.db, { ...other, replace: true }, NO_SUMMARIES);
    expect(replaced).toMatchObject({ meetingId: first.meetingId, created: false, replaced: true });
    const { transcript } = await api.data(anna.key, "me/meetings.get", { meetingId: first.meetingId });
    expect(transcript).toContain("Yes.");
    expect(await countCharges(anna)).toBe(1);
  });

  test("waits for its summary, and can be replaced until then", async () => {
    const anna = await api.given.person();
    const first = await importTranscribed(api.db, recorded(anna, HEARD), QUEUE);
    expect(first).toMatchObject({ created: true, waits: true });
    const again = recorded(anna, `${HEARD} Yes.`, { replace: true });
    expect(await isImportNeeded(api.db, again)).toBe(true);
    expect(await importTranscribed(api.db, again, QUEUE)).toMatchObject({ replaced: true });
    const states = await api.db
      .select({ state: recordings.state })
      .from(recordings)
      .where(eq(recordings.id, first.meetingId));
    expect(states).toEqual([{ state: "processing" }]);
    expect(await countCharges(anna)).toBe(0);
  });

  test("has one unnamed speaker that people can name", async () => {
    const anna = await api.given.person();
    const { meetingId } = await importTranscribed(api.db, recorded(anna, HEARD), NO_SUMMARIES);
    const listed = await api.askFor<{ version: number; speakers: { speakerLabel: string }[] }>(
      anna,
      "speakers.list",
      { meetingId },
    );
    expect(listed.speakers).toHaveLength(1);
    await api.askFor(anna, "speakers.assign", {
      ...{ meetingId, speakerLabel: listed.speakers[0]?.speakerLabel, baseVersion: listed.version },
      name: "Ada Lovelace",
    });
    const names = await api.db
      .select({ name: participants.name })
      .from(participants)
      .where(eq(participants.meetingId, meetingId));
    expect(names).toEqual([{ name: "Ada Lovelace" }]);
  });
});

test("before a recording is transcribed, it is known whether that changes anything or is refused", async () => {
  const anna = await api.given.person();
  const ask = (more: object = {}) => isImportNeeded(api.db, recorded(anna, "", { transcript: [], ...more }));
  expect(await ask()).toBe(true);
  const { meetingId } = await importTranscribed(api.db, recorded(anna, HEARD), NO_SUMMARIES);
  expect(await ask()).toBe(false);
  expect(await ask({ replace: true })).toBe(true);
  const tags = [{ name: "Wind" }];
  await expect(ask({ tags })).rejects.toMatchObject({ code: "CONFLICT" });
  expect(await ask({ tags, replace: true })).toBe(true);
  await api.askFor(anna, "meetings.delete", { meetingId });
  await expect(ask()).rejects.toMatchObject({ code: "CONFLICT" });
  expect(await ask({ restore: true })).toBe(true);
  await expect(ask({ ownerEmail: "nobody@example.com" })).rejects.toMatchObject({ code: "NOT_FOUND" });
});
