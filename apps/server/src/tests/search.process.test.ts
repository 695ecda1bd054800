import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createTestDatabase, needs } from "@minutes/testing";
import { sql } from "drizzle-orm";
import { describe, expect, onTestFinished, test } from "vitest";
import { minutesJson, runHere } from "../testing/installation.js";
import { emptyDataDir, type Settings, startProcess, temporaryDir } from "../testing/process.js";

const OWNER = "ann@example.com";

/** Creates a member with meetings, using the command line. */
async function importMeetings(settings: Settings, texts: readonly string[]): Promise<string> {
  const folder = await temporaryDir();
  const meetings = texts.map((text, at) => ({
    externalId: `m${at}`,
    ownerEmail: OWNER,
    title: "Planning",
    startTime: new Date(Date.now() - at * 60_000).toISOString(),
    transcript: [{ speakerId: "s1", speakerName: "Ann", text }],
  }));
  await writeFile(join(folder, "all.json"), JSON.stringify(meetings));
  await minutesJson(["workspaces", "create", "Acme", "--plan", "team"], settings);
  await minutesJson(["users", "create", OWNER, "--workspace", "Acme"], settings);
  expect(await minutesJson(["import", join(folder, "all.json")], settings)).toMatchObject({
    created: texts.length,
  });
  return (await minutesJson<{ key: string }>(["keys", "create", OWNER], settings)).key;
}

async function found(url: string, key: string, query: string): Promise<string[]> {
  const input = encodeURIComponent(JSON.stringify({ json: { query } }));
  const response = await fetch(`${url}/v1/me/meetings.search?input=${input}`, {
    headers: { "x-api-key": key },
  });
  const body = (await response.json()) as { result: { data: { json: { results: { text: string }[] } } } };
  return body.result.data.json.results.map(({ text }) => text);
}

const readiness = async (url: string) => (await fetch(`${url}/ready`)).json();

describe("a PostgreSQL that refuses pgvector", needs("postgres", "one-server"), () => {
  test("is searched by words, and the log and /ready say so", async () => {
    const database = await createTestDatabase();
    onTestFinished(() => database.close());
    const { db } = database;
    await db.execute(sql`drop schema public cascade`);
    await db.execute(sql`drop schema drizzle cascade`);
    await db.execute(sql`create schema public`);
    await db.execute(sql`create function refuse() returns event_trigger language plpgsql as
      $$ begin raise 'permission denied to create extension'; end $$`);
    await db.execute(sql`create event trigger no_extensions on ddl_command_start
      when tag in ('CREATE EXTENSION') execute function refuse()`);

    const server = await startProcess({
      DATABASE_URL: database.url ?? "",
      LOG_LEVEL: "info",
      EMBEDDINGS: "builtin",
    });
    const [vectors] = await db
      .select({ type: sql<string | null>`to_regtype('vector')::text` })
      .from(sql`(values (1)) one`);
    expect(vectors?.type).toBeNull();
    const settings = { DATABASE_URL: database.url ?? "" };
    const key = await importMeetings(settings, ["The turbines are late.", "Nothing of that."]);
    expect(await found(server.url, key, "late turbine")).toEqual(["Ann: The turbines are late."]);
    const lines = server.output.stdout.split("\n").filter((line) => line.includes("pgvector"));
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      { level: 40, search: "words", msg: "search goes by words: the database has no pgvector" },
    ]);
    expect(await readiness(server.url)).toEqual({
      status: "ready",
      search: { mode: "words", reason: "the database has no pgvector" },
    });
  });
});

describe("on the embedded database", needs("embedded"), () => {
  test("minutes reindex applies a new language to existing meetings while the server runs", async () => {
    const DATA_DIR = await emptyDataDir();
    const first = await startProcess({ DATA_DIR, DEMO: "off" });
    expect(await readiness(first.url)).toEqual({
      status: "ready",
      search: { mode: "words", reason: "EMBEDDINGS is off" },
    });
    const key = await importMeetings({ DATA_DIR }, [
      "Die Häuser stehen leer.",
      ...new Array(11).fill("Alle Häuser."),
    ]);
    expect(await minutesJson(["reindex"], { DATA_DIR })).toEqual({ reindexed: 0 });
    expect(await found(first.url, key, "Haus")).toEqual([]);
    await first.stop();

    const settings = { DATA_DIR, SEARCH_LANGUAGE: "german", EMBEDDINGS: "off", DEMO: "off" };
    const server = await startProcess(settings);
    await expect.poll(() => server.output.stdout).toMatch(/"outdated":12.*run `pnpm minutes reindex`/);
    expect(await readiness(server.url)).toMatchObject({
      search: { mode: "words", reason: "EMBEDDINGS is off" },
    });
    expect(await found(server.url, key, "Häuser")).toHaveLength(12);
    const { code, stdout, stderr } = await runHere(["reindex"], settings);
    expect([code, stdout]).toEqual([0, "12 indexed again\n"]);
    // Progress without a terminal: one line per step.
    expect(stderr.replaceAll(/, about .+ left/g, "")).toBe(
      `Data: ${DATA_DIR}\n5 of 12 meetings\n10 of 12 meetings\n12 of 12 meetings\n`,
    );
    expect(await found(server.url, key, "Haus")).toHaveLength(12);
    expect(await minutesJson(["reindex"], settings)).toEqual({ reindexed: 0 });
    const explained = await runHere(["search", OWNER, "Haus", "--from", "2020-01-01", "--explain"], settings);
    const [head, row] = explained.stdout.split("\n");
    expect(head).toMatch(/^SCORE +WORDS +MEANING +SPEAKER +WHOLE MEETING +RELEVANCE +DATE +MEETING +FOUND$/);
    expect(row).toMatch(/^\d\.\d\d +\d\.\d\d +0\.00 +0\.00 .* Planning +Ann: /);
    expect(explained.stderr).toContain("By words only.");
    const wrong = await runHere(["reindex"], { ...settings, SEARCH_LANGUAGE: "klingon" });
    expect(wrong.code).not.toBe(0);
    expect(wrong.stderr).toMatch(/text-search configuration/);
  });
});
