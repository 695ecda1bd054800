import { randomBytes } from "node:crypto";
import { schema } from "@minutes/db";
import {
  createIngestKey,
  createPersonalWebhook,
  needs,
  openTestApi,
  readPayload,
  type TestApi,
} from "@minutes/testing";
import { eq, sql } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { OPERATOR } from "../access/actor.js";
import { createTargetPolicy } from "../lib/http/target-policy.js";
import { createKeyring } from "../lib/keyring.js";
import { joinWorkspace, setPlan } from "../workspaces/index.js";

const { creditCharges, deliveries, meetings, summaries, webhookEvents } = schema;
const WORDS = "These are certainly more than ten words, so that a summary can be made of them.";

let api: TestApi;
beforeAll(async () => {
  api = await openTestApi();
});
afterAll(() => api.close());

let last = 0;
/** Creates a user in a workspace of a plan, with a recorder. */
async function recordedUser(plan: "free" | "plus" | "pro" | "team") {
  const company = await api.given.company({ plan });
  const user = await api.given.member(company);
  const key = await api.given.ingestKey(company);
  const record = async (minutes = 10, words = WORDS, extra = {}) => {
    const answer = await api.call(key, "ingest/meetings.import", {
      externalId: `credit-${++last}`,
      ownerEmail: user.email,
      title: "Meeting",
      startTime: "2025-03-14T09:00:00.000Z",
      endTime: new Date(Date.parse("2025-03-14T09:00:00.000Z") + minutes * 60_000).toISOString(),
      transcript: [{ speakerId: "s", speakerName: "Anna", text: words }],
      summary: { markdown: "A **summary**." },
      ...extra,
    });
    return readPayload<{ meetingId: string }>(answer).meetingId;
  };
  const stateOf = async (meetingId: string) => {
    const [row] = await api.db
      .select({ locked: summaries.locked, charged: creditCharges.recordingId })
      .from(meetings)
      .leftJoin(summaries, eq(summaries.meetingId, meetings.id))
      .leftJoin(creditCharges, eq(creditCharges.recordingId, meetings.id))
      .where(eq(meetings.id, meetingId));
    const summary = row?.locked === null ? "none" : row?.locked ? "locked" : "shown";
    return `${summary}, ${row?.charged ? "charged" : "free"}`;
  };
  const states = async (ids: readonly string[]) => Promise.all(ids.map(stateOf));
  const plans = (to: "free" | "plus" | "pro" | "team") => setPlan(api.db, OPERATOR, company.workspaceId, to);
  return { company, user, record, stateOf, states, plans };
}

const times = async <Item>(count: number, make: () => Promise<Item>): Promise<Item[]> => {
  const made: Item[] = [];
  for (let at = 0; at < count; at++) made.push(await make());
  return made;
};
const count = (states: readonly string[], state: string) => states.filter((one) => one === state).length;

describe("credits", () => {
  test.each([
    ["free", 10],
    ["plus", 20],
  ] as const)("%s: %i a month are shown, the next is stored in full and locked", async (plan, allowed) => {
    const { record, states, company, user, plans } = await recordedUser(plan);
    const ids = await times(allowed + 1, () => record());
    const before = await states(ids);
    expect(count(before, "shown, charged")).toBe(allowed);
    expect(before.at(-1)).toBe("locked, free");
    // Stored in full: only the summary is hidden, until an upgrade.
    await plans("pro");
    expect(await states(ids)).toEqual(Array(allowed + 1).fill("shown, charged"));
    const stored = await api.data(user.key, "me/meetings.get", { meetingId: ids.at(-1) });
    expect(stored.summary).toEqual({
      markdown: "A **summary**.",
      html: "<p>A <strong>summary</strong>.</p>",
      short: "A summary.",
    });
    expect((await api.call(company.key, "workspace/meetings.list")).status).toBe(200);
  });

  test("unlimited: the pro, team and enterprise plans", async () => {
    const { record, states } = await recordedUser("pro");
    expect(await states(await times(25, () => record()))).toEqual(Array(25).fill("shown, charged"));
  });

  test("one per meeting, whatever its duration; none if too short for a summary", async () => {
    const { record, stateOf } = await recordedUser("free");
    expect(await stateOf(await record(30))).toBe("shown, charged");
    expect(await stateOf(await record(10, "Hello? Is anybody there?"))).toBe("shown, free");
    expect(await stateOf(await record(10, "one two three four five six seven eight nine"))).toBe(
      "shown, free",
    );
    expect(await stateOf(await record(10, "one two three four five six seven eight nine ten"))).toBe(
      "shown, charged",
    );
  });

  test("one month only: credits used in an earlier month don't count, by the database's clock", async () => {
    const { record, stateOf } = await recordedUser("free");
    const ids = await times(10, () => record());
    expect(await stateOf(await record())).toBe("locked, free");
    for (const id of ids) {
      await api.db
        .update(creditCharges)
        .set({ month: sql`(month - interval '1 month')::date` })
        .where(eq(creditCharges.recordingId, id));
    }
    expect(await stateOf(await record())).toBe("shown, charged");
  });

  test("deleting a meeting does not refund its credit", async () => {
    const { record, stateOf, user, plans } = await recordedUser("free");
    const [first] = await times(10, () => record());
    await plans("pro");
    await api.data(user.key, "me/meetings.delete", { meetingId: first });
    await plans("free");
    expect(await stateOf(await record())).toBe("locked, free");
  });

  test("50 concurrent completions with 1 remaining credit: exactly one is unlocked", async () => {
    const { record, states } = await recordedUser("free");
    await times(9, () => record());
    const ids = await Promise.all(Array.from({ length: 50 }, () => record()));
    const after = await states(ids);
    expect([count(after, "shown, charged"), count(after, "locked, free")]).toEqual([1, 49]);
  });
});

describe("durations", () => {
  test.each([
    ["free", 30],
    ["plus", 120],
    ["pro", 300],
    ["team", 300],
  ] as const)(
    "%s: %i minutes are shown, longer ones are locked and also cost a credit",
    async (plan, minutes) => {
      const { record, stateOf } = await recordedUser(plan);
      expect(await stateOf(await record(minutes))).toBe("shown, charged");
      expect(await stateOf(await record(minutes + 1 / 60))).toBe("locked, charged");
    },
  );

  test("without an end, the transcript tells how long it took", async () => {
    const { record, stateOf } = await recordedUser("free");
    const turn = { speakerId: "s", speakerName: "Anna", text: WORDS };
    const lasting = (end: number) => ({ endTime: undefined, transcript: [{ ...turn, start: 0, end }] });
    expect(await stateOf(await record(0, WORDS, lasting(1_800)))).toBe("shown, charged");
    expect(await stateOf(await record(0, WORDS, lasting(1_801)))).toBe("locked, charged");
  });
});

describe("a change of plan", () => {
  test("unlocks what the new plan allows, oldest first; a downgrade locks nothing", async () => {
    const { record, states, plans } = await recordedUser("free");
    const ids = await times(22, () => record());
    await plans("plus");
    const after = await states(ids);
    expect(after.slice(0, 20)).toEqual(Array(20).fill("shown, charged"));
    expect(after.slice(20)).toEqual(["locked, free", "locked, free"]);
    await plans("free");
    expect(await states(ids)).toEqual(after);
    await plans("pro");
    expect(await states(ids)).toEqual(Array(22).fill("shown, charged"));
  });

  test("keeps meetings locked that are too long for the new plan", async () => {
    const { record, states, plans } = await recordedUser("free");
    const ids = [await record(100), await record(200), await record(301)];
    await plans("plus");
    expect(await states(ids)).toEqual(["shown, charged", "locked, charged", "locked, charged"]);
    await plans("team");
    expect(await states(ids)).toEqual(["shown, charged", "shown, charged", "locked, charged"]);
  });

  test("also happens by joining a workspace with a higher plan", async () => {
    const { record, stateOf, user } = await recordedUser("free");
    const id = await record(100);
    expect(await stateOf(id)).toBe("locked, charged");
    const greater = await api.given.company({ plan: "team" });
    await joinWorkspace(api.db, OPERATOR, user.userId, greater.workspaceId);
    expect(await stateOf(id)).toBe("shown, charged");
  });

  test(
    "during completions: no summary that the new plan allows stays locked",
    needs("postgres"),
    async () => {
      for (let round = 0; round < 10; round++) {
        const { record, states, plans } = await recordedUser("free");
        const recorded = Promise.all(Array.from({ length: 20 }, () => record(60)));
        await plans("pro");
        expect(await states(await recorded)).toEqual(Array(20).fill("shown, charged"));
      }
    },
  );
});

test("the command line's import charges and locks nothing and sends no events", async () => {
  const { user } = await recordedUser("plus");
  const settings = { keyring: createKeyring([randomBytes(32)]), targetPolicy: createTargetPolicy() };
  const webhook = { name: "x", url: "https://93.184.216.34/", method: "signature" } as const;
  await createPersonalWebhook(api.db, settings, user.userId, webhook);
  const meeting = await api.given.meeting(user, {
    endTime: "2040-01-01T00:00:00Z",
    transcript: [{ speakerId: "s", speakerName: "Anna", text: WORDS }],
    summary: { markdown: "Seen." },
  });
  const { meetingId } = meeting;
  expect(await api.db.select().from(creditCharges).where(eq(creditCharges.recordingId, meetingId))).toEqual(
    [],
  );
  for (const table of [webhookEvents, deliveries])
    expect(await api.db.select().from(table).where(eq(table.meetingId, meetingId))).toEqual([]);
  const [summary] = await api.db.select().from(summaries).where(eq(summaries.meetingId, meetingId));
  expect(summary?.locked).toBe(false);
});

test("403: a member creates an ingest key; 409: an eleventh ingest key", async () => {
  const { company, user } = await recordedUser("team");
  await expect(createIngestKey(api.db, user.userId, "x")).rejects.toMatchObject({
    message: "Only a workspace admin can create an ingest key.",
  });
  await times(9, () => api.given.ingestKey(company));
  await expect(createIngestKey(api.db, company.admin.userId, "x")).rejects.toMatchObject({
    message: "A workspace can have 10 ingest keys. Revoke one first.",
  });
});
