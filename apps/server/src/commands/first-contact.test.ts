import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { needs } from "@minutes/testing";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import manifest from "../../package.json" with { type: "json" };
import { SAMPLE_FILE } from "../operations/import/sample-file.js";
import { openInstallation, runHere } from "../testing/installation.js";
import { temporaryDir } from "../testing/process.js";

const EMAIL = "ann@example.com";

describe("the command line tells a newcomer", needs("embedded"), () => {
  let installation: Awaited<ReturnType<typeof openInstallation>>;
  let folder: string;
  beforeAll(async () => {
    installation = await openInstallation();
    await installation.json("users", "create", EMAIL);
    folder = await mkdtemp(join(tmpdir(), "minutes-test-"));
  });
  afterAll(async () => {
    await installation.close();
    await rm(folder, { recursive: true });
  });

  test("its version", async () => {
    expect(await runHere(["--version"], {})).toEqual({
      code: 0,
      stdout: `${manifest.version}\n`,
      stderr: "",
    });
  });

  test("names the data that a command used, but no database password", async () => {
    const { stdout, stderr } = await installation.run("users", "list");
    expect(stderr).toBe(`Data: ${installation.dataDir}\n`);
    expect(stdout).toContain(EMAIL);
    const DATABASE_URL = "postgres://user:pa55word@127.0.0.1:1/minutes";
    const away = await runHere(["users", "list"], { DATABASE_URL });
    expect(away.code).toBe(1);
    expect(away.stderr).toMatch(/^Data: PostgreSQL database minutes on 127\.0\.0\.1:1\n/);
    expect(away.stderr).not.toContain("pa55word");
  });

  test.each([
    [["users", "list"]],
    [["users", "create", EMAIL]],
    [["workspaces", "create", "Acme"]],
    [["demo", "load"]],
    [["import", SAMPLE_FILE]],
    [["keys", "create", EMAIL]],
    [["export", "--user", EMAIL, "--out", "never-written"]],
    [["audit"]],
    [["reindex"]],
  ])("%j: a directory without data stays without data", async (args) => {
    const DATA_DIR = join(await temporaryDir(), "data");
    const { code, stderr } = await runHere(args, { DATA_DIR });
    expect(code).toBe(1);
    expect(stderr).toContain(`There is no database in ${DATA_DIR}.`);
    expect(existsSync(DATA_DIR)).toBe(false);
    expect(existsSync("never-written")).toBe(false);
  });

  test.each([
    [["users", "list"]],
    [["users", "create", EMAIL]],
    [["migrate"]],
    [["import", SAMPLE_FILE, "--create"]],
    [["export", "--user", EMAIL, "--out", "never-written"]],
    [["restore", SAMPLE_FILE]],
    [["backup", "verify", SAMPLE_FILE]],
    [["backup", "never-written"]],
  ])("exit code 2: %j with a DATA_DIR that is a file or below one", async (args) => {
    const file = join(await temporaryDir(), "file");
    await writeFile(file, "");
    for (const DATA_DIR of [file, join(file, "data")]) {
      const { code, stdout, stderr } = await runHere([...args, "--json"], { DATA_DIR });
      expect([code, stderr, JSON.parse(stdout).error]).toEqual([
        2,
        "",
        expect.stringMatching(
          /^\S+ can't be used as DATA_DIR: it is a file.*\. Correct that, or choose another DATA_DIR\.$/,
        ),
      ]);
    }
    expect(await readFile(file, "utf8")).toBe("");
  });

  test("exit code 2: backup into a BACKUP_DIR that is a file; doctor says so, too", async () => {
    const BACKUP_DIR = join(await temporaryDir(), "file");
    await writeFile(BACKUP_DIR, "");
    const settings = { ...installation.settings, BACKUP_DIR };
    const sentence = `${BACKUP_DIR} can't be used as BACKUP_DIR: it is a file, or below one. Correct that, or choose another BACKUP_DIR.`;
    const { code, stderr } = await runHere(["backup"], settings);
    expect([code, stderr]).toEqual([2, expect.stringContaining(sentence)]);
    const checked = await runHere(["doctor"], settings);
    expect([checked.code, checked.stdout]).toEqual([1, expect.stringContaining(sentence)]);
  });

  test("migrate and import --create say and do what others refuse: create a database", async () => {
    const DATA_DIR = join(await temporaryDir(), "data");
    const created = await runHere(["migrate"], { DATA_DIR });
    expect([created.code, created.stdout]).toEqual([0, `Created the schema in ${DATA_DIR}.\n`]);
    const again = await runHere(["migrate"], { DATA_DIR });
    expect([again.code, again.stdout]).toEqual([0, "The schema is up to date.\n"]);
    const copy = { DATA_DIR: join(await temporaryDir(), "data") };
    const { code, stderr } = await runHere(["import", SAMPLE_FILE, "--create"], copy);
    expect([code, stderr]).toEqual([1, expect.stringContaining("No user")]);
    expect(existsSync(join(copy.DATA_DIR, "db"))).toBe(true);
  });

  test("a workspace with a taken name is refused", async () => {
    const add = () => installation.run("workspaces", "create", "Acme");
    expect((await add()).code).toBe(0);
    const again = await add();
    expect([again.code, again.stderr]).toEqual([
      1,
      expect.stringContaining("Another workspace has this name."),
    ]);
  });

  test.each([
    [["users", "create", "no-address", "--json"], 1, "email"],
    [["users", "delete", EMAIL, "--json"], 2, "add --yes"],
    [["bogus", "--json"], 2, "unknown command 'bogus'"],
    [["users", "create", "--json"], 2, "missing required argument 'email'"],
    [["keys", "--json"], 2, "unknown option '--json'"],
  ])(
    "%j: the failure is one JSON document on stdout, and nothing on stderr",
    async (args, code, sentence) => {
      const failed = await installation.run(...args);
      expect([failed.code, failed.stderr]).toEqual([code, ""]);
      expect(JSON.parse(failed.stdout)).toEqual({
        error: expect.stringContaining(sentence),
        data: installation.dataDir,
      });
    },
  );

  test("reports all faults of a file at once and imports its good lines", async () => {
    const bad = join(folder, "bad.json");
    await writeFile(
      bad,
      JSON.stringify({ externalId: "x", title: "", startTime: "soon", colour: "red", size: 3 }),
    );
    const lines = join(folder, "lines.jsonl");
    const good = { externalId: "good", ownerEmail: EMAIL, title: "Good", startTime: "2026-01-05T09:00:00Z" };
    await writeFile(lines, `{"title": secret\n${JSON.stringify(good)}\nnonsense\n`);
    const { code, stdout, stderr } = await installation.run("import", bad, lines, "--json");
    expect(code).toBe(1);
    const report = JSON.parse(stdout);
    expect(report).toMatchObject({ created: 1 });
    const [whole, ...others] = report.failed;
    for (const fault of ["ownerEmail", "title", "startTime", '"colour"', '"size"', "use --owner to set one"])
      expect(whole.error).toContain(fault);
    expect(others).toMatchObject([
      { line: 1, error: "Not valid JSON." },
      { line: 3, error: "Not valid JSON." },
    ]);
    expect(stderr).not.toContain("secret");
  });

  test("a sample file that is named by --help and can be imported", async () => {
    const help = await runHere(["import", "--help"], {});
    expect(help.stdout).toContain(SAMPLE_FILE);
    const unopened = { DATA_DIR: join(folder, "none") };
    const checked = JSON.parse(
      (await runHere(["import", SAMPLE_FILE, "--dry-run", "--json"], unopened)).stdout,
    );
    expect(checked).toMatchObject({ valid: 1, failed: [] });
  });

  test.each([
    ["create", "share a meeting, or all current and future meetings with a tag, with a member"],
    ["delete", "stop sharing a meeting, or a tag and its meetings, with a member"],
  ])("what shares %s does", async (verb, description) => {
    const { stdout } = await runHere(["shares", verb, "--help"], {});
    expect(stdout.replace(/\s+/g, " ")).toContain(description);
    expect(stdout).toContain("<meetingId|tagId> <user>");
  });

  test("doctor: an unknown setting, and a running server on other data", async () => {
    const other = createServer((_request, response) => response.end('{"status":"ok"}'));
    await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void other.close());
    const PORT = String((other.address() as AddressInfo).port);
    const checks = async (DATA_DIR: string) =>
      JSON.parse((await runHere(["doctor", "--json"], { DATA_DIR, PORT, RATE_LIMIT: "5" })).stdout);
    const unknown = {
      name: "Settings",
      status: "warn",
      message: "RATE_LIMIT is not a setting. Did you mean RATE_LIMIT_PER_MINUTE?",
    };
    for (const dataDir of [installation.dataDir, join(folder, "none")]) {
      const found = await checks(dataDir);
      expect(found).toContainEqual(unknown);
      expect(found).toContainEqual(
        expect.objectContaining({ name: "Server", message: expect.stringContaining("uses other data") }),
      );
    }
  });
});
