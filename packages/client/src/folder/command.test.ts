import { startTestServer, type TestServer } from "@minutes/server/testing";
import type { Person } from "@minutes/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createFolder } from "../../test/program.js";
import { runCommand } from "./command.js";

let server: TestServer;
let anna: Person;
beforeAll(async () => {
  server = await startTestServer();
  anna = await server.given.person();
});
afterAll(() => server.close());

async function run(args: readonly string[], key?: string) {
  let [stdout, stderr] = ["", ""];
  const code = await runCommand(args, {
    env: { MINUTES_URL: server.url, MINUTES_API_KEY: key },
    signal: new AbortController().signal,
    print: (line) => {
      stdout += `${line}\n`;
    },
    warn: (line) => {
      stderr += `${line}\n`;
    },
  });
  return { code, stdout, stderr };
}

test("exit code 0: --help names every option, and MINUTES_API_KEY", async () => {
  const { code, stdout } = await run([]);
  const words =
    "sync <folder>,--once,--force,--url,--workspace,--template,--time-zone,--json,MINUTES_API_KEY";
  expect(words.split(",").filter((word) => !stdout.includes(word))).toEqual([]);
  expect(code).toBe(0);
});

test.each([
  [["sync"], "Name one folder, such as: sync ./vault"],
  [["copy", "x"], "There is no command copy; use sync. See --help."],
  [["sync", "x", "--fast"], "Unknown option '--fast'. See --help."],
  [
    ["sync", "x", "--url", "localhost:3000"],
    "--url must be the server's URL, such as http://127.0.0.1:3000.",
  ],
  [["sync", "x", "--time-zone", "Mars"], "--time-zone: Mars is no time zone. An example is Europe/Berlin."],
  [["sync", "x", "--url", "http://127.0.0.1:3000/v1"], "--url must not contain the version: leave out /v1."],
  [["sync", "x", "--template", "none.md"], "--template: the file none.md can't be read."],
] as const)("exit code 2: %j", async (args, sentence) => {
  expect(await run([...args], anna.key)).toEqual({ code: 2, stdout: "", stderr: `${sentence}\n` });
});

test("exit code 2: MINUTES_API_KEY is missing", async () => {
  expect(await run(["sync", "x"])).toEqual({
    code: 2,
    stdout: "",
    stderr: "Set MINUTES_API_KEY to a personal key, or with --workspace to a workspace's.\n",
  });
});

test("exit code 1: a refused key and a service that doesn't answer are each one sentence", async () => {
  const folder = await createFolder();
  const refused = await run(["sync", folder, "--once"], "jk_wrong");
  expect(refused).toEqual({
    code: 1,
    stdout: "",
    stderr: "The service refused the key (401): Invalid API key. The files stay as they are.\n",
  });
  const away = await run(["sync", folder, "--once", "--url", "http://127.0.0.1:1"], anna.key);
  expect(away.code).toBe(1);
  expect(away.stderr).toMatch(/The service at http:\/\/127\.0\.0\.1:1 can't be reached[^\n]*\.\n$/);
});

test("--once --json prints what happened to each file, and --workspace takes a workspace key", async () => {
  const company = await server.given.company();
  const { meetingId } = await server.given.meeting(company.admin, {
    title: "Plan",
    startTime: "2026-03-14T09:00:00Z",
  });
  const args = ["sync", await createFolder(), "--once", "--time-zone", "UTC"];
  const { code, stdout, stderr } = await run([...args, "--json", "--workspace"], company.key);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  const lines = stdout.trim().split("\n");
  expect(lines.map((line) => JSON.parse(line))).toEqual([
    { event: "written", id: meetingId, file: "2026-03-14 Plan.md" },
    { event: "synced", written: 1, removed: 0, kept: [] },
  ]);
  const wrong = await run(["sync", await createFolder(), "--once"], company.key);
  expect(wrong.code).toBe(1);
  expect(wrong.stderr).toMatch(/^The service refused the key \(403\): [^\n]+\n$/);
});
