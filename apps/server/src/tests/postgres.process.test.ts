import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createTestDatabase, needs } from "@minutes/testing";
import { sql } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { minutesJson } from "../testing/installation.js";
import { minutes, startProcess } from "../testing/process.js";

describe("processes on PostgreSQL", needs("postgres"), () => {
  let database: Awaited<ReturnType<typeof createTestDatabase>>;
  let DATABASE_URL: string;
  beforeAll(async () => {
    database = await createTestDatabase();
    DATABASE_URL = database.url ?? "";
  });
  afterAll(() => database.close());

  test("three servers start at once on a database without a schema", needs("one-server"), async () => {
    await database.db.execute(sql`drop schema public cascade`);
    await database.db.execute(sql`drop schema if exists drizzle cascade`);
    await database.db.execute(sql`create schema public`);
    const servers = await Promise.all([1, 2, 3].map(() => startProcess({ DATABASE_URL })));
    for (const { url, output } of servers) {
      expect((await fetch(`${url}/ready`)).status).toBe(200);
      expect(output.stderr).toContain("npx -y pnpm@10 minutes workspaces create");
      expect(output.stderr).not.toContain("curl ");
    }
    const ends = await Promise.all(servers.map(({ stop }) => stop()));
    expect(ends.map(({ code }) => code)).toEqual([0, 0, 0]);
  });

  test("a key created or revoked at the command line takes effect at once on a running server", async () => {
    const server = await startProcess({ DATABASE_URL });
    await minutesJson(["workspaces", "create", "Acme", "--plan", "pro"], { DATABASE_URL });
    await minutesJson(["users", "create", "ann@example.com", "--workspace", "Acme"], { DATABASE_URL });
    const { id, key } = await minutesJson<{ id: string; key: string }>(
      ["keys", "create", "ann@example.com"],
      {
        DATABASE_URL,
      },
    );
    const status = async () =>
      (await fetch(`${server.url}/v1/me/tags.list`, { headers: { "x-api-key": key } })).status;
    expect(await status()).toBe(200);
    await minutesJson(["keys", "disable", id], { DATABASE_URL });
    expect(await status()).toBe(401);
    await minutesJson(["keys", "enable", id], { DATABASE_URL });
    expect(await status()).toBe(200);
    await minutesJson(["keys", "revoke", id], { DATABASE_URL });
    expect(await status()).toBe(401);
    const checks = await minutesJson<{ name: string }[]>(["doctor"], { DATABASE_URL, PORT: "0" });
    // Checks of a distributed database have their own test.
    const names = checks
      .map(({ name }) => name)
      .filter((name) => !["Layout", "Worker", "Balance"].includes(name));
    expect(names).toHaveLength(11);
  });

  test("commands ask the server at PORT for its search, and say if nothing answers at a sign-in link", async () => {
    const { url } = await startProcess({ DATABASE_URL, EMBEDDINGS: "off" });
    const running = { DATABASE_URL, PORT: new URL(url).port };
    const { status } = await minutesJson<{ status: object }>(["status"], running);
    expect(status).toMatchObject({ search: { mode: "words" } });
    const create = (email: string, settings: Record<string, string>) =>
      minutes(["users", "create", email, "--own-workspace"], settings);
    expect((await create("eve@example.com", running)).stderr).not.toContain("PUBLIC_URL");
    expect((await create("fay@example.com", { DATABASE_URL, PORT: "1" })).stderr).toContain(
      "Set PUBLIC_URL: nothing answers at http://127.0.0.1:1.\n",
    );
  });

  test("status says nothing of BACKUP_DIR, which is for the embedded database", async () => {
    const settings = {
      DATABASE_URL,
      PORT: "0",
      BACKUP_DIR: await mkdtemp(join(tmpdir(), "minutes-backups-")),
    };
    const { status } = await minutesJson<{ status: object }>(["status"], settings);
    expect(status).toMatchObject({ engine: "postgres" });
    expect(status).not.toHaveProperty("lastBackup");
    const { stdout } = await minutes(["status"], settings);
    expect(stdout).toMatch(/^Database /m);
    expect(stdout).not.toMatch(/backup/i);
  });

  test("the sample is not loaded into PostgreSQL", async () => {
    const { code, stderr } = await minutes(["demo", "load"], { DATABASE_URL });
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(
        /\nThe sample is available only with the embedded database\. .*`minutes workspaces delete <name> --erase-members`/,
      ),
    ]);
  });

  test("an unreachable database and a refused login are explained in one sentence", async () => {
    const nowhere = await minutes(["users", "list"], { DATABASE_URL: "postgres://u:hunter2@127.0.0.1:1/x" });
    expect([nowhere.code, nowhere.stderr]).toEqual([
      1,
      "Data: PostgreSQL database x on 127.0.0.1:1\n" +
        "The database can't be reached (ECONNREFUSED). Check DATABASE_URL, and that PostgreSQL is running.\n",
    ]);
    const missing = new URL(DATABASE_URL);
    missing.pathname = "/no_such_database";
    const { code, stderr } = await minutes(["users", "list"], { DATABASE_URL: missing.href });
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(/\nThe database in DATABASE_URL does not exist\. Create it first\.\n$/),
    ]);
    const unknown = await minutes(["users", "list"], {
      DATABASE_URL: `${DATABASE_URL}?channel_binding=require`,
    });
    expect(unknown.stderr).toContain("\nPostgreSQL doesn't know a parameter in DATABASE_URL. ");
  });

  test("an import that loses the database says how far it came, and continues when repeated", async () => {
    await minutesJson(["workspaces", "create", "Baltic", "--plan", "pro"], { DATABASE_URL });
    await minutesJson(["users", "create", "bea@example.com", "--workspace", "Baltic"], { DATABASE_URL });
    const directory = await mkdtemp(join(tmpdir(), "minutes-import-"));
    const file = join(directory, "two.jsonl");
    const [startTime, endTime] = ["2026-03-04T09:00:00Z", "2026-03-04T10:00:00Z"];
    const transcript = [{ speakerId: "s1", speakerName: "Bea", text: "Ahoy." }];
    const lines = ["first", "second"].map((title) =>
      JSON.stringify({ externalId: title, title, startTime, endTime, transcript }),
    );
    await writeFile(file, lines.join("\n"));
    await database.db.execute(sql`create function lose() returns trigger language plpgsql as $$ begin
      raise exception 'lost' using errcode = '57P01'; end $$`);
    await database.db.execute(sql`create trigger lose before insert on meetings
      for each row when (new.title = 'second') execute function lose()`);
    const args = ["import", file, "--owner", "bea@example.com"];
    const { code, stderr } = await minutes(args, { DATABASE_URL });
    expect([code, stderr]).toEqual([
      1,
      expect.stringContaining("\nStopped after 1 meeting. Run the command again "),
    ]);
    await database.db.execute(sql`drop function lose() cascade`);
    expect(await minutesJson(args, { DATABASE_URL })).toMatchObject({ created: 1, unchanged: 1 });
    await rm(directory, { recursive: true });
  });

  test("a database of a newer version is refused", async () => {
    await database.db.execute(
      sql`insert into drizzle.__drizzle_migrations (hash, created_at) values ('newer', 9999999999999)`,
    );
    const { code, stderr } = await minutes(["start"], { DATABASE_URL, PORT: "0" });
    expect([code, stderr]).toEqual([
      1,
      "The database was written by a newer version of Minutes. Start that version, or a newer one.\n",
    ]);
  });
});
