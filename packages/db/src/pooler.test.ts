import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { MigrationLockedError, migratePostgres, PoolerError } from "@minutes/db";
import { createTestDatabase, findProgram, needs, type TestDatabase } from "@minutes/testing";
import postgres from "postgres";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";

async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === "object" && address ? address.port : 0;
}

/** Runs PgBouncer before a database. @returns the database's address through it */
async function startPooler(url: string, mode: "transaction" | "session" | "statement"): Promise<string> {
  const target = new URL(url);
  const port = await findFreePort();
  const directory = await mkdtemp(join(tmpdir(), "minutes-pooler-"));
  await chmod(directory, 0o755);
  const file = join(directory, "pgbouncer.ini");
  await writeFile(
    file,
    `[databases]
* = host=${target.hostname} port=${target.port} user=${target.username}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = ${mode}
`,
  );
  // It refuses to run as root.
  const as = process.getuid?.() === 0 ? ["-u", "nobody"] : [];
  const pooler = spawn(findProgram("pgbouncer") ?? "", ["-q", ...as, file], { stdio: "ignore" });
  onTestFinished(async () => {
    pooler.kill("SIGKILL");
    await rm(directory, { recursive: true, force: true });
  });
  const pooled = new URL(url);
  pooled.port = String(port);
  pooled.hostname = "127.0.0.1";
  const client = postgres(pooled.href, { max: 1, fetch_types: false });
  onTestFinished(() => client.end({ timeout: 1 }));
  await expect
    .poll(() =>
      client`select 1`.simple().then(
        () => true,
        () => false,
      ),
    )
    .toBe(true);
  return pooled.href;
}

describe("a start", () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await createTestDatabase();
  });
  afterAll(() => database.close());

  test.each(["transaction", "statement"] as const)(
    "refused: a pooler in %s mode, without a lock left behind",
    needs("postgres", "pgbouncer"),
    async (mode) => {
      const pooled = await startPooler(database.url ?? "", mode);
      await expect(migratePostgres(pooled)).rejects.toBeInstanceOf(PoolerError);
      await migratePostgres(database.url ?? "", 2_000);
    },
  );

  test("accepted: a pooler in session mode", needs("postgres", "pgbouncer"), async () => {
    await migratePostgres(await startPooler(database.url ?? "", "session"));
  });

  test("refused with a sentence: the lock of migrations is never released", needs("postgres"), async () => {
    const holder = postgres(database.url ?? "", { max: 1, fetch_types: false });
    onTestFinished(() => holder.end({ timeout: 1 }));
    await holder`select pg_advisory_lock(7164210381)`;
    await expect(migratePostgres(database.url ?? "", 300)).rejects.toBeInstanceOf(MigrationLockedError);
  });
});
