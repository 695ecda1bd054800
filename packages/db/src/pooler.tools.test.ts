import { execFileSync, spawn } from "node:child_process";
import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  connectPostgres,
  ExplainedError,
  migratePostgres,
  type PostgresOptions,
  runNamedStatement,
} from "@minutes/db";
import {
  createTestDatabase,
  findFreePort,
  findProgram,
  needs,
  openWire,
  type TestDatabase,
  toDatabaseUrl,
  waitFor,
} from "@minutes/testing";
import { sql } from "drizzle-orm";
import postgres from "postgres";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";

type Mode = "transaction" | "session" | "statement";

const PGBOUNCER = findProgram("pgbouncer") ?? "";
/** PgBouncer 1.21 and newer carry prepared statements over to each session. */
const [major = 0, minor = 0] =
  PGBOUNCER === ""
    ? []
    : (/(\d+)\.(\d+)/.exec(execFileSync(PGBOUNCER, ["--version"], { encoding: "utf8" })) ?? [])
        .slice(1)
        .map(Number);
const keepsStatements = major > 1 || minor >= 21;

/** The settings recommended in docs/scaling.md. */
const SESSION_SETTINGS =
  "set statement_timeout = 4750; set jit = off; set idle_in_transaction_session_timeout = 15000";

/** Runs PgBouncer in front of a database. @returns the database's URL through it */
async function startPooler(url: string, mode: Mode, connectQuery = SESSION_SETTINGS): Promise<string> {
  const target = new URL(url);
  const port = await findFreePort();
  const directory = await mkdtemp(join(tmpdir(), "minutes-pooler-"));
  await chmod(directory, 0o755);
  const file = join(directory, "pgbouncer.ini");
  const upstream = `host=${target.hostname} port=${target.port} user=${target.username}`;
  await writeFile(
    file,
    `[databases]
* = ${upstream} connect_query='${connectQuery}'
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = ${mode}
server_reset_query =
query_timeout = 65
query_wait_timeout = 10
tcp_keepidle = 10
tcp_keepintvl = 5
tcp_keepcnt = 3
tcp_user_timeout = 25000
${keepsStatements ? "max_prepared_statements = 200" : ""}
`,
  );
  // PgBouncer refuses to run as root.
  const as = process.getuid?.() === 0 ? ["-u", "nobody"] : [];
  const pooler = spawn(PGBOUNCER, ["-q", ...as, file], { stdio: "ignore" });
  onTestFinished(async () => {
    pooler.kill("SIGKILL");
    await rm(directory, { recursive: true, force: true });
  });
  const pooled = new URL(url);
  pooled.port = String(port);
  pooled.hostname = "127.0.0.1";
  const client = postgres(pooled.href, { max: 1, fetch_types: false });
  onTestFinished(() => client.end({ timeout: 1 }));
  await waitFor(() => client`select 1`.simple());
  return pooled.href;
}

interface Word {
  readonly word: string;
}
const ONE = sql`(values (1)) one`;

describe("a start", () => {
  let database: TestDatabase;
  let directUrl: string;
  beforeAll(async () => {
    database = await createTestDatabase();
    directUrl = database.url ?? "";
  });
  afterAll(() => database.close());

  test.each(["transaction", "statement"] as const)(
    "refused: a pooler in %s mode, without leaving a lock behind",
    needs("postgres", "pgbouncer"),
    async (mode) => {
      const pooled = await startPooler(directUrl, mode);
      await expect(migratePostgres(pooled)).rejects.toThrow(`pooler in ${mode} mode`);
      await expect(connectPostgres({ url: directUrl, directUrl: pooled })).rejects.toThrow(
        /^DATABASE_DIRECT_URL points to a connection pooler/,
      );
      await migratePostgres(directUrl, { lockPatience: 2_000 });
    },
  );

  test("accepted: a pooler in session mode", needs("postgres", "pgbouncer"), async () => {
    await migratePostgres(await startPooler(directUrl, "session"));
  });

  describe("with DATABASE_DIRECT_URL beside a pooler", needs("postgres", "pgbouncer"), () => {
    /** Opens a connection; closed after the test. */
    const open = async (options: Omit<PostgresOptions, "directUrl">) => {
      const connection = await connectPostgres({ directUrl, ...options });
      onTestFinished(() => connection.close());
      return connection;
    };

    test("refused: statement mode, another database, and sessions without a timeout or with escaped bytes", async () => {
      const refused = (url: string, options = {}) =>
        expect(connectPostgres({ url, directUrl, ...options })).rejects;
      await refused(await startPooler(directUrl, "statement")).toThrow("in statement mode, which has no");
      const elsewhere = toDatabaseUrl(await startPooler(directUrl, "session", "select 1"), "postgres");
      await refused(elsewhere).toThrow("point to different databases");
      const bare = toDatabaseUrl(elsewhere, new URL(directUrl).pathname.slice(1));
      await refused(bare, { statementTimeout: 4_750 }).toThrow("need a statement_timeout");
      await refused(await startPooler(directUrl, "session", "set bytea_output = escape")).toThrow(
        "need a statement_timeout and bytea_output = hex",
      );
    });

    test("transaction mode: refused if it loses prepared statements, as versions before 1.21 do", async () => {
      const opening = open({ url: await startPooler(directUrl, "transaction") });
      if (keepsStatements) await opening;
      else await expect(opening).rejects.toThrow("loses prepared statements");
    });

    test.each([
      { statements: "named", mode: keepsStatements ? "transaction" : "session" },
      // Unnamed statements exist for poolers that lose names, in the mode that loses them.
      { statements: "unnamed", mode: "transaction" },
    ] as const)(
      "accepted: with $statements statements, every answer belongs to its statement, and notifications arrive",
      async ({ statements, mode }) => {
        const url = await startPooler(directUrl, mode);
        const { db, listen } = await open({
          url,
          statementTimeout: 4_750,
          poolSize: 4,
          unnamedStatements: statements === "unnamed",
        });
        const heard: (string | undefined)[] = [];
        const stop = await listen("pooled", (payload) => heard.push(payload));
        const ask = [
          (word: string) => db.transaction((tx) => tx.select({ word: sql<string>`${word}::text` }).from(ONE)),
          (word: string) =>
            runNamedStatement<Word>(
              db,
              "pooled",
              () => sql`select ${sql.placeholder("word")}::text as word`,
              { word },
            ),
          (word: string) => db.select({ word: sql<string>`${sql.raw(`'${word}'`)}` }).from(ONE),
          (word: string) =>
            db.execute(sql`select ${word}::int`).then(
              () => [],
              () => [{ word }],
            ),
        ];
        // Some are longer than the pooler's read buffer.
        const words = Array.from({ length: 200 }, (_, index) =>
          `word ${index} `.repeat(index % 7 === 0 ? 1_000 : 1),
        );
        const answers = await Promise.all(words.map((word, index) => ask[index % ask.length]?.(word)));
        expect(answers.map((rows) => rows?.[0]?.word)).toEqual(words);
        await db.execute(sql`select pg_notify('pooled', 'arrived')`);
        await waitFor(() => expect(heard).toEqual([undefined, "arrived"]));
        await stop();
      },
    );
  });

  test("the pooler's server connections are lost: the pool drops its own, and the pooler replaces both", {
    ...needs("postgres", "pgbouncer"),
  }, async () => {
    const wire = await openWire(directUrl);
    onTestFinished(() => wire.close());
    const url = await startPooler(wire.url, "transaction");
    const connection = await connectPostgres({
      url,
      directUrl,
      statementTimeout: 1_000,
      unnamedStatements: true,
    });
    onTestFinished(() => connection.close());
    const ask = () =>
      connection.db.execute(sql`select pg_sleep(0.1)`).then(
        () => true,
        () => false,
      );
    const askMany = async () => new Set(await Promise.all(Array.from({ length: 20 }, ask)));
    expect(await askMany()).toEqual(new Set([true]));
    wire.freezeOpen();
    expect(await ask()).toBe(false);
    await expect.poll(askMany).toEqual(new Set([true]));
  });

  test(
    "refused with a clear message: the migration lock is never released; the given statement ends only that session",
    needs("postgres"),
    async () => {
      const elsewhere = await createTestDatabase();
      onTestFinished(() => elsewhere.close());
      const ended: string[] = [];
      const hold = async (name: string, url: string, lock: string) => {
        const onclose = () => ended.push(name);
        const holder = postgres(url, { max: 1, fetch_types: false, onclose });
        onTestFinished(() => holder.end({ timeout: 1 }));
        await holder.unsafe(`select pg_advisory_lock(${lock})`);
      };
      await hold("ours", directUrl, "7164210381");
      await hold("another application's", directUrl, "42");
      await hold("the halves as two keys", directUrl, "1, -1425724211");
      await hold("another installation's", elsewhere.url ?? "", "7164210381");
      const notes: string[] = [];
      const onWait = (note: string) => void notes.push(note);
      const error = await migratePostgres(directUrl, { lockPatience: 300, onWait }).catch(
        (fault: Error) => fault,
      );
      expect(notes).toEqual([expect.stringMatching(/^Another session migrates/)]);
      expect(error).toBeInstanceOf(ExplainedError);
      const [statement = ""] = /select .*;/.exec(error?.message ?? "") ?? [];
      await database.db.execute(sql.raw(statement));
      await migratePostgres(directUrl, { lockPatience: 60_000 });
      await expect.poll(() => ended).toEqual(["ours"]);
    },
  );
});
