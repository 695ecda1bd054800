import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { cp, mkdir, readdir, readFile, rm, stat, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { connectEmbedded } from "@minutes/db";
import { needs, waitFor } from "@minutes/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { checkBackups } from "../../commands/doctor/backups.js";
import { parseConfig } from "../../config/config.js";
import { minutesJson, openInstallationOnDisk, runHere } from "../../testing/installation.js";
import { emptyDataDir, launchMinutes, minutes, startProcess, temporaryDir } from "../../testing/process.js";
import { BATCH_LIMIT } from "../archive/format.js";
import { readArchive, readText } from "../archive/read-entries.js";
import { writeEntries } from "../archive/write-entries.js";
import { requireRoom } from "../temporary-files.js";
import { listBackups, nameBackup, pruneBackups } from "./folder.js";
import { createOnlineBackups } from "./online-backup.js";

const PASSPHRASE = "correct horse battery staple";

describe("backups of the embedded database", needs("embedded"), () => {
  let installation: Awaited<ReturnType<typeof openInstallationOnDisk>>;
  let folder: string;
  let whole: string;
  let warnings: string;
  const abandoned = "old.tar.gz.09af31.minutes-part";
  const others = ["young.tar.gz.09af32.minutes-part", "notes.part"];
  beforeAll(async () => {
    installation = await openInstallationOnDisk();
    await installation.json("workspaces", "create", "First", "--plan", "team");
    await installation.json("users", "create", "ann@example.com", "--workspace", "First");
    folder = join(installation.dataDir, "..", `${installation.dataDir.split("/").at(-1)}-backups`);
    await mkdir(folder);
    for (const name of [abandoned, ...others]) await writeFile(join(folder, name), "");
    await utimes(join(folder, abandoned), 0, 0);
    whole = join(folder, "whole.tar.gz");
    ({ stderr: warnings } = await installation.run("backup", whole));
    // Later than the backup.
    await installation.json("users", "create", "later@example.com", "--workspace", "First");
  });
  afterAll(async () => {
    await installation.close();
    await rm(folder, { recursive: true, force: true });
  });

  /** Verifies a backup, beside no data, and requires that nothing is left. */
  const verify = async (file: string, settings = {}) => {
    const DATA_DIR = join(await temporaryDir(), "none");
    const result = await runHere(["backup", "verify", file], { DATA_DIR, ...settings });
    expect(existsSync(DATA_DIR)).toBe(false);
    return result;
  };

  test("a backup is readable only by its owner, complete, and restores the state at its end", async () => {
    expect((await stat(whole)).mode & 0o077).toBe(0);
    const { code, stdout } = await verify(whole);
    expect([code, stdout]).toEqual([0, expect.stringContaining("whole.tar.gz is whole")]);

    // One that was interrupted while it put its files in place is not started as an empty database, and restarted.
    const DATA_DIR = await temporaryDir();
    await mkdir(join(DATA_DIR, "restoring"));
    await writeFile(join(DATA_DIR, "secrets.key"), "");
    for (const command of [
      ["users", "create", "ann@example.com"],
      ["users", "list"],
    ]) {
      const { code, stderr } = await runHere(command, { DATA_DIR });
      expect([code, stderr]).toEqual([1, expect.stringContaining("was not restored completely")]);
    }
    const restored = await minutesJson<{ rows: { users: number } }>(["restore", whole], { DATA_DIR });
    const users = await minutesJson<{ email: string }[]>(["users", "list"], { DATA_DIR });
    expect(users.map(({ email }) => email)).toEqual(["ann@example.com"]);
    expect(restored.rows.users).toBe(1);
    expect(await readFile(join(DATA_DIR, "secrets.key"))).toEqual(
      await readFile(join(installation.dataDir, "secrets.key")),
    );
  });

  test("an encrypted backup needs its passphrase; one that is not warns of the key of webhook secrets", async () => {
    expect(warnings).toContain("is not encrypted and contains secrets.key");
    const file = join(folder, "encrypted.tar.gz.age");
    const { code, stdout, stderr } = await runHere(["backup", file, "--json"], {
      ...installation.settings,
      BACKUP_PASSPHRASE: PASSPHRASE,
    });
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ encrypted: true, secretsKey: true });
    expect(stderr).not.toContain("not encrypted");
    for (const [settings, sentence] of [
      [{}, "is encrypted: set BACKUP_PASSPHRASE."],
      [
        { BACKUP_PASSPHRASE: "another passphrase" },
        "can't be decrypted: BACKUP_PASSPHRASE is wrong, or the file is damaged.",
      ],
    ] as const)
      expect(await verify(file, settings)).toMatchObject({ code: 1, stderr: `${file} ${sentence}\n` });
    const { DATA_DIR } = installation.settings;
    const verified = await runHere(["backup", "verify", file, "--json"], {
      ...{ DATA_DIR, BACKUP_PASSPHRASE: PASSPHRASE },
    });
    expect((await readdir(DATA_DIR)).filter((name) => name.startsWith("minutes-copy"))).toEqual([]);
    expect([verified.code, JSON.parse(verified.stdout)]).toEqual([
      0,
      expect.objectContaining({ rows: expect.anything() }),
    ]);
  });

  test("a backup and its check say that a secret needs SECRETS_KEY, which is not in the file", async () => {
    const settings = {
      DATA_DIR: await emptyDataDir(),
      SECRETS_KEY: Buffer.alloc(32, 1).toString("base64"),
      WEBHOOK_ALLOWED_NETWORKS: "127.0.0.0/8",
    };
    for (const command of [
      ["workspaces", "create", "First", "--plan", "team"],
      ["users", "create", "ann@example.com", "--workspace", "First"],
      ["webhooks", "create", "ann@example.com", "https://127.0.0.1/hook"],
    ])
      expect(await runHere(command, settings)).toMatchObject({ code: 0 });
    const file = join(folder, "rotated.tar.gz");
    const sentence = expect.stringContaining("SECRETS_KEY, which 1 secret needs, is not in the backup");
    expect(await runHere(["backup", file], settings)).toMatchObject({ code: 0, stderr: sentence });
    expect(await verify(file)).toMatchObject({ code: 0, stdout: sentence });
  });

  test("an unfinished, a modified and an unrelated file are refused, and nothing is restored", async () => {
    const bytes = await readFile(whole);
    const changed = Buffer.from(bytes);
    changed[bytes.length >> 1] = (changed[bytes.length >> 1] ?? 0) ^ 1;
    const cut = bytes.subarray(0, bytes.length - 100);
    const missing = await verify(join(folder, "missing"));
    expect([missing.code, missing.stderr]).toEqual([1, expect.stringContaining("no such file.")]);
    for (const [name, content] of [
      ["changed", changed],
      ["foreign", "no archive"],
    ] as const) {
      const file = join(folder, `${name}.tar.gz`);
      await writeFile(file, content);
      const DATA_DIR = join(await temporaryDir(), "restored");
      const { code, stderr } = await runHere(["restore", file], { DATA_DIR });
      // The message depends on which byte was changed.
      const sentence = /is damaged|is not a Minutes backup|has a layout other|does not (match|fit)/;
      expect([name, code, stderr]).toEqual([name, 1, expect.stringMatching(sentence)]);
      expect(await readdir(DATA_DIR)).toEqual(["run"]);
    }
    const file = join(folder, "cut.tar.gz");
    await writeFile(file, cut);
    const readAll = async () => {
      for await (const entry of readArchive(file, null)) await readText(entry, BATCH_LIMIT, file);
    };
    await expect(readAll()).rejects.toThrow("cut.tar.gz is damaged or incomplete.");
  });

  test("existing files and non-empty directories are not replaced", async () => {
    expect(await installation.run("backup", whole)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("exists already."),
    });
    const begin = () => Promise.reject(new Error("It began."));
    await expect(writeEntries(whole, null, begin)).rejects.toThrow("exists already.");
    const { code, stderr } = await runHere(["restore", whole], { DATA_DIR: folder });
    expect([code, stderr]).toEqual([1, expect.stringContaining("is not empty")]);
    const left = (await readdir(folder)).filter((name) => name === "run" || name.endsWith("part"));
    expect(left.toSorted()).toEqual(others.toSorted());
  });

  test("a copy leaves room on the disk for the running server", async () => {
    await expect(requireRoom(folder, 2 ** 60)).rejects.toThrow(/has no room for a copy/);
  });

  test("a restore that is killed while it writes: no server starts there, and the next one completes it", async () => {
    const DATA_DIR = join(await temporaryDir(), "data");
    const { child, ended } = launchMinutes(["restore", whole], { DATA_DIR });
    await waitFor(() => stat(join(DATA_DIR, "restoring", "db")));
    child.kill("SIGKILL");
    await ended;
    const start = await minutes(["start"], { DATA_DIR, PORT: "0" });
    expect([start.code, start.stderr]).toEqual([1, expect.stringContaining("was not restored completely")]);
    await minutesJson(["restore", whole], { DATA_DIR });
    const users = await minutesJson<{ email: string }[]>(["users", "list"], { DATA_DIR });
    expect(users.map(({ email }) => email)).toEqual(["ann@example.com"]);
    expect(existsSync(join(DATA_DIR, "restoring"))).toBe(false);
  });

  test("a second backup ends a running one, which reports it, and one that failed to end", async () => {
    const { client, close } = await connectEmbedded({ migrate: false });
    const { begin, finish, release, mustKeepWriteAheadLog } = createOnlineBackups(client);
    const first = await begin();
    const second = await begin();
    await expect(finish(first.id)).rejects.toThrow("The backup was interrupted");
    expect((await finish(second.id)).label).toContain("LABEL: minutes");
    // The state left by a backup whose end failed.
    await client.query("select pg_backup_start('left over', true)");
    const third = await begin();
    expect((await finish(third.id)).label).toContain("LABEL: minutes");
    expect(mustKeepWriteAheadLog()).toBe(true);
    await release(first.id);
    expect(mustKeepWriteAheadLog()).toBe(true);
    await release(third.id);
    expect(mustKeepWriteAheadLog()).toBe(false);
    await close();
  });

  test("a directory copied while open is refused; one copied while closed starts", async () => {
    const copy = join(await temporaryDir(), "copy");
    await mkdir(copy);
    // Fails at a file that the engine removes during the copy, but copies all others. `fs.cp` would stop there.
    spawnSync("cp", ["-R", join(installation.dataDir, "db"), copy]);
    await cp(join(installation.dataDir, "db.opened"), join(copy, "db.opened"));
    const { code, stderr } = await runHere(["users", "list"], { DATA_DIR: copy });
    expect([code, stderr]).toEqual([1, expect.stringContaining("was copied while a server had it open")]);

    const closed = await emptyDataDir();
    await minutesJson(["users", "create", "ann@example.com"], { DATA_DIR: closed });
    const second = join(await temporaryDir(), "copy");
    await cp(join(closed, "db"), join(second, "db"), { recursive: true });
    expect(await minutesJson(["users", "list"], { DATA_DIR: second })).toHaveLength(1);
  });

  test("BACKUP_EVERY makes a backup at the start, and the next one only when it is due", async () => {
    const BACKUP_DIR = join(await temporaryDir(), "backups");
    const DATA_DIR = await emptyDataDir();
    const settings = { DATA_DIR, DEMO: "off", BACKUP_DIR, BACKUP_EVERY: "1d" };
    const server = await startProcess(settings);
    await expect.poll(() => server.output.stdout.includes("backup made"), { interval: 100 }).toBe(true);
    await expect
      .poll(() => server.output.stdout.includes("contains secrets.key"), { interval: 100 })
      .toBe(true);
    const [backup, ...others] = await listBackups(BACKUP_DIR);
    expect(others).toEqual([]);
    const { status } = await minutesJson<{ status: { lastBackup: string } }>(["status"], settings);
    expect(status.lastBackup).toBe(backup?.createdAt.toISOString());
    expect((await server.stop()).code).toBe(0);
  });
});

test("backups in a folder: the newest first; the oldest are removed, and other files are not", async () => {
  const folder = await temporaryDir();
  const days = [3, 1, 2].map((day) => new Date(Date.UTC(2026, 0, day)));
  const names = days.map((day) => nameBackup(folder, day, day.getUTCDate() === 2));
  for (const file of [...names, join(folder, "notes.txt")]) await writeFile(file, "");
  expect((await listBackups(folder)).map(({ createdAt }) => createdAt.getUTCDate())).toEqual([3, 2, 1]);
  expect(await pruneBackups(folder, 2)).toEqual([names[1]]);
  expect(await readdir(folder)).toHaveLength(3);
});

test("doctor warns of missing or late backups, and mentions that none are configured", async () => {
  const BACKUP_DIR = await temporaryDir();
  const DATA_DIR = await temporaryDir();
  const env = parseConfig({ DATA_DIR, BACKUP_DIR, BACKUP_EVERY: "1d" });
  const now = Date.UTC(2026, 0, 10, 12);
  expect(await checkBackups(parseConfig({}))).toMatchObject([{ status: "note" }]);
  expect(await checkBackups(env, now)).toMatchObject([{ status: "warn" }]);
  await writeFile(nameBackup(BACKUP_DIR, new Date(Date.UTC(2026, 0, 8, 11)), false), "");
  expect(await checkBackups(env, now)).toMatchObject([
    { status: "warn", message: expect.stringContaining("49 hours old") },
  ]);
  await writeFile(nameBackup(BACKUP_DIR, new Date(Date.UTC(2026, 0, 9, 11)), false), "");
  expect(await checkBackups(env, now)).toMatchObject([
    { status: "ok", message: "the newest is 25 hours old." },
  ]);
  await writeFile(join(DATA_DIR, "secrets.key"), "");
  expect(await checkBackups(env, now)).toMatchObject([
    { status: "ok" },
    { status: "warn", message: expect.stringContaining("contain secrets.key") },
  ]);
  const encrypted = parseConfig({ DATA_DIR, BACKUP_DIR, BACKUP_PASSPHRASE: PASSPHRASE });
  expect(await checkBackups(encrypted, now)).toMatchObject([{ status: "ok" }]);
  for (const [data, backups] of [
    [DATA_DIR, join(DATA_DIR, "backups")],
    [join(BACKUP_DIR, "data"), BACKUP_DIR],
    [DATA_DIR, DATA_DIR],
  ])
    expect(await checkBackups(parseConfig({ DATA_DIR: data, BACKUP_DIR: backups }), now)).toContainEqual({
      ...{ name: "Backups", status: "warn", message: expect.stringContaining("lost together") },
    });
});

test("on PostgreSQL, backup, restore and a schedule name its own tools", async () => {
  const schedule = { BACKUP_DIR: "/nonexistent", BACKUP_EVERY: "1d" };
  for (const [args, settings] of [
    [["backup", "x"], {}],
    [["restore", "x"], {}],
    [["start"], schedule],
  ] as const) {
    const { code, stderr } = await runHere([...args], {
      DATABASE_URL: "postgres://localhost/none",
      ...settings,
    });
    expect([code, stderr]).toEqual([2, expect.stringContaining("pg_dump")]);
  }
});
