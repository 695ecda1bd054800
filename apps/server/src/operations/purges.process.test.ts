import { connectEmbedded, schema } from "@minutes/db";
import { filledDataDir, givenOn, type Meeting, needs, send } from "@minutes/testing";
import { sql } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { startProcess } from "../testing/process.js";

const { idempotencyKeys, meetingVersionContents, meetingVersions } = schema;

describe("a running server", needs("embedded"), () => {
  test("purges old versions with their content and expired Idempotency-Keys, and keeps the others", async () => {
    let meeting: Meeting | undefined;
    const DATA_DIR = await filledDataDir("purges", async ({ db }) => {
      const anna = await givenOn(db).member(await givenOn(db).company());
      meeting = await givenOn(db).meeting(anna);
      const { meetingId } = meeting;
      const facts = { meetingId, actor: anna.userId, action: "edit" as const, fields: ["title"] };
      const daysAgo = (days: number) => sql`now() - make_interval(days => ${days}::int)`;
      await db.insert(meetingVersions).values([
        { ...facts, version: 2, at: daysAgo(40) },
        { ...facts, version: 3, at: daysAgo(20) },
        { ...facts, version: 4, at: daysAgo(0) },
      ]);
      await db
        .insert(meetingVersionContents)
        .values([2, 3].map((version) => ({ meetingId, version, field: "title", content: '"Walrus"' })));
      const key = {
        userId: anna.userId,
        fingerprint: Buffer.from("f"),
        claim: "c",
        leasedUntil: sql`now() - interval '1 second'`,
      };
      await db.insert(idempotencyKeys).values([
        { ...key, hash: Buffer.from("old"), expiresAt: daysAgo(1), answer: '{"id":"walrus"}' },
        { ...key, hash: Buffer.from("new"), expiresAt: daysAgo(-1) },
      ]);
    });
    const server = await startProcess({ DATA_DIR, DEMO: "off", VERSION_DAYS: "30" });
    const list = async () => {
      const path = `/rest/v1/me/meetings/${meeting?.meetingId}/versions`;
      const { body } = await send(server.url, path, { headers: { "x-api-key": meeting?.owner.key ?? "" } });
      return (body as { versions: { version: number }[] }).versions.map(({ version }) => version);
    };
    // The oldest is the state before the last kept edit.
    await expect.poll(list, { interval: 1_000 }).toEqual([4, 3, 2]);
    await server.stop();
    const { db, close } = await connectEmbedded({ dataDir: DATA_DIR, migrate: false });
    const left = [
      await db.$count(meetingVersionContents),
      (await db.select({ answer: idempotencyKeys.answer }).from(idempotencyKeys)).map(({ answer }) => answer),
    ];
    await close();
    expect(left).toEqual([1, [null]]);
  });
});
