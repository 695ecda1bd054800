import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  connectEmbedded,
  connectPostgres,
  type Database,
  lockDataDir,
  UnfinishedMoveError,
} from "@minutes/db";
import { createTestDatabase, givenOn, needs, readPayload, temporaryDir } from "@minutes/testing";
import { sql } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { readEnv } from "../env.js";
import { type FilledDatabase, fillEveryTable } from "../testing/every-table.js";
import { runHere as minutes } from "../testing/installation.js";
import { emptyDataDir } from "../testing/process.js";
import { type AskedCall, askAtRandom, findDifferences, serve } from "../testing/same-answers.js";
import { createWebhookSettings } from "../webhook-settings.js";
import { findFilledTables, readCatalog, sortByReferences } from "./catalog.js";
import { toPlace } from "./endpoint.js";
import { moveInstallation } from "./move.js";
import { readRow, readRows } from "./rows.js";

/** Creates an empty PostgreSQL database that nobody is connected to. */
async function emptyPostgres(): Promise<string> {
  const database = await createTestDatabase();
  await database.connection.close();
  onTestFinished(() => database.close());
  return database.url ?? "";
}

const silent = { onBegin: () => {}, onBatch: () => {}, onCompare: () => {} };

/** Reads the secret of a webhook as an installation with these settings does. */
async function readSecret(
  db: Database,
  env: Record<string, string>,
  id: string,
): Promise<string | undefined> {
  const { dataDir } = toPlace(env.DATABASE_URL ?? env.DATA_DIR ?? "");
  const { keyring } = await createWebhookSettings(readEnv(env), dataDir);
  const { key, secret } = await readRow<{ key: string; secret: string }>(
    db,
    sql`select secret_key_id as key, encode(secret, 'hex') as secret from webhooks where id = ${id}`,
  );
  return keyring?.decrypt({ secretKeyId: key, secret: Buffer.from(secret, "hex") }, id);
}

const readBase = async (db: Database) =>
  Number((await readRow<{ base: string }>(db, sql`select transaction_base()::text as base`)).base);

const readKeyFile = async (directory: string) =>
  (await readFile(join(directory, "secrets.key"), "utf8")).trim();

const findDisabledTriggers = (db: Database) =>
  readRows(db, sql`select tgname as name from pg_trigger where tgenabled = 'D'`);

describe("minutes move", needs("postgres"), () => {
  let dataDir: string;
  let filled: FilledDatabase;
  let asked: AskedCall[];
  let cursor: string;
  let embeddedBase: number;
  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), "minutes-test-"));
    const from = new Blob([await readFile(process.env.TEST_TEMPLATE_FILE ?? "")]);
    const connection = await connectEmbedded({ dataDir, from });
    const settings = await createWebhookSettings(
      readEnv({ DATA_DIR: dataDir, WEBHOOK_ALLOWED_NETWORKS: "127.0.0.0/8" }),
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
    embeddedBase = await readBase(connection.db);
    await server.close();
    await connection.close();
  });

  afterAll(() => rm(dataDir, { recursive: true, force: true }));

  test("the calls read: most are answered with content", () => {
    expect(asked.filter(({ answer }) => answer.startsWith("200")).length).toBeGreaterThan(20);
    expect(new Set(asked.map(({ answer }) => answer)).size).toBeGreaterThan(15);
  });

  /** Runs a command of docs/moving.md, which begins with a setting, with the test's own addresses. */
  async function runDocumented(setting: string, from: Record<string, string>, to: string, ...more: string[]) {
    const text = await readFile(new URL("../../../../docs/moving.md", import.meta.url), "utf8");
    const line = text.split("\n").find((candidate) => candidate.trim().startsWith(`${setting}=`)) ?? "";
    expect(line).toMatch(/ pnpm minutes move --to \S+$/);
    const args = line.trim().split(" ").slice(3, -1);
    return minutes([...args, to, ...more], from);
  }

  test("to PostgreSQL and back: every table is equal, and every call is answered byte for byte as before", async () => {
    const url = await emptyPostgres();
    const moved = await runDocumented("DATA_DIR", { DATA_DIR: dataDir }, url, "--json");
    const result = JSON.parse(moved.stdout);
    expect(result).toMatchObject({
      equal: true,
      resumed: false,
      vectors: true,
      secrets: { secrets: 3, readable: 3 },
    });
    expect(result.tables.filter(({ source }: { source: { rows: number } }) => source.rows === 0)).toEqual([]);
    expect(result.next[0]).toContain(`${dataDir}/secrets.key`);
    expect(moved.code).toBe(0);

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
    expect(await readBase(onServer.db)).toBeGreaterThanOrEqual(embeddedBase + 2 ** 40);
    // Identity columns and sequences go on where they were.
    await givenOn(onServer.db).richMeeting(filled.anna);
    await onServer.close();

    const wrong = { DATA_DIR: dataDir, DATABASE_URL: url, SECRETS_KEY: [Buffer.alloc(32)] };
    await expect(moveInstallation(wrong, await temporaryDir(), silent)).rejects.toThrow(/3 of 3 secrets/);

    const back = await temporaryDir();
    const returned = await runDocumented("DATABASE_URL", { DATABASE_URL: url, SECRETS_KEY }, back);
    expect(returned.stderr).toContain("The move is complete: both databases hold the same.");
    expect(returned.stdout).toMatch(/^webhooks +2 +2 +equal$/m);
    expect(returned.code).toBe(0);
    expect(`${returned.stdout}${returned.stderr}`).not.toContain(SECRETS_KEY);
    const here = await connectEmbedded({ dataDir: back });
    const again = await serve(here);
    // The meeting above is new.
    const gets = asked.filter(({ route }) => route.endsWith("meetings.get"));
    expect(await findDifferences(again, gets)).toEqual([]);
    await again.close();
    expect(await readSecret(here.db, { DATA_DIR: back }, filled.webhook.id)).toBe(filled.webhook.secret);
    await here.close();
  });

  test("interrupted, no server starts on it, another source is refused, and repeats complete it", async () => {
    const url = await emptyPostgres();
    const env = { DATA_DIR: dataDir, DATABASE_URL: undefined, SECRETS_KEY: undefined };
    const other = await connectPostgres({ url, migrate: false, poolSize: 1 });
    await other.db.execute(sql`set application_name = 'test'`);
    /** Moves until a batch of a table was copied, and returns the tables that had batches. */
    const interruptAt = async (last: string) => {
      const tables: string[] = [];
      const onBatch = (table: string) => {
        tables.push(table);
        if (table === last) throw new Error("interrupted");
      };
      await expect(moveInstallation(env, url, { ...silent, onBatch })).rejects.toThrow("interrupted");
      return tables;
    };
    expect(await interruptAt("meetings")).toContain("users");
    await expect(connectPostgres({ url })).rejects.toThrow(UnfinishedMoveError);
    const stranger = { ...env, DATA_DIR: await emptyDataDir() };
    await expect(moveInstallation(stranger, url, silent)).rejects.toThrow(/a part of another installation/);
    // It goes on behind the last batch.
    expect(await interruptAt("tasks")).not.toContain("users");
    // The source was used meanwhile: what was copied may be out of date, and is copied again.
    const used = await connectEmbedded({ dataDir });
    await used.db.execute(sql`update users set name = name || '.' where email = 'new@example.com'`);
    await used.close();
    expect(await interruptAt("meetings")).toContain("users");

    const onCompare = async (table: string) => {
      if (table === "summaries") await other.db.execute(sql`update summaries set short = short || ' '`);
      // What a crash of the engine empties.
      if (table === "rate_windows") await other.db.execute(sql`delete from rate_windows`);
    };
    const damaged = await moveInstallation(env, url, { ...silent, onCompare });
    expect(damaged).toMatchObject({ equal: false, resumed: true });
    expect(damaged.tables.filter(({ equal }) => !equal).map(({ table }) => table)).toEqual(["summaries"]);
    await expect(connectPostgres({ url })).rejects.toThrow(UnfinishedMoveError);

    await other.db.execute(sql`update summaries set short = rtrim(short)`);
    await other.close();
    expect(await moveInstallation(env, url, silent)).toMatchObject({ equal: true, resumed: true });
    const connection = await connectPostgres({ url });
    const server = await serve(connection);
    expect(await findDifferences(server, asked)).toEqual([]);
    await server.close();
    await connection.close();
  });

  test("refused: a destination that is used or not empty, a source that is used or missing, one engine twice", async () => {
    const url = await emptyPostgres();
    const refusal = async (to: string, settings: Record<string, string> = { DATA_DIR: dataDir }) => {
      const { code, stderr } = await minutes(["move", "--to", to], settings);
      expect(code).toBe(1);
      return stderr;
    };
    expect(await refusal(await temporaryDir())).toMatch(/both directories/);
    expect(await refusal(url, { DATABASE_URL: url })).toMatch(/both PostgreSQL/);
    expect(await refusal(url, { DATA_DIR: await temporaryDir() })).toMatch(/There is no database in/);
    const lock = await lockDataDir(dataDir);
    expect(await refusal(url)).toMatch(/is in use by another running Minutes server/);
    await lock.release();
    const connection = await connectPostgres({ url, migrate: false, poolSize: 1 });
    await connection.db.execute(sql`insert into users (id, email, name) values ('u', 'u@example.com', 'U')`);
    expect(await refusal(url)).toMatch(/Servers use the destination: 1 sessions/);
    await connection.close();
    expect(await refusal(url)).toMatch(/is not empty: its table users has rows/);
  });
});

test("tables are sorted by their references, and a circle is refused", () => {
  const table = (name: string, ...references: string[]) => ({ name, references });
  const sorted = sortByReferences([table("c", "b", "a"), table("b", "a"), table("a")]);
  expect(sorted.map(({ name }) => name)).toEqual(["a", "b", "c"]);
  expect(() => sortByReferences([table("a", "b"), table("b", "a")])).toThrow("circle");
});
