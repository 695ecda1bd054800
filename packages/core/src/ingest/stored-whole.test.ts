import { schema } from "@minutes/db";
import { openTestApi, readPayload, type TestApi } from "@minutes/testing";
import { eq } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { OPERATOR } from "../access/actor.js";
import { setPlan } from "../workspaces/index.js";
import { getUsage } from "../workspaces/plans/index.js";

const WORDS = "We talked about the turbines, the budget and who will call the supplier next week.";
const SUMMARY = { markdown: "**Turbines** are late." };
const SHOWN = {
  markdown: "**Turbines** are late.",
  html: "<p><strong>Turbines</strong> are late.</p>",
  short: "Turbines are late.",
};
const START = "2025-03-14T09:00:00.000Z";
const END = "2025-03-14T09:15:00.000Z";

let api: TestApi;
beforeAll(async () => {
  api = await openTestApi();
});
afterAll(() => api.close());

let last = 0;
type Answer = { meetingId: string; state: string; notStored?: string[] };
/** Creates a user with a recorder. */
async function createRecorder(plan: "free" | "team" = "team") {
  const company = await api.given.company({ plan });
  const user = await api.given.member(company);
  const key = await api.given.ingestKey(company);
  const toMeeting = (facts: object) => ({
    externalId: `whole-${++last}`,
    ownerEmail: user.email,
    title: "Weekly",
    startTime: START,
    endTime: END,
    ...facts,
  });
  const send = async (facts: object) => {
    const answer = await api.call(key, "ingest/meetings.import", toMeeting(facts));
    expect(answer.status).toBe(200);
    return readPayload<Answer>(answer);
  };
  const summaryOf = async ({ meetingId }: Answer) =>
    (await api.data(user.key, "me/meetings.get", { meetingId })).summary;
  const creditsUsed = async () => (await getUsage(api.db, { ...user, ...company })).creditsUsed;
  return { company, user, key, toMeeting, send, summaryOf, creditsUsed };
}

describe("a summary with little or no speech", () => {
  test("200: is kept and costs no credit, by import, in a batch and by completing a recording", async () => {
    const { user, key, toMeeting, send, summaryOf, creditsUsed } = await createRecorder();
    const imported = await send({ summary: SUMMARY });
    expect(imported.state).toBe("completed");
    expect(imported).not.toHaveProperty("notStored");
    expect(await summaryOf(imported)).toEqual(SHOWN);

    const few = [{ speakerId: "s", speakerName: "Anna", text: "Hello?" }];
    const batch = { meetings: [toMeeting({ summary: SUMMARY, transcript: few })] };
    const lines = await api.call(key, "ingest/meetings.importMany", batch);
    expect(await summaryOf(readPayload<Answer>(lines))).toEqual(SHOWN);

    const { endTime, ...start } = toMeeting({});
    await api.call(key, "ingest/recordings.start", start);
    const end = { externalId: start.externalId, endTime, summary: SUMMARY };
    expect(
      await summaryOf(readPayload<Answer>(await api.call(key, "ingest/recordings.complete", end))),
    ).toEqual(SHOWN);

    expect(await creditsUsed()).toBe(0);
    const charges = schema.creditCharges;
    expect(await api.db.$count(charges, eq(charges.userId, user.userId))).toBe(0);
  });

  test("200: over the plan's duration it is locked, and an upgrade shows it without charging a credit", async () => {
    const { company, send, summaryOf, creditsUsed } = await createRecorder("free");
    const answer = await send({ summary: SUMMARY, endTime: "2025-03-14T10:00:00.000Z" });
    const [row] = await api.db
      .select({ locked: schema.summaries.locked })
      .from(schema.summaries)
      .where(eq(schema.summaries.meetingId, answer.meetingId));
    expect(row?.locked).toBe(true);
    await setPlan(api.db, OPERATOR, company.workspaceId, "team");
    expect(await summaryOf(answer)).toEqual(SHOWN);
    expect(await creditsUsed()).toBe(0);
  });
});

describe("notStored", () => {
  const said = (speakerName: string, speakerEmail?: string) => ({
    speakerId: "s1",
    speakerName,
    text: WORDS,
    ...(speakerEmail ? { speakerEmail } : {}),
  });

  test("200: reports a tag's color, and a speaker's second name and address", async () => {
    const { send } = await createRecorder();
    expect(await send({ tags: [{ name: "Daily", color: "#112233" }] })).not.toHaveProperty("notStored");
    const answer = await send({
      transcript: [said("Anna", "anna@example.com"), said("Annie"), said("Anna", "other@example.com")],
      tags: [{ name: "Daily", color: "#445566" }],
    });
    expect(answer.notStored?.sort()).toEqual([
      "tags.color",
      "transcript.speakerEmail",
      "transcript.speakerName",
    ]);
  });

  test("200: is absent if a later turn adds the address, or a tag comes in its own color", async () => {
    const { send } = await createRecorder();
    const facts = {
      transcript: [said("Anna"), said("Anna", "anna@example.com")],
      tags: [{ name: "Weekly", color: "#abcdef" }],
    };
    await send(facts);
    expect(await send(facts)).not.toHaveProperty("notStored");
  });
});

describe("creation times of imported tasks", () => {
  const listed = async ({ user }: Awaited<ReturnType<typeof createRecorder>>, filter: object = {}) => {
    const { tasks } = await api.data(user.key, "me/tasks.list", filter);
    return tasks.map(({ text, createdAt }) => [text, createdAt]);
  };

  test("200: the meeting's end, its start if it has no end, or the sent value", async () => {
    const recorder = await createRecorder();
    await recorder.send({
      tasks: [{ text: "end" }, { text: "sent", createdAt: "2024-06-01T08:00:00+02:00" }],
    });
    await recorder.send({ tasks: [{ text: "start" }], endTime: undefined });
    const { endTime, ...start } = recorder.toMeeting({});
    await api.call(recorder.key, "ingest/recordings.start", start);
    await api.call(recorder.key, "ingest/recordings.complete", {
      externalId: start.externalId,
      endTime: "2025-03-14T09:20:00.000Z",
      tasks: [{ text: "recorded" }],
    });
    const all = [
      ["recorded", "2025-03-14T09:20:00.000Z"],
      ["end", END],
      ["start", START],
      ["sent", "2024-06-01T06:00:00.000Z"],
    ];
    expect(await listed(recorder)).toEqual(all);
    expect(await listed(recorder, { startDate: "2025-03-14" })).toEqual(all.slice(0, 3));
    expect(await listed(recorder, { startDate: "2025-03-15" })).toEqual([]);
    expect(await listed(recorder, { endDate: "2024-12-31" })).toEqual(all.slice(3));
  });

  test("400: an invalid time", async () => {
    const { key, toMeeting } = await createRecorder();
    const input = toMeeting({ tasks: [{ text: "One", createdAt: "yesterday" }] });
    expect(await api.call(key, "ingest/meetings.import", input)).toMatchObject({ status: 400 });
  });
});
