import { chmod, mkdir, readdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { connectEmbedded, type Database } from "@minutes/db";
import { needs } from "@minutes/testing";
import type { Command } from "commander";
import { sql } from "drizzle-orm";
import { describe, expect, onTestFinished, test } from "vitest";
import { start } from "../start.js";
import { runHere as minutes, minutesJson, openInstallation } from "../testing/installation.js";
import { emptyDataDir, minutes as minutesProcess, startProcess, temporaryDir } from "../testing/process.js";
import { createProgram } from "./program.js";

const OWNER = "ann@example.com";

const meeting = (externalId: string, more: object = {}) => ({
  externalId,
  ownerEmail: OWNER,
  title: "Planning",
  startTime: "2026-01-05T09:00:00Z",
  ...more,
});

async function writeMeetings(files: Readonly<Record<string, unknown>>): Promise<string[]> {
  const folder = await temporaryDir();
  return Promise.all(
    Object.entries(files).map(async ([name, content]) => {
      const path = join(folder, name);
      await writeFile(path, typeof content === "string" ? content : JSON.stringify(content));
      return path;
    }),
  );
}

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

/** Opens an empty installation in this process, as a running server would. */
async function openForTest() {
  const installation = await openInstallation();
  onTestFinished(installation.close);
  return { db: installation.db, DATA_DIR: installation.dataDir };
}

function commandsOf(command: Command, path: readonly string[] = []): string[][] {
  const own = command.commands.filter((child) => child.name() !== "help");
  if (own.length === 0) return [[...path]];
  return own.flatMap((child) => commandsOf(child, [...path, child.name()]));
}

describe("the command line", needs("embedded"), () => {
  test("every command has --help and --json", () => {
    const commands = commandsOf(createProgram(start));
    expect(commands.length).toBeGreaterThan(20);
    for (const path of commands) {
      if (path.join(" ") === "mcp") continue; // its output is the protocol
      let command = createProgram(start);
      for (const name of path) command = command.commands.find((child) => child.name() === name) ?? command;
      expect(command.helpInformation(), path.join(" ")).toMatch(/--json[\s\S]*--help/);
    }
  });

  test("the installed command prints the same as the sources", async () => {
    const { code, stderr } = await minutesProcess(["bogus"], {});
    expect(code).toBe(2);
    expect(stderr).toMatch(/unknown command 'bogus'/);
  });

  test.each([
    [["bogus"], 2, /unknown command 'bogus'/],
    [["keys"], 2, /Usage: minutes keys/],
    [["keys", "create"], 2, /Give either a user or --workspace/],
    [["workspaces", "plan", "x", "gold"], 2, /Allowed choices are free, plus, pro, team, enterprise/],
    [["users", "remove", OWNER], 2, /add --yes/],
    [["users", "list", "--help"], 0, /^$/],
  ])("%j ends with %i", async (args, code, stderr) => {
    const ended = await minutes(args, {});
    expect(ended.code).toBe(code);
    expect(ended.stderr).toMatch(stderr);
    expect(ended.stderr).not.toMatch(/\n\s+at /);
  });

  test("import: a bad file is reported with its field, the others are imported, and a repeat changes nothing", async () => {
    const { DATA_DIR } = await openForTest();
    await minutesJson(["users", "add", OWNER], { DATA_DIR });
    const files = await writeMeetings({
      "good.json": `\uFEFF${JSON.stringify(meeting("one", { tasks: [{ text: "Order tea" }] }))}`,
      "broken.json": '{"externalId": "two", "title": secret words}',
      "wrong-field.json": meeting("three", { startTime: "yesterday" }),
      "unknown-field.json": meeting("four", { colour: "red" }),
      "several.json": [
        meeting("five"),
        meeting("six", { ownerEmail: "nobody@example.com" }),
        meeting("seven"),
      ],
      "changed.json": meeting("one", { title: "Another" }),
    });
    const empty = await temporaryDir();
    const missing = join(empty, "missing.json");

    const first = await minutes(["import", ...files, missing, empty, "--json"], { DATA_DIR });
    expect(first.code).toBe(1);
    const report = JSON.parse(first.stdout);
    expect(report).toMatchObject({ created: 3, unchanged: 0 });
    const failed = report.failed.map(({ file, index, error }: Record<string, string>) =>
      [file?.split("/").at(-1), index, error].join(" | "),
    );
    expect(failed).toEqual([
      expect.stringMatching(/^broken\.json \| {2}\| not valid JSON/),
      "wrong-field.json |  | startTime must be an ISO 8601 date-time with a zone",
      'unknown-field.json |  | Unknown field: "colour".',
      "several.json | 1 | ownerEmail: No user has this e-mail address.",
      "changed.json |  | externalId: A different meeting with this externalId exists.",
      "missing.json |  | no such file.",
      expect.stringMatching(/ \| {2}\| this folder has no meetings\.$/),
    ]);
    expect(first.stderr).toContain("wrong-field.json: startTime");
    expect(first.stderr).not.toContain("secret");

    const again = await minutes(["import", files[0] ?? ""], { DATA_DIR });
    expect([again.code, again.stdout]).toEqual([0, "0 imported, 1 already there, 0 failed\n"]);
  });

  test("import: prints the fields that were not stored", async () => {
    const { DATA_DIR } = await openForTest();
    await minutesJson(["users", "add", OWNER], { DATA_DIR });
    const tagged = (externalId: string, color: string) =>
      meeting(externalId, { tags: [{ name: "Tea", color }] });
    const [file = ""] = await writeMeetings({
      "two.json": [tagged("one", "#112233"), tagged("two", "#445566")],
    });
    const { code, stderr } = await minutes(["import", file], { DATA_DIR });
    expect([code, stderr]).toEqual([0, expect.stringContaining("two.json [1]: not stored: tags.color\n")]);
  });

  test("import: --replace replaces existing meetings, --restore alone does not", async () => {
    const { DATA_DIR } = await openForTest();
    await minutesJson(["users", "add", OWNER], { DATA_DIR });
    const [first = "", changed = ""] = await writeMeetings({
      "first.json": meeting("one", { title: "Draft" }),
      "changed.json": [meeting("one", { title: "Final" }), meeting("two")],
    });
    await minutesJson(["import", first], { DATA_DIR });
    const replaced = await minutes(["import", changed, "--replace"], { DATA_DIR });
    expect([replaced.code, replaced.stdout]).toEqual([
      0,
      "1 imported, 1 replaced, 0 already there, 0 failed\n",
    ]);
    const out = join(await temporaryDir(), "export");
    await minutesJson(["export", "--user", OWNER, "--out", out], { DATA_DIR });
    const lines = await readFile(join(out, "export.jsonl"), "utf8");
    expect(lines).toContain('"Final"');
    expect(lines).not.toContain('"Draft"');
    const refused = await minutes(["import", join(out, "export.jsonl"), "--restore"], { DATA_DIR });
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining("omit --replace")]);
    expect((await minutes(["import", first, "--restore"], { DATA_DIR })).stderr).toContain(
      "A different meeting",
    );
  });

  test("tags list and share list show who can read meetings, with the ids that share needs", async () => {
    const { DATA_DIR } = await openForTest();
    const reader = "ben@example.com";
    await minutesJson(["workspaces", "add", "Acme", "--plan", "team"], { DATA_DIR });
    for (const email of [OWNER, reader])
      await minutesJson(["users", "add", email, "--workspace", "Acme"], { DATA_DIR });
    const files = await writeMeetings({
      "several.json": [
        meeting("one", { tags: [{ name: "Beer" }, { name: "Tea" }] }),
        meeting("two", { tags: [{ name: "Beer" }] }),
      ],
    });
    await minutesJson(["import", ...files], { DATA_DIR });
    const out = join(await temporaryDir(), "backup");
    await minutesJson(["export", "--user", OWNER, "--out", out], { DATA_DIR });
    const [meetingId = ""] = (await readFile(join(out, "export.jsonl"), "utf8")).match(/mtg_\w+/) ?? [];

    const tags = () => minutesJson<{ id: string }[]>(["tags", "list", OWNER], { DATA_DIR });
    const [beer, tea] = await tags();
    expect([beer, tea]).toMatchObject([
      { name: "Beer", meetings: 2, sharedWith: [] },
      { name: "Tea", meetings: 1, sharedWith: [] },
    ]);
    await minutesJson(["share", "tag", beer?.id ?? "", reader], { DATA_DIR });
    await minutesJson(["share", "meeting", meetingId, reader], { DATA_DIR });
    expect(await tags()).toMatchObject([{ sharedWith: [{ email: reader }] }, { sharedWith: [] }]);
    expect(await minutesJson(["share", "list", meetingId], { DATA_DIR })).toMatchObject([
      { id: meetingId, with: reader },
    ]);
    const shown = await minutes(["tags", "list", OWNER], { DATA_DIR });
    expect(shown.stdout).toMatch(/^tag_\w+ +Beer +2 +ben@example\.com$/m);
    expect(shown.stdout).toMatch(/^tag_\w+ +Tea +1 +-$/m);
    expect((await minutes(["share", "list", meetingId], { DATA_DIR })).stdout).toContain(reader);
    const unknown = await minutes(["share", "list", "mtg_none"], { DATA_DIR });
    expect([unknown.code, unknown.stderr]).toEqual([1, `Data: ${DATA_DIR}\nMeeting not found\n`]);
  });

  test("export writes files that only their owner can read, and import restores them into an empty installation", async () => {
    const { DATA_DIR } = await openForTest();
    await minutesJson(["users", "add", OWNER], { DATA_DIR });
    const transcript = [{ speakerId: "s", speakerName: "Ann", text: "Good morning.", start: 1, end: 2.5 }];
    const files = await writeMeetings({ "one.json": meeting("one", { transcript }) });
    await minutesJson(["import", ...files], { DATA_DIR });
    const out = join(await temporaryDir(), "backup");

    expect((await minutes(["export", "--out", out], { DATA_DIR })).stderr).toMatch(/--user or --workspace/);
    expect(await minutesJson(["export", "--user", OWNER, "--out", out], { DATA_DIR })).toEqual({
      meetings: 1,
      out,
    });
    const written = await readdir(join(out, "meetings"));
    expect(written.sort()).toEqual([
      expect.stringMatching(/^2026-01-05-mtg_\w+\.md$/),
      expect.stringMatching(/^2026-01-05-mtg_\w+\.vtt$/),
    ]);
    const [markdown = "", vtt = ""] = written.map((name) => join(out, "meetings", name));
    expect(await readFile(markdown, "utf8")).toMatch(/^# Planning\n[\s\S]*\*\*Ann\*\*: Good morning\./);
    expect(await readFile(vtt, "utf8")).toContain("00:00:01.000 --> 00:00:02.500\n<v Ann>Good morning.");
    for (const file of [markdown, vtt, join(out, "export.jsonl")]) {
      expect((await stat(file)).mode & 0o777, file).toBe(0o600);
    }

    const copy = { DATA_DIR: (await openForTest()).DATA_DIR };
    const put = async (...options: string[]) =>
      JSON.parse((await minutes(["import", out, "--json", ...options], copy)).stdout);
    expect(await put("--dry-run")).toMatchObject({ valid: 1, created: 0, failed: [] });
    expect(await put("--owner", OWNER)).toMatchObject({
      created: 0,
      failed: [{ error: "an export has its own people and tags: omit --owner and --tag." }],
    });
    expect(await put()).toMatchObject({ created: 1, unchanged: 0, failed: [] });
    expect(await put()).toMatchObject({ created: 0, unchanged: 1, failed: [] });
    expect((await minutesJson<{ email: string }[]>(["users", "list"], copy))[0]?.email).toBe(OWNER);
  });

  test("import: a meeting of 2 MB (30 in the soak) is imported through the running server for --owner", async () => {
    const DATA_DIR = await emptyDataDir();
    const server = await startProcess({ DATA_DIR, DEMO: "off" });
    await minutesJson(["workspaces", "add", "Acme", "--plan", "team"], { DATA_DIR });
    await minutesJson(["users", "add", OWNER, "--workspace", "Acme"], { DATA_DIR });
    // Few, long words: this is about transferring the meeting, not about indexing it.
    const text = `${"a".repeat(1_500)} `.repeat(64);
    const transcript = Array.from({ length: 20 }, () => ({ speakerId: "s1", speakerName: "Ann", text }));
    const [file = ""] = await writeMeetings({
      "long.json": meeting("long", { ownerEmail: "x@y.example", transcript }),
    });
    expect(await minutesJson(["import", file, "--owner", OWNER], { DATA_DIR })).toMatchObject({ created: 1 });
    const { key } = await minutesJson<{ key: string }>(["keys", "create", OWNER], { DATA_DIR });
    const response = await fetch(`${server.url}/v1/me/meetings.list`, { headers: { "x-api-key": key } });
    expect(await response.text()).toContain('"title":"Planning"');
  });

  test("users remove erases: no row holds a word of the person or of their meetings", async () => {
    const { DATA_DIR, db } = await openForTest();
    const canary = "canary-7f3a";
    const email = `${canary}@example.com`;
    await minutesJson(["workspaces", "add", "Acme", "--plan", "team"], { DATA_DIR });
    await minutesJson(["users", "add", email, "--name", `${canary} Bird`], { DATA_DIR });
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

    await minutesJson(["users", "remove", email, "--yes"], { DATA_DIR });
    expect(await allRows(db)).not.toContain(canary);
  });

  test("a workspace with members is kept, unless they are to be erased with it", async () => {
    const { DATA_DIR } = await openForTest();
    await minutesJson(["workspaces", "add", "Acme"], { DATA_DIR });
    await minutesJson(["users", "add", OWNER, "--workspace", "Acme", "--role", "admin"], { DATA_DIR });
    const refused = await minutes(["workspaces", "remove", "Acme", "--yes"], { DATA_DIR });
    expect([refused.code, refused.stderr]).toEqual([
      1,
      `Data: ${DATA_DIR}\nThe workspace has members. Move or remove them first.\n`,
    ]);
    await minutesJson(["workspaces", "remove", "Acme", "--erase-members", "--yes"], { DATA_DIR });
    expect(await minutesJson(["workspaces", "list"], { DATA_DIR })).toEqual([]);
    expect(await minutesJson(["users", "list"], { DATA_DIR })).toEqual([]);
  });

  test("a database of a newer version is refused, and doctor says so", async () => {
    const DATA_DIR = await emptyDataDir();
    const connection = await connectEmbedded({ dataDir: DATA_DIR });
    await connection.db.execute(
      sql`insert into drizzle.__drizzle_migrations (hash, created_at) values ('newer', 9999999999999)`,
    );
    await connection.close();
    const { code, stderr } = await minutesProcess(["start"], { DATA_DIR, PORT: "0" });
    expect([code, stderr]).toEqual([
      1,
      "The database was written by a newer version of Minutes. Start that version, or a newer one.\n",
    ]);
    const doctor = await minutes(["doctor", "--json"], { DATA_DIR, PORT: "0" });
    expect(doctor.code).toBe(1);
    expect(JSON.parse(doctor.stdout)).toContainEqual(
      expect.objectContaining({ name: "Schema", status: "fail" }),
    );
  });

  test("doctor and status: every check is ok beside a running server, and each problem is reported", async () => {
    const DATA_DIR = join(await temporaryDir(), "data");
    await mkdir(DATA_DIR);
    await chmod(DATA_DIR, 0o755);
    const open = await minutes(["doctor", "--json"], { DATA_DIR, PORT: "0" });
    expect(open.code).toBe(0);
    expect(JSON.parse(open.stdout)).toContainEqual(
      expect.objectContaining({ name: "Data directory", status: "warn" }),
    );

    const wrong = await minutes(["doctor"], { DATA_DIR, PORT: "many" });
    expect(wrong.code).toBe(1);
    expect(wrong.stdout).toMatch(/^fail {2}Settings +PORT must be a port number/m);
    const without = await minutes(["status"], { DATA_DIR, PORT: "many" });
    expect([without.code, without.stdout]).toEqual([
      1,
      expect.stringMatching(
        /^The database does not answer\.\nWrong:\n {2}Settings: PORT must be a port number/,
      ),
    ]);

    const good = await emptyDataDir();
    const server = await startProcess({ DATA_DIR: good, DEMO: "off" });
    const PORT = new URL(server.url).port;
    const beside = await minutesJson<{ status: string }[]>(["doctor"], { DATA_DIR: good, PORT });
    expect(beside.filter(({ status }) => status !== "ok")).toEqual([]);
    const { status, problems } = await minutesJson<{ status: object; problems: object[] }>(["status"], {
      DATA_DIR: good,
      PORT,
    });
    expect(problems).toEqual([]);
    expect(status).toMatchObject({
      engine: "embedded",
      schema: "current",
      search: { mode: "words" },
      lastBackup: null,
    });
  });
});
