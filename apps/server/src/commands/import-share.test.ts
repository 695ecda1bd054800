import { dirname } from "node:path";
import { schema } from "@minutes/db";
import { needs } from "@minutes/testing";
import { eq } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { runHere as minutes, minutesJson } from "../testing/installation.js";
import { meeting, OWNER, openForTest, writeMeetings } from "../testing/meeting-files.js";

const { members, users } = schema;
const [BEN, CAI, DEE, EVE] = ["ben", "cai", "dee", "eve"].map((name) => `${name}@example.com`);
const turn = (name: string, email?: string) => ({
  ...{ speakerId: name, speakerName: name, text: "Hello.", ...(email ? { speakerEmail: email } : {}) },
});
const attend = (...emails: (string | undefined)[]) => ({
  calendarEvent: { attendees: emails.map((email) => ({ name: "Guest", email })) },
});

/** Opens an installation with a workspace of four, one with an unconfirmed address, and a fifth person elsewhere. */
async function openCompany() {
  const { DATA_DIR, db } = await openForTest();
  const run = (...args: string[]) => minutesJson(args, { DATA_DIR });
  await run("users", "create", OWNER);
  const [owner] = await db.select().from(members);
  for (const email of [BEN, CAI, DEE])
    await run("users", "create", email ?? "", "--workspace", owner?.workspaceId ?? "");
  await run("users", "create", EVE ?? "", "--own-workspace");
  await db
    .update(users)
    .set({ emailConfirmed: false })
    .where(eq(users.email, DEE ?? ""));
  return { DATA_DIR, run };
}

describe("minutes import --share", needs("embedded"), () => {
  test("speakers and invited people of the workspace read the meeting, by confirmed address; nobody else", async () => {
    const { DATA_DIR, run } = await openCompany();
    const files = await writeMeetings({
      "one.json": meeting("one", { transcript: [turn("Ann", OWNER), turn("Ben", BEN?.toUpperCase())] }),
      "two.json": meeting("two", { ...attend(BEN, CAI, DEE, EVE, "guest@example.org"), transcript: [] }),
      "three.json": meeting("three", { transcript: [turn("Ben")] }),
    });
    const shared = { with: { [`${BEN}`]: 2, [`${CAI}`]: 1 }, unshared: 1 };
    expect(await run("import", ...files, "--share", "--dry-run")).toMatchObject({ valid: 3, shared });
    const listed = () => run("shares", "list", OWNER) as Promise<{ with: string }[]>;
    expect(await listed()).toEqual([]);
    const alone = await minutes(["import", ...files], { DATA_DIR });
    expect(alone.stderr).toContain("3 meetings can be read only by the owner. Import again with --share");
    expect(await listed()).toEqual([]);
    for (const created of [0, 0])
      expect(await run("import", ...files, "--share")).toMatchObject({ created, unchanged: 3, shared });
    expect((await listed()).map((share) => share.with).toSorted()).toEqual([BEN, BEN, CAI]);
    const { stderr } = await minutes(["import", ...files, "--share"], { DATA_DIR });
    expect(stderr).toContain(`Shared with ${BEN} (2), ${CAI} (1)`);
    expect(stderr).toContain("1 meeting has no confirmed address of another member");
  });

  test("members who read meetings through a shared tag are named, also before the import", async () => {
    const { DATA_DIR, run } = await openCompany();
    const files = await writeMeetings({
      "one.json": meeting("one", { tags: [{ name: "Archive" }] }),
      "two.json": meeting("two", { transcript: [turn("Cai", CAI)] }),
      "three.json": meeting("three"),
    });
    const tag = (await run("tags", "create", OWNER, "Archive")) as { id: string };
    await run("shares", "create", tag.id, BEN ?? "");
    const sharedTags = [{ tag: "Archive", readers: [BEN], meetings: 1 }];
    const sentence = (can: string) =>
      `The tag "Archive" is shared with ${BEN}: they ${can} read 1 meeting through it.\n`;
    // Before the import, at it, and after it, with and without --share.
    for (const [how, can] of [
      [["--dry-run"], "could"],
      [[], "can"],
      [["--dry-run"], "could"],
    ] as const) {
      expect(await run("import", ...files, "--share", "--dry-run")).toMatchObject({
        ...{ sharedTags, shared: { with: { [`${CAI}`]: 1 }, unshared: 1 } },
      });
      const { stderr } = await minutes(["import", ...files, ...how], { DATA_DIR });
      expect(stderr).toContain(sentence(can));
    }
    expect(await run("import", ...files)).toMatchObject({ ownerOnly: 2, sharedTags });
    const { stderr } = await minutes(["import", ...files, "--share"], { DATA_DIR });
    expect(stderr).toContain(sentence("can"));
    expect(stderr).toContain("1 meeting has no confirmed address of another member, so only the owner");
  });

  test("a watched folder shares, too", async () => {
    const { DATA_DIR, run } = await openCompany();
    const [file = ""] = await writeMeetings({
      "one.json": meeting("one", { transcript: [turn("Ben", BEN)] }),
    });
    const watch = ["watch", dirname(file), "--owner", OWNER, "--share", "--once", "--every", "1"];
    expect(await minutes(watch, { DATA_DIR })).toMatchObject({ code: 0 });
    expect(await run("shares", "list", OWNER)).toMatchObject([{ with: BEN }]);
  });

  test("importing again shares with speakers who were confirmed after the import", async () => {
    const { run } = await openCompany();
    const files = await writeMeetings({ "one.json": meeting("one", { transcript: [turn("Ben")] }) });
    await run("import", ...files, "--share");
    // Somebody unconfirmed is found by the name that lists show.
    expect(await run("people", "get", "Ben")).toMatchObject({ name: "Ben", confirmed: false });
    await run("people", "confirm", "Ben", "--email", BEN ?? "");
    const shared = { with: { [`${BEN}`]: 1 }, unshared: 0 };
    expect(await run("import", ...files, "--share", "--dry-run")).toMatchObject({ shared });
    expect(await run("shares", "list", OWNER)).toEqual([]);
    expect(await run("import", ...files, "--share")).toMatchObject({ unchanged: 1, shared });
    expect(await run("shares", "list", OWNER)).toMatchObject([{ with: BEN }]);
  });
});
