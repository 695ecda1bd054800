import { PGlite } from "@electric-sql/pglite";
import { dataDir } from "@electric-sql/pglite-prepopulatedfs";
import { needs } from "@minutes/testing";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type Engine, openEngine } from "./engine.js";

const VALUES = `select $1::int as number, $2::text as text, $3::jsonb as json, $4::text[] as list, $5::timestamptz as at,
  $6::bool as flag, null as nothing, $2 as text`;
const SENT = [7, "Größe 🦀", { a: [1, null] }, ["x", 'y"z', null], "2026-11-22T10:00:00.5Z", true];

describe("statements of the embedded database", needs("embedded"), () => {
  let engine: Engine;
  let plain: PGlite;
  beforeAll(async () => {
    // Loading an empty database takes a fifth of the time of creating one.
    const create = async () => PGlite.create({ loadDataDir: await dataDir() });
    [engine, plain] = await Promise.all([openEngine({}), create()]);
    await plain.exec("set timezone = 'UTC'");
  });
  beforeEach(() => engine.exec("drop table if exists colors; create table colors (name text primary key)"));
  afterAll(() => Promise.all([engine.close(), plain.close()]));

  test.each([
    {},
    { rowMode: "array" },
    { parsers: { 1184: (text: string) => `at ${text}` } },
    { serializers: { 25: (text: string) => text.toUpperCase() } },
  ] as const)("return what the engine returns, on every run: %j", async (options) => {
    const expected = await plain.query(VALUES, SENT, options);
    for (let run = 1; run <= 4; run++) {
      expect(await engine.query(VALUES, SENT, options)).toMatchObject({
        rows: expected.rows,
        fields: expected.fields,
      });
    }
  });

  test("report the number of changed rows", async () => {
    const insert = "insert into colors select unnest($1::text[])";
    expect((await engine.query(insert, [["red", "green"]])).affectedRows).toBe(2);
    expect((await engine.query(insert, [["blue"]])).affectedRows).toBe(1);
    expect((await engine.query("delete from colors")).affectedRows).toBe(3);
    expect((await engine.query("select 1")).affectedRows).toBe(0);
  });

  test("that fail leave the connection usable, and end their transaction", async () => {
    const insert = "insert into colors values ($1)";
    for (let run = 1; run <= 3; run++) {
      await expect(engine.query("select $1::int", ["red"])).rejects.toMatchObject({ code: "22P02" });
      await expect(engine.query("select nothing")).rejects.toMatchObject({ code: "42703" });
      const transaction = engine.transaction(async (tx) => {
        await tx.query(insert, ["red"]);
        await tx.query(insert, ["red"]);
      });
      await expect(transaction).rejects.toMatchObject({ code: "23505" });
    }
    expect((await engine.query("select * from colors")).rows).toEqual([]);
  });

  test("see columns added by a schema change", async () => {
    for (let run = 1; run <= 3; run++) await engine.query("select * from colors");
    await engine.exec("alter table colors add column hue int default 5; insert into colors values ('red')");
    expect((await engine.query("select * from colors")).rows).toEqual([{ name: "red", hue: 5 }]);
  });

  test("run while the schema changes", async () => {
    const texts = Array.from({ length: 8 }, (_, at) => `select ${at} as at, colors.* from colors`);
    await engine.exec("insert into colors values ('red')");
    let changing = true;
    const readers = texts.map(async (text, at) => {
      let runs = 0;
      for (; changing; runs++) {
        expect((await engine.query(text)).rows).toMatchObject([{ at, name: "red" }]);
        await new Promise(setImmediate);
      }
      return runs;
    });
    for (let change = 0; change < 50; change++) {
      await engine.exec(`alter table colors add column c${change} int`);
      await new Promise(setImmediate);
    }
    changing = false;
    for (const runs of await Promise.all(readers)) expect(runs).toBeGreaterThan(0);
  });

  test("are prepared again if the engine lost them; in a transaction, all of them from the next run on", async () => {
    const read = () => engine.query("select 5 as five");
    const readTwo = () =>
      engine.transaction(async (tx) => [
        (await tx.query("select 6 as six")).rows,
        (await tx.query("select 7 as seven")).rows,
      ]);
    for (let run = 1; run <= 3; run++) {
      await read();
      await readTwo();
    }
    await engine.query("deallocate all");
    expect((await read()).rows).toEqual([{ five: 5 }]);
    for (let run = 1; run <= 3; run++) await readTwo();
    await engine.query("deallocate all");
    await expect(readTwo()).rejects.toMatchObject({ code: "26000" });
    expect(await readTwo()).toEqual([[{ six: 6 }], [{ seven: 7 }]]);
  });

  test("stay prepared up to a maximum", async () => {
    for (let at = 0; at < 450; at++) {
      for (let run = 1; run <= 2; run++) await engine.query(`select ${at}`);
    }
    const { rows } = await engine.query<{ count: number }>(
      "select count(*)::int as count from pg_prepared_statements",
    );
    expect(rows[0]?.count).toBeGreaterThan(100);
    expect(rows[0]?.count).toBeLessThanOrEqual(200);
  });

  test("are refused after the end of their transaction", async () => {
    const ended = await engine.transaction(async (tx) => tx);
    await expect(ended.query("select 1")).rejects.toThrow("The transaction has ended.");
  });
});
