import { chmod, mkdir } from "node:fs/promises";
import { join } from "node:path";
import { connectEmbedded } from "@minutes/db";
import { needs } from "@minutes/testing";
import type { Command } from "commander";
import { sql } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { start } from "../start.js";
import { runHere as minutes, minutesJson } from "../testing/installation.js";
import { OWNER } from "../testing/meeting-files.js";
import { emptyDataDir, minutes as minutesProcess, startProcess, temporaryDir } from "../testing/process.js";
import { createProgram } from "./program.js";

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
    [
      ["workspaces", "update", "x", "--plan", "gold"],
      2,
      /Allowed choices are free, plus, pro, team, enterprise/,
    ],
    [["audit", "--limit", "0"], 2, /It must be a whole number from 1 to 1000\./],
    [["tasks", "list", OWNER, "--limit", "many"], 2, /It must be a whole number from 1 to 100\./],
    [["keys", "create", OWNER, "--expires", "soon"], 2, /It must be an ISO 8601 date/],
    [["users", "list", "--help"], 0, /^$/],
  ])("%j ends with %i", async (args, code, stderr) => {
    const ended = await minutes(args, {});
    expect(ended.code).toBe(code);
    expect(ended.stderr).toMatch(stderr);
    expect(ended.stderr).not.toMatch(/\n\s+at /);
  });

  test("move --help says that an interrupted move starts over", async () => {
    expect((await minutes(["move", "--help"], {})).stdout).toMatch(/interrupted move, which starts over/);
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

  test("a command is repeated whose transaction was rolled back because of another one, a few times", async () => {
    const DATA_DIR = await emptyDataDir();
    const { db, close } = await connectEmbedded({ dataDir: DATA_DIR });
    await db.execute(sql`create sequence tries`);
    await db.execute(sql`create function fail() returns trigger language plpgsql as $$ begin
      if nextval('tries') % 4 <> 0 then raise 'deadlock detected' using errcode = '40P01'; end if;
      return new;
    end $$`);
    await db.execute(sql`create trigger fail before insert on users for each row execute function fail()`);
    await close();
    await minutesJson(["users", "create", OWNER], { DATA_DIR }); // its fourth attempt
    expect(await minutesJson(["users", "list"], { DATA_DIR })).toHaveLength(1);
    const always = await connectEmbedded({ dataDir: DATA_DIR });
    await always.db.execute(sql`alter sequence tries increment by 4`);
    await always.db.execute(sql`select setval('tries', 1)`);
    await always.close();
    expect(await minutes(["users", "create", "ben@example.com"], { DATA_DIR })).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(
        "Other processes changed the same rows at the same time. Run the command",
      ),
    });
  });

  test("doctor and status: a running server has no problem but what it goes without, and each problem is reported", async () => {
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
        /^The database does not answer\.\nFailed:\n {2}Settings: PORT must be a port number/,
      ),
    ]);

    for (const [settings, message] of [
      [
        { DATABASE_URL: "postgres://127.0.0.1:1/none", BACKUP_DIR: "b", BACKUP_EVERY: "1d" },
        "BACKUP_EVERY is for",
      ],
      [{ WEBHOOK_CA_FILE: "/nonexistent" }, "WEBHOOK_CA_FILE must be a file"],
      [{ EMBEDDINGS: "endpoint" }, "EMBEDDINGS_URL and EMBEDDINGS_MODEL"],
      [{ SEARCH_LANGUAGE: "klingon" }, "SEARCH_LANGUAGE is not"],
    ] as const) {
      const { code, stdout } = await minutes(["doctor"], {
        DATA_DIR: await emptyDataDir(),
        PORT: "0",
        ...settings,
      });
      expect([code, stdout]).toEqual([
        1,
        expect.stringMatching(new RegExp(`^fail {2}Settings +${message}`, "m")),
      ]);
    }

    const good = await emptyDataDir();
    const server = await startProcess({ DATA_DIR: good, DEMO: "off" });
    const PORT = new URL(server.url).port;
    const beside = await minutesJson<{ status: string }[]>(["doctor"], { DATA_DIR: good, PORT });
    expect(beside.filter(({ status }) => status !== "ok")).toMatchObject([
      { name: "Backups", status: "note", message: expect.stringContaining("BACKUP_DIR") },
      { name: "Mail", status: "note", message: expect.stringContaining("SMTP_URL") },
    ]);
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
