import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { connectEmbedded } from "@minutes/db";
import { emptyDataDir, needs } from "@minutes/testing";
import { sql } from "drizzle-orm";
import { describe, expect, onTestFinished, test } from "vitest";
import { pruneTable } from "./sweep.js";

/** Number of rows that fill 2,500 pages, two per page. */
const ROWS = 5_000;

describe("pruning a table of 20 MB", needs("embedded"), () => {
  test("removes every deleted row from its file without a vacuum, and keeps the others", async () => {
    const dataDir = await emptyDataDir();
    const { db, close } = await connectEmbedded({ dataDir, migrate: false });
    onTestFinished(close);
    const run = (statement: string) => db.execute(sql.raw(statement));
    await run("create table long (id int, said text storage plain)");
    await run(`insert into long select n, case when n % 2 = 0 then 'zebrathorn' else 'marzipanowl' end || repeat(md5(n::text), 115)
      from generate_series(1, ${ROWS}) n`);
    const [table] = await db
      .select({ file: sql<string>`file` })
      .from(sql`pg_relation_filepath('long') as file`);
    const count = async () => {
      await run("checkpoint");
      const text = await readFile(join(dataDir, "db", table?.file ?? ""), "latin1");
      return ["zebrathorn", "marzipanowl"].map((word) => text.split(word).length - 1);
    };
    await run("delete from long where id % 2 = 0");
    expect(await count()).toEqual([ROWS / 2, ROWS / 2]);
    await pruneTable(db, "public.long", () => false);
    expect(await count()).toEqual([0, ROWS / 2]);
  });
});
