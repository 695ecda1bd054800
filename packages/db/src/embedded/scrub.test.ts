import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { PGlite } from "@electric-sql/pglite";
import { amcheck } from "@electric-sql/pglite/contrib/amcheck";
import { needs, temporaryDir } from "@minutes/testing";
import { describe, expect, test } from "vitest";
import { openEngine } from "./engine.js";

/** Counts the files of a directory that contain a word. */
async function countFiles(directory: string, word: string): Promise<number> {
  const entries = await readdir(directory, { withFileTypes: true, recursive: true });
  const files = entries.filter((entry) => entry.isFile());
  const found = await Promise.all(
    files.map(async ({ parentPath, name }) => (await readFile(join(parentPath, name))).includes(word)),
  );
  return found.filter(Boolean).length;
}

describe("files of the embedded database", needs("embedded"), () => {
  test("contain nothing of deleted and vacuumed rows, and every page is intact", async () => {
    const dataDir = await temporaryDir();
    const engine = await openEngine({ dataDir });
    await engine.exec(`create table words (id int primary key, word text, long text);
      create index words_by_word on words (word);
      create table notes (word text);
      create index notes_by_word on notes (word)`);
    await engine.query(`insert into words select n, 'zanzibar' || md5(n::text), 'quokka' || repeat(md5((n * 7)::text), 5)
      from generate_series(1, 1500) n`);
    // One page of an index, whose entries are no bounds of other pages, is clean without a reindex.
    await engine.query("insert into notes select 'okapi' || md5(n::text) from generate_series(1, 100) n");
    await engine.exec("checkpoint");
    for (const word of ["zanzibar", "okapi"]) expect(await countFiles(dataDir, word)).toBeGreaterThan(1);
    await engine.query("delete from notes");
    await engine.query("delete from words where id % 3 <> 0");
    await engine.query("update words set word = 'other' || id, long = 'short'");
    for (const statement of [
      "vacuum (analyze, index_cleanup on) words",
      "reindex index words_by_word",
      "vacuum (index_cleanup on) notes",
      "vacuum pg_catalog.pg_statistic",
      "checkpoint",
      "select pg_switch_wal()",
      "checkpoint",
    ])
      await engine.query(statement);
    for (const word of ["zanzibar", "quokka", "okapi"])
      expect([word, await countFiles(dataDir, word)]).toEqual([word, 0]);
    expect(await countFiles(dataDir, "other")).toBeGreaterThan(0);
    expect((await readdir(join(dataDir, "db/pg_wal"))).filter((name) => name.length === 24)).toHaveLength(1);
    await engine.query("insert into words select n, 'later', 'later' from generate_series(5000, 6500) n");
    await engine.close();

    const plain = await PGlite.create({ dataDir: join(dataDir, "db"), extensions: { amcheck } });
    await plain.exec("create extension amcheck");
    const { rows } = await plain.query(
      "select bt_index_check(indexrelid, true), bt_index_parent_check(indexrelid) from pg_index",
    );
    expect(rows.length).toBeGreaterThan(50);
    const { rows: counted } = await plain.query(
      "select count(*)::int as count, count(long)::int as long from words",
    );
    expect(counted).toEqual([{ count: 500 + 1_501, long: 500 + 1_501 }]);
    await plain.close();
  });
});
