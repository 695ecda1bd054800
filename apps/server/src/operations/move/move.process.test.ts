import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connectEmbedded, connectPostgres, type Database, findMove, lockDataDir } from "@minutes/db";
import { createTestDatabase, givenOn, needs, readPayload, temporaryDir } from "@minutes/testing";
import { sql } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { parseConfig } from "../../config/config.js";
import { createWebhookSettings } from "../../config/webhook-settings.js";
import { writeKeysFile } from "../../demo/keys-file.js";
import { type FilledDatabase, fillEveryTable } from "../../testing/every-table.js";
import { runHere as minutes } from "../../testing/installation.js";
import { launchMinutes } from "../../testing/process.js";
import { readRelease } from "../../testing/release/files.js";
import { restoreRelease } from "../../testing/release/restore.js";
import { type AskedCall, askAtRandom, findDifferences, serve } from "../../testing/same-answers.js";
import { findFilledTables, readCatalog, readRow, readRows, sortByReferences } from "../archive/catalog.js";
import { toPlace } from "./endpoint.js";
import { moveInstallation, reopenInstallation } from "./move.js";

/** Creates an empty PostgreSQL database without connections. */
async function emptyPostgres(): Promise<string> {
  const database = await createTestDatabase();
  await database.connection.close();
  onTestFinished(() => database.close());
  return database.url ?? "";
}

const silent = () => {};

/** Reads a webhook's secret as an installation with these settings does. */
async function readSecret(
  db: Database,
  env: Record<string, string>,
  id: string,
): Promise<string | undefined> {
  const { dataDir } = toPlace(env.DATABASE_URL ?? env.DATA_DIR ?? "");
  const { keyring } = await createWebhookSettings(parseConfig(env), dataDir);
  const { key, secret } = await readRow<{ key: string; secret: string }>(
    db,
    sql`select secret_key_id as key, encode(secret, 'hex') as secret from webhooks where id = ${id}`,
  );
  return keyring?.decrypt({ secretKeyId: key, secret: Buffer.from(secret, "hex") }, id);
}

/** Reads a number that no transaction had yet. */
const readNumber = async (db: Database) =>
  Number((await readRow<{ number: string }>(db, sql`select transaction_number()::text as number`)).number);

const readKeyFile = async (directory: string) =>
  (await readFile(join(directory, "secrets.key"), "utf8")).trim();

const findDisabledTriggers = (db: Database) =>
  readRows(db, sql`select tgname as name from pg_trigger where tgenabled = 'D'`);

describe("minutes move", needs("postgres"), () => {
  let dataDir: string;
  let filled: FilledDatabase;
  let asked: AskedCall[];
  let cursor: string;
  let embeddedNumber: number;
  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), "minutes-test-"));
    const from = new Blob([await readFile(process.env.TEST_TEMPLATE_FILE ?? "")]);
    const connection = await connectEmbedded({ dataDir, from });
    const settings = await createWebhookSettings(
      parseConfig({ DATA_DIR: dataDir, WEBHOOK_ALLOWED_NETWORKS: "127.0.0.0/8" }),
      dataDir,
    );
    filled = await fillEveryTable(connection.db, settings);
    const { tables } = await readCatalog(connection.db);
    const filledTables = await findFilledTables(connection.db, tables);
    expect(tables.map(({ name }) => name).filter((name) => !filledTables.includes(name))).toEqual([]);
    const server = await serve(connection);
    asked = await askAtRandom(server, filled, { calls: 40 });
    cursor = readPayload<{ nextCursor: string }>(
      await server.call(filled.anna.key, "sync/me/changes.list", {}),
    ).nextCursor;
    embeddedNumber = await readNumber(connection.db);
    await server.close();
    await connection.close();
  });

  afterAll(() => rm(dataDir, { recursive: true, force: true }));

  test("the calls read: most are answered with content", () => {
    expect(asked.filter(({ answer }) => answer.startsWith("200")).length).toBeGreaterThan(20);
    expect(new Set(asked.map(({ answer }) => answer)).size).toBeGreaterThan(15);
  });

  /** Runs a command of docs/backup.md, which begins with a setting, with the test's own addresses. */
  async function runDocumented(setting: string, from: Record<string, string>, to: string, ...more: string[]) {
    const text = await readFile(new URL("../../../../../docs/backup.md", import.meta.url), "utf8");
    const line = text.split("\n").find((candidate) => candidate.trim().match(`^${setting}=.* move `)) ?? "";
    expect(line).toMatch(/ pnpm minutes move --to \S+$/);
    const args = line.trim().split(" ").slice(3, -1);
    return minutes([...args, to, ...more], from);
  }

  /** Makes the schema of an embedded database seem older, by -1, or as new as it is again, by 1. */
  async function shiftSchema(directory: string, by: 1 | -1) {
    const { db, close } = await connectEmbedded({ dataDir: directory, migrate: false });
    await db.execute(sql`update drizzle.__drizzle_migrations set created_at = created_at + ${by}`);
    await close();
  }

  /** Expects that an installation is only read, with a warning, until it is reopened. Leaves it reopened. */
  async function expectMoved(settings: Record<string, string>, where: string) {
    const [start, write, read] = [["migrate"], ["users", "create", "zed@example.com"], ["users", "list"]];
    for (const args of [start, write]) {
      const refused = await minutes(args, settings);
      expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining(where)]);
      expect(refused.stderr).toContain("`minutes move --reopen`");
    }
    const listed = await minutes(read, settings);
    expect([listed.code, listed.stderr]).toEqual([0, expect.stringContaining(where)]);
    expect(listed.stdout).not.toContain("zed@example.com");
    const doctor = await minutes(["doctor"], settings);
    expect(doctor.stdout).toMatch(/^fail +Database +This installation was moved to /m);
    if (settings.DATA_DIR !== undefined) {
      // As after an upgrade of the commands: no call can read an older schema, and nothing migrates it.
      await shiftSchema(settings.DATA_DIR, -1);
      const older = await minutes(read, settings);
      expect([older.code, older.stdout, older.stderr]).toEqual([1, "", expect.stringContaining(where)]);
      await shiftSchema(settings.DATA_DIR, 1);
    }
    expect((await minutes(["move", "--reopen"], settings)).code).toBe(0);
    const again = await minutes(read, settings);
    expect([again.code, again.stderr]).toEqual([0, expect.not.stringContaining(where)]);
  }

  test("to PostgreSQL and back: every table is equal, and every call is answered byte for byte as before", async () => {
    const url = await emptyPostgres();
    // Anna's workspace is taken for the sample.
    const { userId } = filled.anna;
    const { workspaceId } = filled.company;
    await writeKeysFile(dataDir, { userId, workspaceId, personalKey: null, workspaceKey: null });
    const moved = await runDocumented("DATA_DIR", { DATA_DIR: dataDir }, url, "--json");
    const result = JSON.parse(moved.stdout);
    expect(result).toMatchObject({
      equal: true,
      vectors: true,
      secrets: { secrets: 5, readable: 5 },
    });
    expect(result.tables.filter(({ source }: { source: { rows: number } }) => source.rows === 0)).toEqual([]);
    expect(result.next[0]).toContain(`${dataDir}/secrets.key`);
    expect(result.next[1]).toContain("Not included: audio of 1 meeting.");
    expect(result.next).toContainEqual(expect.stringContaining("unset BACKUP_EVERY"));
    expect(result.next).toContainEqual(expect.stringContaining("marked as moved"));
    expect(result.next.at(-1)).toContain(`minutes workspaces delete ${workspaceId} --erase-members`);
    expect(moved.stderr).toContain("To leave it out, stop and run `minutes demo remove` first.");
    expect(moved.code).toBe(0);
    const backup = await minutes(["backup", join(await temporaryDir(), "old.backup")], { DATA_DIR: dataDir });
    expect([backup.code, backup.stderr]).toEqual([
      0,
      expect.stringContaining("moved to PostgreSQL database"),
    ]);
    await expectMoved({ DATA_DIR: dataDir }, "moved to PostgreSQL database");

    const SECRETS_KEY = await readKeyFile(dataDir);
    const onServer = await connectPostgres({ url });
    const server = await serve(onServer);
    expect(await findDifferences(server, asked)).toEqual([]);
    expect((await server.call(filled.anna.key, "sync/me/changes.list", { cursor })).status).toBe(410);
    await server.close();
    expect(await readSecret(onServer.db, { DATABASE_URL: url, SECRETS_KEY }, filled.webhook.id)).toBe(
      filled.webhook.secret,
    );
    expect(await findDisabledTriggers(onServer.db)).toEqual([]);
    expect(await readNumber(onServer.db)).toBeGreaterThanOrEqual(embeddedNumber + 2 ** 40);
    // Identity columns and sequences continue.
    await givenOn(onServer.db).richMeeting(filled.anna);
    await onServer.close();

    const wrong = { DATA_DIR: dataDir, DATABASE_URL: url, SECRETS_KEY: [Buffer.alloc(32)] };
    await expect(moveInstallation(wrong, await temporaryDir(), silent)).rejects.toThrow(/5 of 5 secrets/);

    // Without its key no server starts on it: it would create another one.
    const keyless = await temporaryDir();
    await mkdir(join(keyless, "secrets.key"));
    const into = { DATA_DIR: "", DATABASE_URL: url, SECRETS_KEY: [Buffer.from(SECRETS_KEY, "base64")] };
    await expect(moveInstallation(into, keyless, silent)).rejects.toThrow(/EISDIR/);
    await expect(connectEmbedded({ dataDir: keyless })).rejects.toThrow("part of an installation");

    const back = join(await temporaryDir(), "minutes@example.com");
    const returned = await runDocumented("DATABASE_URL", { DATABASE_URL: url, SECRETS_KEY }, back);
    expect(returned.stderr).toContain("The move is complete: both databases are identical.");
    expect(returned.stdout).toMatch(/^webhooks +2 +2 +equal$/m);
    expect(returned.code).toBe(0);
    expect(`${returned.stdout}${returned.stderr}`).not.toContain(SECRETS_KEY);
    await expectMoved({ DATABASE_URL: url, SECRETS_KEY }, `moved to ${back}.`);
    const here = await connectEmbedded({ dataDir: back });
    const again = await serve(here);
    // The meeting above is new.
    const gets = asked.filter(({ route }) => route.endsWith("meetings.get"));
    expect(await findDifferences(again, gets)).toEqual([]);
    await again.close();
    expect(await readSecret(here.db, { DATA_DIR: back }, filled.webhook.id)).toBe(filled.webhook.secret);
    await here.close();
  });

  test("if killed, no server starts on it, and the next move completes it, also after the last step but one", async () => {
    const url = await emptyPostgres();
    const env = { DATA_DIR: dataDir, DATABASE_URL: undefined, SECRETS_KEY: undefined };
    const other = await connectPostgres({ url, migrate: false, poolSize: 1 });
    const run = (statement: string) => other.db.execute(sql.raw(statement));
    await run("set application_name = 'test'");
    await run("select pg_advisory_lock(4711)");
    await run("create rule test as on insert to summaries do also select pg_advisory_lock_shared(4711)");
    const { child, ended } = launchMinutes(["move", "--to", url], { DATA_DIR: dataDir });
    const findWaiting = () =>
      readRows(
        other.db,
        sql`select '' as waits from pg_stat_activity where datname = current_database() and wait_event = 'advisory'`,
      );
    await expect.poll(findWaiting).toHaveLength(1);
    child.kill("SIGKILL");
    await ended;
    await run("select pg_advisory_unlock(4711)");
    expect(await findFilledTables(other.db, [{ name: "users" }])).toEqual(["users"]);
    await expect(connectPostgres({ url })).rejects.toThrow("part of an installation");

    await run("drop rule test on summaries");
    await run("create rule test as on insert to summaries do also update summaries set short = short || ' '");
    const damaged = await moveInstallation(env, url, silent);
    expect(damaged.tables.filter(({ equal }) => !equal).map(({ table }) => table)).toEqual(["summaries"]);
    expect(damaged.equal).toBe(false);
    const source = await connectEmbedded({ dataDir, migrate: false });
    expect(await findMove(source.db)).toBe(null);
    await source.close();
    await expect(connectPostgres({ url })).rejects.toThrow("part of an installation");

    // The last step fails, as if killed before it: the source is marked, and the destination is full, but unfinished.
    await run("drop rule test on summaries");
    await run(
      `create function test() returns event_trigger language plpgsql as $$
        begin if exists (select from public.users) then raise exception 'stopped'; end if; end $$`,
    );
    await run(
      "create event trigger test on ddl_command_start when tag in ('DROP TABLE') execute function test()",
    );
    await expect(moveInstallation(env, url, silent)).rejects.toThrow(/unfinished_move/);
    await run("drop event trigger test");
    await run("drop function test()");
    const { total } = await readRow<{ total: string }>(
      other.db,
      sql`select count(*)::text as total from users`,
    );
    expect(Number(total)).toBeGreaterThan(0);
    await other.close();
    await expect(connectPostgres({ url })).rejects.toThrow("part of an installation");
    await expect(moveInstallation(env, await emptyPostgres(), silent)).rejects.toThrow("was moved to");
    expect(await moveInstallation(env, url, silent)).toMatchObject({ equal: true });
    await expect(moveInstallation(env, url, silent)).rejects.toThrow("was moved to PostgreSQL database");
    await reopenInstallation(env);
    const connection = await connectPostgres({ url });
    expect(await findDisabledTriggers(connection.db)).toEqual([]);
    const server = await serve(connection);
    expect(await findDifferences(server, asked)).toEqual([]);
    await server.close();
    await connection.close();
  });

  test(
    "a move that version 0.1.0 interrupted is repeated on the newest schema",
    needs("one-server"),
    async () => {
      const restored = await restoreRelease(await readRelease("0.1.0"));
      onTestFinished(() => restored.remove());
      const url = restored.url ?? "";
      const old = await connectPostgres({ url, migrate: false, poolSize: 1 });
      await old.db.execute(sql`create table unfinished_move ()`);
      await old.db.execute(sql`alter table meetings disable trigger user`);
      await old.close();
      const env = { DATA_DIR: dataDir, DATABASE_URL: undefined, SECRETS_KEY: undefined };
      expect(await moveInstallation(env, url, silent)).toMatchObject({ equal: true });
      await reopenInstallation(env);
      const connection = await connectPostgres({ url });
      expect(await findDisabledTriggers(connection.db)).toEqual([]);
      const server = await serve(connection);
      expect(await findDifferences(server, asked)).toEqual([]);
      await server.close();
      await connection.close();
    },
  );

  test("refused: a destination in use or not empty, a source in use or missing, the same engine twice, a needless reopen", async () => {
    const url = await emptyPostgres();
    const refusal = async (to: string, settings: Record<string, string> = { DATA_DIR: dataDir }) => {
      const { code, stderr } = await minutes(["move", "--to", to], settings);
      expect(code).toBe(1);
      return stderr;
    };
    expect(await refusal(await temporaryDir())).toMatch(/both directories/);
    expect(await refusal(url, { DATABASE_URL: url })).toMatch(/both PostgreSQL/);
    expect(await refusal(url, { DATA_DIR: await temporaryDir() })).toMatch(/There is no database in/);
    const reopen = (directory: string) =>
      reopenInstallation({ DATA_DIR: directory, DATABASE_URL: undefined, DATABASE_DIRECT_URL: undefined });
    await expect(reopen(dataDir)).rejects.toThrow("This installation is not marked as moved.");
    const mistyped = join(await temporaryDir(), "dataa");
    await expect(reopen(mistyped)).rejects.toThrow(`There is no database in ${mistyped}.`);
    expect(existsSync(mistyped)).toBe(false);
    const lock = await lockDataDir(dataDir);
    expect(await refusal(url)).toMatch(/is in use by a running Minutes command/);
    await lock.release();
    const connection = await connectPostgres({ url, migrate: false, poolSize: 1 });
    await connection.db.execute(sql`insert into users (id, email, name) values ('u', 'u@example.com', 'U')`);
    expect(await refusal(url)).toMatch(/Servers use the destination: 1 sessions/);
    await connection.close();
    expect(await refusal(url)).toMatch(/is not empty: its table users has rows/);
    const missing = Object.assign(new URL(url), { pathname: "/missing_database" });
    expect(await refusal(missing.href)).toContain("The database in --to does not exist. Create it first.");
    const closed = Object.assign(new URL(url), { host: "127.0.0.1:1" });
    expect(await refusal(closed.href)).toMatch(/can't be reached .*Check --to, and/);
  });
});

test("tables are sorted by their references, and a circle is refused", () => {
  const table = (name: string, ...references: string[]) => ({ name, references });
  const sorted = sortByReferences([table("c", "b", "a"), table("b", "a"), table("a")]);
  expect(sorted.map(({ name }) => name)).toEqual(["a", "b", "c"]);
  expect(() => sortByReferences([table("a", "b"), table("b", "a")])).toThrow("circle");
});
