import { createHash } from "node:crypto";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { connectEmbedded, ExplainedError, getSchemaVersion, lockDataDir, schema } from "@minutes/db";
import { needs, readPayload } from "@minutes/testing";
import { eq, sql } from "drizzle-orm";
import { pack } from "tar-stream";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parseConfig } from "../../config/config.js";
import { createWebhookSettings } from "../../config/webhook-settings.js";
import { type FilledDatabase, fillEveryTable } from "../../testing/every-table.js";
import { minutesJson, openInstallationOnDisk, runHere } from "../../testing/installation.js";
import { emptyDataDir, launchMinutes, temporaryDir } from "../../testing/process.js";
import { serve } from "../../testing/same-answers.js";
import { readCatalog } from "../archive/catalog.js";
import { compareTable } from "../archive/compare.js";
import { dumpDatabase } from "../archive/dump.js";
import { CONTENTS_ENTRY, INFO_ENTRY } from "../archive/format.js";
import { writeEntries } from "../archive/write-entries.js";

describe("archives of the embedded database", needs("embedded"), () => {
  let installation: Awaited<ReturnType<typeof openInstallationOnDisk>>;
  let filled: FilledDatabase;
  beforeAll(async () => {
    installation = await openInstallationOnDisk();
    const { db, dataDir } = installation;
    const env = parseConfig({ DATA_DIR: dataDir, WEBHOOK_ALLOWED_NETWORKS: "127.0.0.0/8" });
    filled = await fillEveryTable(db, await createWebhookSettings(env, dataDir));
  });
  afterAll(() => installation.close());

  const newFile = async (name = "new.tar.gz") => join(await temporaryDir(), name);

  test("every row of every table is restored unchanged, nothing deleted before is there, and the change feed continues", async () => {
    const file = await newFile("whole.tar.gz");
    const server = await serve(installation.connection);
    const feed = async (on: typeof server, cursor?: string) =>
      on.call(filled.boris.key, "sync/me/changes.list", { limit: 100, ...(cursor ? { cursor } : {}) });
    const before = readPayload<{ nextCursor: string }>(await feed(server)).nextCursor;
    // The use of a key is written after its answer.
    const { apiKeys } = schema;
    const findUse = async () => {
      const [key] = await installation.db.select().from(apiKeys).where(eq(apiKeys.id, filled.boris.keyId));
      return key?.lastUsedAt;
    };
    await expect.poll(findUse).not.toBeNull();
    const { db, dataDir } = installation;
    for (const title of ["Xylograph", "Another"])
      await db.execute(sql`update calendar_events set title = ${title} where title is not null`);
    await installation.json("backup", file);
    const bytes = gunzipSync(await readFile(file)).toString("latin1");
    expect([bytes.includes("Xylograph"), bytes.includes("Another")]).toEqual([false, true]);
    expect((await readdir(dataDir)).filter((name) => name.startsWith("minutes-copy-"))).toEqual([]);
    const { tables } = await readCatalog(db);

    const DATA_DIR = join(await temporaryDir(), "restored");
    const restore = await runHere(["restore", file], { DATA_DIR });
    expect(restore).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("Not included: audio of 1 meeting."),
    });
    const restored = await connectEmbedded({ dataDir: DATA_DIR, migrate: false });
    for (const table of tables.filter(({ name }) => name !== "sync_starts" && name !== "audit_log"))
      expect(await compareTable(db, restored.db, table)).toMatchObject({ equal: true });
    const { transcriptions } = schema;
    expect([await db.$count(transcriptions), await restored.db.$count(transcriptions)]).toEqual([1, 0]);
    await restored.close();
    expect((await runHere(["doctor"], { DATA_DIR })).stdout).toContain("lacks the audio of 1 meeting");

    await server.given.meeting(filled.boris, { title: "After the backup" });
    const after = readPayload<{ nextCursor: string }>(await feed(server, before)).nextCursor;
    await server.close();
    const again = await connectEmbedded({ dataDir: DATA_DIR });
    const copy = await serve(again);
    expect((await feed(copy, before)).status).toBe(200);
    expect((await feed(copy, after)).status).toBe(410);
    await copy.given.meeting(filled.boris, { title: "In the copy" });
    expect((await feed(copy, before)).text).toContain("In the copy");
    await copy.close();
    await again.close();
  });

  test("an archive of an earlier schema is restored into that schema, and the next start brings it up to date", async () => {
    // The first migration; the same as the newest until there is a second.
    const { rows } = (await installation.db.execute(
      sql`select min(created_at)::text as earlier, max(created_at)::text as newest from drizzle.__drizzle_migrations`,
    )) as unknown as { rows: [{ earlier: string; newest: string }] };
    const [earlier, newest] = [Number(rows[0].earlier), Number(rows[0].newest)];
    const old = await connectEmbedded({ migrate: earlier });
    await old.db.execute(sql`insert into users (id, email, name) values ('u', 'old@example.com', 'Old')`);
    const file = await newFile("earlier.tar.gz");
    await writeEntries(file, null, async (entries) => {
      const options = { version: "0.1.0", createdAt: new Date(), onProgress: () => {} };
      const contents = await dumpDatabase(old.db, entries, options);
      await entries.addText(CONTENTS_ENTRY, JSON.stringify({ ...contents, files: {} }));
    });
    await old.close();
    const DATA_DIR = join(await temporaryDir(), "restored");
    await minutesJson(["restore", file], { DATA_DIR });
    const before = await connectEmbedded({ dataDir: DATA_DIR, migrate: false });
    expect(await getSchemaVersion(before.db)).toBe(earlier);
    await before.close();
    const { db, close } = await connectEmbedded({ dataDir: DATA_DIR });
    expect(await getSchemaVersion(db)).toBe(newest);
    expect(await db.select({ email: schema.users.email }).from(schema.users)).toEqual([
      { email: "old@example.com" },
    ]);
    await close();
  });

  /** Writes an archive with these entries. */
  const writeTar = async (name: string, entries: Record<string, string | Buffer>) => {
    const archive = pack();
    for (const [entry, content] of Object.entries(entries)) archive.entry({ name: entry }, content);
    archive.finalize();
    const chunks: Buffer[] = [];
    for await (const chunk of archive) chunks.push(chunk as Buffer);
    const file = await newFile(name);
    await writeFile(file, gzipSync(Buffer.concat(chunks)));
    return file;
  };
  const INFO = { format: 2, minutes: "9.9.9", engine: "18.0", createdAt: new Date().toISOString() };

  test.each<[string, Record<string, string | Buffer>, string]>([
    ["bomb", { [INFO_ENTRY]: Buffer.alloc(64 * 2 ** 20, 32) }, "its entry backup.json is too large."],
    ["syntax", { [INFO_ENTRY]: '{"format": 2,' }, "is damaged, or is not a Minutes backup."],
    ["layout", { [INFO_ENTRY]: '{"format": 3}' }, "has a layout other"],
    [
      "newer",
      { [INFO_ENTRY]: JSON.stringify({ ...INFO, schema: 9_999_999_999_999, tables: [] }) },
      "was made by the newer Minutes 9.9.9: restore it with that version.",
    ],
    ["foreign", { "notes.txt": "" }, "is not a Minutes backup."],
  ])("one sentence for an archive that can't be used: %s", async (name, entries, sentence) => {
    const file = await writeTar(`${name}.tar.gz`, entries);
    const { code, stderr } = await runHere(["restore", file], {
      DATA_DIR: join(await temporaryDir(), "restored"),
    });
    const lines = stderr.trim().split("\n");
    expect([code, lines.filter((line) => !line.startsWith("Data: "))]).toEqual([
      1,
      [expect.stringContaining(sentence)],
    ]);
  });

  const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");

  test.each<[what: string, contents: { tables: object; files?: object }, sentence: string]>([
    [
      "other rows than its contents say",
      { tables: { vocabulary_terms: { rows: 0, sha256: sha256("other rows") } } },
      "its rows of vocabulary_terms differ",
    ],
    [
      "another file than its contents say",
      {
        tables: { vocabulary_terms: { rows: 0, sha256: sha256("") } },
        files: { "secrets.key": sha256("another key") },
      },
      "the checksum of secrets.key is wrong",
    ],
  ])("an archive with %s is refused, and nothing is restored", async (what, contents, sentence) => {
    const version = await getSchemaVersion(installation.db);
    const { tables } = await readCatalog(installation.db);
    const table = tables.find((one) => one.name === "vocabulary_terms");
    const info = { ...INFO, schema: version, tables: [{ name: table?.name, columns: table?.columns }] };
    const file = await writeTar("damaged.tar.gz", {
      [INFO_ENTRY]: JSON.stringify(info),
      "secrets.key": "key",
      [CONTENTS_ENTRY]: JSON.stringify({
        ...{ files: { "secrets.key": sha256("key") }, sequences: {}, transaction: "1" },
        ...contents,
      }),
    });
    const DATA_DIR = join(await temporaryDir(), "restored");
    const { code, stderr } = await runHere(["restore", file], { DATA_DIR });
    expect([what, code, stderr]).toEqual([what, 1, expect.stringContaining(`is damaged: ${sentence}`)]);
    expect(await readdir(DATA_DIR)).toEqual(["run"]);
  });
});

describe("archives that can't be written", () => {
  test.each([null, "correct horse battery staple"])(
    "an error of the source is thrown unchanged (passphrase %s)",
    async (passphrase) => {
      const folder = await temporaryDir();
      const fault = new ExplainedError("The backup was interrupted.");
      const written = writeEntries(join(folder, "a.tar.gz"), passphrase, async (entries) => {
        await entries.addText(INFO_ENTRY, "{}");
        throw fault;
      });
      await expect(written).rejects.toBe(fault);
      expect(await readdir(folder)).toEqual([]);
    },
  );
});

describe("backups that are killed", needs("embedded"), () => {
  /** Lists the copies of the data in a data directory. */
  const listCopies = async (dataDir: string) =>
    (await readdir(dataDir).catch(() => [])).filter((name) => name.startsWith("minutes-copy-"));

  test.each(["SIGKILL", "SIGTERM"] as const)("%s leaves no copy of the data and no part", async (signal) => {
    const DATA_DIR = await emptyDataDir();
    const target = await temporaryDir();
    const command = launchMinutes(["backup", join(target, "mine.tar.gz")], { DATA_DIR });
    await expect.poll(() => listCopies(DATA_DIR), { interval: 5 }).toHaveLength(1);
    expect(await readdir(target)).toHaveLength(1);
    command.child.kill(signal);
    expect((await command.ended).signal).toBe(signal);
    await expect.poll(() => readdir(target)).toEqual([]);
    await expect.poll(() => listCopies(DATA_DIR)).toEqual([]);
  });

  test("an encrypted backup is verified beside the data, and SIGKILL leaves nothing readable", async () => {
    const settings = { DATA_DIR: await emptyDataDir(), BACKUP_PASSPHRASE: "correct horse battery staple" };
    const file = join(await temporaryDir(), "mine.tar.gz.age");
    await minutesJson(["backup", file], settings);
    const [DATA_DIR, TMPDIR] = [join(await temporaryDir(), "none"), await temporaryDir()];
    const command = launchMinutes(["backup", "verify", file], { ...settings, DATA_DIR, TMPDIR });
    const listDatabase = async () => {
      const [copy = ""] = await listCopies(DATA_DIR);
      return readdir(join(DATA_DIR, copy)).catch(() => []);
    };
    await expect.poll(listDatabase, { interval: 5 }).toContain("db");
    command.child.kill("SIGKILL");
    await command.ended;
    await expect.poll(() => listCopies(DATA_DIR)).toEqual([]);
    expect(await readdir(TMPDIR)).toEqual([]);
  });

  test("every command removes copies that the machine's end left, and neither those in use nor other directories", async () => {
    const DATA_DIR = await temporaryDir();
    for (const name of ["minutes-copy-abc123", "minutes-copy-used00", "another"])
      await mkdir(join(DATA_DIR, name, "db"), { recursive: true });
    const lock = await lockDataDir(join(DATA_DIR, "minutes-copy-used00"));
    await runHere(["doctor"], { DATA_DIR });
    expect((await readdir(DATA_DIR)).toSorted()).toEqual(["another", "minutes-copy-used00"]);
    await lock.release();
    await runHere(["users", "list"], { DATA_DIR });
    expect(await readdir(DATA_DIR)).toEqual(["another"]);
  });
});
