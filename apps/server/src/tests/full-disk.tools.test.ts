import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { findProgram, needs } from "@minutes/testing";
import { describe, expect, onTestFinished, test } from "vitest";
import type { EmbeddingsStatus } from "../commands/procedures/embeddings.js";
import { writeEntries } from "../operations/archive/write-entries.js";
import { minutesJson, openInstallationOnDisk } from "../testing/installation.js";
import { meeting, OWNER, writeMeetings } from "../testing/meeting-files.js";
import { emptyDataDir, minutesOnFullDisk, startProcess, temporaryDir } from "../testing/process.js";

describe("a full disk", needs("embedded", "prlimit"), () => {
  test("503 while the log can't grow, 200 by itself afterwards, nothing acknowledged is lost, and SIGTERM ends it", async () => {
    const DATA_DIR = await emptyDataDir();
    const server = await startProcess({ DATA_DIR, DEMO: "off" });
    const run = <Result>(...args: string[]) => minutesJson<Result>(args, { DATA_DIR });
    await run("workspaces", "create", "First", "--plan", "team");
    await run("users", "create", "ann@example.com", "--workspace", "First");
    const { key } = await run<{ key: string }>("keys", "create", "ann@example.com");
    const call = () =>
      fetch(`${server.url}/v1/me/meetings.list`, { headers: { "x-api-key": key } }).then(
        ({ status }) => status,
      );
    const ready = () => fetch(`${server.url}/ready`).then(({ status }) => status);
    expect(await call()).toBe(200);

    // Limits files to 64 KB, which is a full disk for the engine.
    const limitFiles = (bytes: string) =>
      execFileSync(findProgram("prlimit") ?? "", [`--pid=${server.child.pid}`, `--fsize=${bytes}:unlimited`]);
    limitFiles("65536");
    const added = run("users", "create", "bob@example.com").catch((error: Error) => error.message);
    await expect(added).resolves.toMatch(/unavailable/i);
    expect([await call(), await ready()]).toEqual([503, 503]);
    await sleep(1_500); // a first attempt to reopen, which fails
    expect(await ready()).toBe(503);

    limitFiles("unlimited");
    await expect.poll(ready, { interval: 250 }).toBe(200);
    expect(await call()).toBe(200);
    await run("users", "create", "cay@example.com");
    const users = await run<{ email: string }[]>("users", "list");
    expect(users.map(({ email }) => email).toSorted()).toEqual(["ann@example.com", "cay@example.com"]);

    limitFiles("65536");
    await run("users", "create", "dan@example.com").catch(() => {});
    expect((await server.stop()).code).toBe(0);
  });

  test("what is encoded while the disk is full is encoded once it has room, and no meeting is lost", {
    timeout: 900_000,
  }, async () => {
    const DATA_DIR = await emptyDataDir();
    const server = await startProcess({ DATA_DIR, DEMO: "off", EMBEDDINGS: "builtin" });
    const run = <Result>(...args: string[]) => minutesJson<Result>(args, { DATA_DIR });
    await run("workspaces", "create", "First");
    await run("users", "create", OWNER, "--workspace", "First");
    const words = Array.from({ length: 400 }, (_, at) => `wombats${at % 7}`).join(" ");
    const transcript = [{ speakerId: "s1", speakerName: "Ann", text: words }];
    const names = Array.from({ length: 12 }, (_, at) => `m${at}`);
    const files = await writeMeetings(
      Object.fromEntries(names.map((name) => [`${name}.json`, meeting(name, { transcript })])),
    );
    await run("import", ...files);
    const status = async () => {
      const { meetings, vectors } = await run<EmbeddingsStatus>("embeddings", "status");
      return { meetings, encoded: vectors.reduce((sum, { meetings }) => sum + meetings, 0) };
    };
    await expect.poll(async () => (await status()).encoded).toBeGreaterThan(0);
    const limitFiles = (bytes: string) =>
      execFileSync(findProgram("prlimit") ?? "", [`--pid=${server.child.pid}`, `--fsize=${bytes}:unlimited`]);
    limitFiles("65536");
    const ready = () => fetch(`${server.url}/ready`).then(({ status }) => status);
    await expect.poll(ready, { interval: 250 }).toBe(503);
    limitFiles("unlimited");
    await expect.poll(ready, { interval: 250 }).toBe(200);
    // A lease that could not be given back lasts five minutes.
    const patience = { interval: 500, timeout: 600_000 };
    await expect.poll(status, patience).toEqual({ meetings: 12, encoded: 12 });
    expect((await server.stop()).code).toBe(0);
  });

  test("a restore and an export name the reason, and leave nothing that could be taken for a whole one", async () => {
    const installation = await openInstallationOnDisk();
    onTestFinished(installation.close);
    const file = join(await temporaryDir(), "whole.tar.gz");
    await installation.json("users", "create", OWNER);
    await installation.json("backup", file);
    const DATA_DIR = join(await temporaryDir(), "restored");
    const restored = await minutesOnFullDisk(["restore", file], { DATA_DIR });
    expect([restored.code, restored.stderr]).toEqual([1, expect.stringContaining("its disk is full")]);
    expect(await readdir(DATA_DIR)).toEqual(["run"]);

    const out = await temporaryDir();
    const options = ["export", "--user", OWNER, "--out", out];
    const exported = await minutesOnFullDisk(options, installation.settings, 16);
    expect([exported.code, exported.stderr]).toEqual([1, expect.stringContaining("A file can't be written")]);
    expect(await readdir(out)).toEqual(["meetings"]);
  });

  test("an archive ends with the disk's error, and no part is left", async () => {
    const folder = await temporaryDir();
    const limit = (bytes: string) =>
      execFileSync(findProgram("prlimit") ?? "", [`--pid=${process.pid}`, `--fsize=${bytes}:unlimited`]);
    limit("65536");
    try {
      const written = writeEntries(join(folder, "a.tar.gz"), null, async (entries) => {
        for (;;) await entries.addText("noise", randomBytes(100_000).toString("base64"));
      });
      await expect(written).rejects.toMatchObject({ code: "EFBIG" });
    } finally {
      limit("unlimited");
    }
    expect(await readdir(folder)).toEqual([]);
  });
});
