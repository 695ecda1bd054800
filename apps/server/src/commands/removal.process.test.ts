import type { Database } from "@minutes/db";
import { needs } from "@minutes/testing";
import { sql } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { runHere as minutes, minutesJson } from "../testing/installation.js";
import { meeting, OWNER, openForTest, writeMeetings } from "../testing/meeting-files.js";

/** Returns the content of all tables as text. */
async function allRows(db: Database): Promise<string> {
  const tables = await db
    .select({ name: sql<string>`format('%I.%I', schemaname, tablename)` })
    .from(sql`pg_tables`)
    .where(sql`schemaname in ('public', 'drizzle')`);
  const dumps: string[] = [];
  for (const { name } of tables) {
    const rows = await db.select({ row: sql<string>`t::text` }).from(sql.raw(`${name} t`));
    dumps.push(JSON.stringify(rows));
  }
  return dumps.join("\n");
}

describe("removal", needs("embedded"), () => {
  test("users delete erases: no row holds a word of the person or of their meetings", async () => {
    const { DATA_DIR, db } = await openForTest();
    const canary = "canary-7f3a";
    const email = `${canary}@example.com`;
    await minutesJson(["workspaces", "create", "Acme", "--plan", "team"], { DATA_DIR });
    await minutesJson(["users", "create", email, "--name", `${canary} Bird`], { DATA_DIR });
    const user = ["workspaces", "add-member", "Acme", email, "--role", "admin"];
    await minutesJson(user, { DATA_DIR });
    const [file = ""] = await writeMeetings({
      "m.json": meeting(`${canary}-1`, {
        ownerEmail: email,
        title: `About ${canary}`,
        transcript: [{ speakerId: "s", speakerName: canary, text: `I am ${canary}` }],
        summary: { markdown: `# ${canary}` },
        tasks: [{ text: `Feed ${canary}` }],
        tags: [{ name: canary }],
        calendarEvent: { title: canary, attendees: [{ name: canary, email }] },
      }),
    });
    await minutesJson(["import", file], { DATA_DIR });
    await minutesJson(["keys", "create", email, "--name", canary], { DATA_DIR });
    expect(await allRows(db)).toContain(canary);

    await minutesJson(["users", "delete", email, "--yes"], { DATA_DIR });
    expect(await allRows(db)).not.toContain(canary);
  });

  test.each([
    ["users delete", ["users", "delete", OWNER], `Erase ${OWNER} and all their data?`],
    [
      "workspaces delete --erase-members",
      ["workspaces", "delete", "Acme", "--erase-members"],
      "Delete the workspace Acme and its 2 members with all their data?",
    ],
  ])("exit code 2: %s says what is deleted, and needs --yes", async (_name, command, question) => {
    const { DATA_DIR } = await openForTest();
    await minutesJson(["workspaces", "create", "Acme", "--plan", "team"], { DATA_DIR });
    for (const email of ["admin@example.com", OWNER])
      await minutesJson(["users", "create", email, "--workspace", "Acme"], { DATA_DIR });
    const tasks = [{ text: "Feed the cat" }, { text: "Call back" }];
    const files = await writeMeetings({
      "a.json": meeting("a", { tasks, tags: [{ name: "Cats" }] }),
      "b.json": meeting("b"),
    });
    const imported = await minutesJson(["import", ...files], { DATA_DIR });
    expect(imported).toMatchObject({ created: 2 });
    const { meetings } = await minutesJson<{ meetings: { id: string }[] }>(["meetings", "list", OWNER], {
      DATA_DIR,
    });
    await minutesJson(["shares", "create", meetings[0]?.id ?? "", "admin@example.com"], { DATA_DIR });
    await minutesJson(["keys", "create", OWNER], { DATA_DIR });
    const { code, stderr } = await minutes(command, { DATA_DIR });
    const erased = "2 meetings with 2 tasks, 1 share, 1 tag and 1 key are deleted for good";
    expect([code, stderr]).toEqual([2, `Data: ${DATA_DIR}\n${question} ${erased}; add --yes to confirm.\n`]);
    expect(await minutesJson(["users", "list"], { DATA_DIR })).toHaveLength(2);
  });

  test("workspaces add-member asks before somebody leaves other members, not before they leave nobody", async () => {
    const { DATA_DIR } = await openForTest();
    for (const name of ["Acme", "Other"]) await minutesJson(["workspaces", "create", name], { DATA_DIR });
    for (const email of ["admin@example.com", OWNER])
      await minutesJson(["users", "create", email, "--workspace", "Acme"], { DATA_DIR });
    const files = await writeMeetings({ "a.json": meeting("a") });
    await minutesJson(["import", ...files], { DATA_DIR });
    const move = ["workspaces", "add-member", "Other", OWNER];
    const asked = await minutes(move, { DATA_DIR });
    expect([asked.code, asked.stderr]).toEqual([
      2,
      expect.stringContaining(`Move ${OWNER} from Acme to Other? 1 meeting leaves the workspace with them`),
    ]);
    expect(await minutesJson([...move, "--yes"], { DATA_DIR })).toMatchObject({ workspace: "Other" });
    expect(await minutesJson([...move, "--role", "admin"], { DATA_DIR })).toMatchObject({ role: "admin" });
    await minutesJson(["workspaces", "add-member", "Acme", OWNER], { DATA_DIR });
  });

  test("workspaces remove-member says what leaves the workspace, and asks; for a former member there is nothing to ask", async () => {
    const { DATA_DIR } = await openForTest();
    await minutesJson(["workspaces", "create", "Acme"], { DATA_DIR });
    for (const email of ["admin@example.com", OWNER])
      await minutesJson(["users", "create", email, "--workspace", "Acme"], { DATA_DIR });
    const files = await writeMeetings({ "a.json": meeting("a"), "b.json": meeting("b") });
    await minutesJson(["import", ...files], { DATA_DIR });
    const remove = ["workspaces", "remove-member", "Acme", OWNER];
    const asked = await minutes(remove, { DATA_DIR });
    expect([asked.code, asked.stderr]).toEqual([
      2,
      expect.stringContaining("2 meetings leave the workspace"),
    ]);
    expect(await minutesJson(["workspaces", "members", "Acme"], { DATA_DIR })).toHaveLength(2);
    await minutesJson([...remove, "--yes"], { DATA_DIR });
    expect(await minutesJson(["workspaces", "members", "Acme"], { DATA_DIR })).toHaveLength(1);
    await minutesJson(remove, { DATA_DIR });
  });

  test("meetings on hold are counted, and erased only with --erase-held", async () => {
    const { DATA_DIR } = await openForTest();
    await minutesJson(["workspaces", "create", "Acme"], { DATA_DIR });
    for (const email of ["admin@example.com", OWNER])
      await minutesJson(["users", "create", email, "--workspace", "Acme"], { DATA_DIR });
    const files = await writeMeetings({ "a.json": meeting("a"), "b.json": meeting("b") });
    await minutesJson(["import", ...files], { DATA_DIR });
    const { meetings } = await minutesJson<{ meetings: { id: string }[] }>(["meetings", "list", OWNER], {
      DATA_DIR,
    });
    await minutesJson(["meetings", "hold", meetings[0]?.id ?? ""], { DATA_DIR });
    for (const command of [
      ["users", "delete", OWNER],
      ["workspaces", "delete", "Acme", "--erase-members"],
      ["people", "erase", OWNER],
    ]) {
      const { code, stderr } = await minutes([...command, "--yes"], { DATA_DIR });
      expect([command, code, stderr]).toEqual([
        command,
        2,
        expect.stringContaining("1 of their meetings is on hold. Nothing was changed; add --erase-held"),
      ]);
    }
    const asked = await minutes(["users", "delete", OWNER, "--erase-held"], { DATA_DIR });
    expect(asked.stderr).toContain("2 meetings (1 of them on hold) with");
    const found = await minutesJson(["people", "erase", OWNER], { DATA_DIR });
    expect(found).toMatchObject({ erased: false, found: { own: { meetings: 2, held: 1 } } });
    const remove = ["workspaces", "remove-member", "Acme", OWNER];
    expect((await minutes(remove, { DATA_DIR })).stderr).toContain("2 meetings (1 of them on hold) leave");
    expect(await minutesJson([...remove, "--yes"], { DATA_DIR })).toMatchObject({ heldMeetings: 1 });
    const erase = ["users", "delete", OWNER, "--yes", "--erase-held"];
    expect(await minutesJson(erase, { DATA_DIR })).toMatchObject({ heldMeetings: 1 });
  });

  test("people erase: others' meetings on hold are counted, and changed only with --erase-held", async () => {
    const { DATA_DIR } = await openForTest();
    await minutesJson(["workspaces", "create", "Acme"], { DATA_DIR });
    for (const email of ["admin@example.com", OWNER])
      await minutesJson(["users", "create", email, "--workspace", "Acme"], { DATA_DIR });
    const guest = "guest@example.com";
    const transcript = [{ speakerId: "g", speakerName: "Guest", speakerEmail: guest, text: "Hello" }];
    const files = await writeMeetings({
      "a.json": meeting("a", { transcript }),
      "b.json": meeting("b", { transcript }),
    });
    await minutesJson(["import", ...files], { DATA_DIR });
    const { meetings } = await minutesJson<{ meetings: { id: string }[] }>(["meetings", "list", OWNER], {
      DATA_DIR,
    });
    await minutesJson(["meetings", "hold", meetings[0]?.id ?? ""], { DATA_DIR });
    const { code, stderr } = await minutes(["people", "erase", guest, "--yes"], { DATA_DIR });
    expect([code, stderr]).toEqual([
      2,
      expect.stringContaining(
        "On hold: 0 of their meetings and 1 of other users' in which they occur. Nothing was changed; add --erase-held",
      ),
    ]);
    const found = await minutesJson(["people", "erase", guest], { DATA_DIR });
    expect(found).toMatchObject({ erased: false, found: { others: { held: 1, participants: 2 } } });
    const erased = await minutesJson(["people", "erase", guest, "--yes", "--erase-held"], { DATA_DIR });
    expect(erased).toMatchObject({ complete: true, found: { others: { held: 1 } } });
  });

  test("a workspace with members is kept, unless they are to be erased with it", async () => {
    const { DATA_DIR } = await openForTest();
    await minutesJson(["workspaces", "create", "Acme"], { DATA_DIR });
    await minutesJson(["users", "create", OWNER, "--workspace", "Acme", "--role", "admin"], { DATA_DIR });
    const refused = await minutes(["workspaces", "delete", "Acme", "--yes"], { DATA_DIR });
    expect([refused.code, refused.stderr]).toEqual([
      1,
      `Data: ${DATA_DIR}\nThe workspace has members. Move or remove them first.\n`,
    ]);
    await minutesJson(["workspaces", "delete", "Acme", "--erase-members", "--yes"], { DATA_DIR });
    expect(await minutesJson(["workspaces", "list"], { DATA_DIR })).toEqual([]);
    expect(await minutesJson(["users", "list"], { DATA_DIR })).toEqual([]);
  });
});
