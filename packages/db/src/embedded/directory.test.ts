import { existsSync } from "node:fs";
import { chmod, mkdir, mkdtemp, readdir, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connectEmbedded, ExplainedError } from "@minutes/db";
import { emptyDataDir, needs } from "@minutes/testing";
import { sql } from "drizzle-orm";
import { afterEach, beforeEach, describe, expect, test } from "vitest";

let dataDir: string;
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "minutes-engine-"));
});
afterEach(() => rm(dataDir, { recursive: true, force: true }));

/** Returns the files and directories that other users can access. */
async function findOpenToOthers(): Promise<string[]> {
  const entries = await readdir(join(dataDir, "db"), { recursive: true });
  const open: string[] = [];
  for (const name of entries) {
    // A cache of the system catalogs without data, which the engine recreates at every start.
    if (name.endsWith("pg_internal.init")) continue;
    if ((await stat(join(dataDir, "db", name))).mode & 0o077) open.push(name);
  }
  return open;
}

describe("the embedded database's directory", needs("embedded"), () => {
  test("no file is accessible to other users, even those created by an earlier version", async () => {
    await mkdir(join(dataDir, "db"));
    for (const path of [dataDir, join(dataDir, "db")]) await chmod(path, 0o755);
    const first = await connectEmbedded({ dataDir, migrate: false });
    await first.db.execute(sql`create table later as select 1`);
    await first.close();
    expect(await findOpenToOthers()).toEqual([]);
    await chmod(join(dataDir, "db/PG_VERSION"), 0o666);
    await chmod(join(dataDir, "db/base"), 0o777);
    await (await connectEmbedded({ dataDir, migrate: false })).close();
    expect(await findOpenToOthers()).toEqual([]);
  });

  test("an interrupted creation is restarted from the beginning", async () => {
    await mkdir(join(dataDir, "db/base"), { recursive: true });
    await writeFile(join(dataDir, "db/PG_VERSION"), "18\n");
    await writeFile(join(dataDir, "db.incomplete"), "");
    const connection = await connectEmbedded({ dataDir, migrate: false });
    expect(existsSync(join(dataDir, "db.incomplete"))).toBe(false);
    await connection.close();
  });

  test.each([
    ["a part is missing", () => rm(join(dataDir, "db/pg_wal"), { recursive: true }), /pg_wal is missing/],
    [
      "its control file is damaged",
      () => writeFile(join(dataDir, "db/global/pg_control"), "damaged"),
      /damaged, or were copied while a server was running/,
    ],
  ])("refused with a clear message: %s", async (_, damage, sentence) => {
    dataDir = await emptyDataDir();
    await damage();
    const opened = connectEmbedded({ dataDir, migrate: false });
    await expect(opened).rejects.toBeInstanceOf(ExplainedError);
    await expect(opened).rejects.toThrow(sentence);
  });
});
