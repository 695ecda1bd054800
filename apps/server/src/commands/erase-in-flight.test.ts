import { MeetingImport } from "@minutes/contract";
import { findPlaces, generateSecretsKey, importMeeting } from "@minutes/core";
import { schema } from "@minutes/db";
import { createTestDatabase, givenOn, needs, type TestDatabase, waitFor } from "@minutes/testing";
import { eq, sql } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { minutesJson } from "../testing/installation.js";

const { invitations } = schema;

describe("minutes people erase while a meeting of the person is stored", needs("postgres"), () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await createTestDatabase();
  });
  afterAll(() => database.close());

  /** Waits until a condition holds in a new statement. */
  const waitUntil = (condition: () => Promise<boolean>) =>
    waitFor(async () => {
      if (!(await condition())) throw new Error("not yet");
    });

  test.each([
    ["who is known", true],
    ["who is new", false],
  ])("waits for it and erases the person, %s, from it", async (_, isKnown) => {
    const { db, url } = database;
    const given = givenOn(db);
    const company = await given.company();
    const anna = await given.member(company);
    const email = `zoe.${isKnown}@a.example`;
    const speaker = {
      speakerId: "a",
      speakerName: "Zoe Secretname",
      speakerEmail: email,
      text: "The wombat sleeps.",
    };
    if (isKnown) await given.meeting(anna, { transcript: [speaker] });
    await db.insert(invitations).values({
      ...{
        id: `inv_${isKnown}`,
        hash: Buffer.from(email),
        workspaceId: company.workspaceId,
        email,
        role: "member",
      },
      ...{ createdBy: anna.userId, expiresAt: "2099-01-01T00:00:00.000Z" },
    });
    let store = () => {};
    const isReleased = new Promise<void>((resolve) => {
      store = resolve;
    });
    let begin = () => {};
    const hasBegun = new Promise<void>((resolve) => {
      begin = resolve;
    });
    const stored = db.transaction(async (tx) => {
      const facts = {
        externalId: `late-${isKnown}`,
        ownerEmail: anna.email,
        title: "Late",
        startTime: "2026-01-01T10:00:00Z",
      };
      await importMeeting(tx, MeetingImport.parse({ ...facts, transcript: [speaker] }));
      begin();
      await isReleased;
    });
    await hasBegun;
    const settings = { DATABASE_URL: url ?? "", SECRETS_KEY: generateSecretsKey() };
    const erasing = minutesJson<{
      left: unknown;
      namesLeft: unknown;
      complete: boolean;
      changed: { meetingIds: string[] };
    }>(["people", "erase", email, "--yes"], settings);
    const isWaiting = async () => {
      const [row] = await db
        .select({ count: sql<number>`count(*)::int` })
        .from(sql`pg_stat_activity`)
        .where(sql`datname = current_database() and wait_event_type = 'Lock'`);
      return (row?.count ?? 0) > 0;
    };
    const hasSearched = async () => (await db.$count(invitations, eq(invitations.email, email))) === 0;
    await Promise.race([erasing, waitUntil(isKnown ? isWaiting : hasSearched)]);
    store();
    await stored;
    expect(await erasing).toMatchObject({ left: [], namesLeft: [], complete: true });
    expect((await erasing).changed.meetingIds).toHaveLength(isKnown ? 2 : 1);
    for (const text of [email, "secretname"])
      expect(
        await findPlaces(db, { emails: [text], personIds: [], addressIds: [], names: [], isGuess: false }),
      ).toEqual([]);
  });
});
