import { mkdtemp } from "node:fs/promises";
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
