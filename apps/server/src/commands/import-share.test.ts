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
    expect(alone.stderr).toContain("Only their owner can read imported meetings.");
    expect(await listed()).toEqual([]);
    for (const created of [0, 0])
      expect(await run("import", ...files, "--share")).toMatchObject({ created, unchanged: 3, shared });
    expect((await listed()).map((share) => share.with).toSorted()).toEqual([BEN, BEN, CAI]);
    const { stderr } = await minutes(["import", ...files, "--share"], { DATA_DIR });
    expect(stderr).toContain(`Shared with ${BEN} (2), ${CAI} (1)`);
    expect(stderr).toContain("1 meeting has no confirmed address of another member");
  });
});
