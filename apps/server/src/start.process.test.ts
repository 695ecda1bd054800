import { existsSync } from "node:fs";
import { readFile, stat, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { needs } from "@minutes/testing";
import { describe, expect, onTestFinished, test } from "vitest";
import { minutesJson, runHere } from "./testing/installation.js";
import { findPnpm, isServing, startWithNpx } from "./testing/npx.js";
import {
  emptyDataDir,
  launchServer,
  minutes,
  sampleDataDir,
  startProcess,
  temporaryDir,
} from "./testing/process.js";

const curlLines = (printed: string): string[] =>
  printed.split("\n").filter((line) => line.startsWith("curl "));
/** Sends what a printed line of curl sends; start.tools.test.ts pastes the lines themselves. @returns the answer's text */
async function run(line = ""): Promise<string> {
  const [, key = "", url = ""] = /x-api-key: (\w+).*? '?(http[^' ]+)/.exec(line) ?? [];
  return (await fetch(url, { headers: { "x-api-key": key } })).text();
}
const countMeetings = (text: string) => JSON.parse(text).result.data.json.meetings.length;

// Whole processes with their own data directories: independent of the tests' engine.
describe("start on the embedded database", needs("embedded"), () => {
  test("a second start keeps the data and prints the same keys; commands work meanwhile", async () => {
    const DATA_DIR = await sampleDataDir();
    const keys = JSON.parse(await readFile(join(DATA_DIR, "sample-keys.json"), "utf8"));
    const server = await startProcess({ DATA_DIR });
    const [mine = "", company = ""] = curlLines(server.output.stderr);
    expect([mine, company]).toEqual([
      expect.stringContaining(keys.personalKey),
      expect.stringContaining(keys.workspaceKey),
    ]);
    expect(countMeetings(await run(mine))).toBeGreaterThanOrEqual(8);

    const { key, id } = await minutesJson<{ key: string; id: string }>(
      ["keys", "create", "priya@pennyfrost.example"],
      { DATA_DIR },
    );
    const call = () => fetch(`${server.url}/v1/me/meetings.list`, { headers: { "x-api-key": key } });
    expect((await call()).status).toBe(200);
    await minutesJson(["keys", "revoke", id], { DATA_DIR });
    expect((await call()).status).toBe(401);

    await minutesJson(["demo", "remove", "--yes"], { DATA_DIR });
    expect(await run(company)).toContain("Invalid API key");
    await expect(stat(join(DATA_DIR, "sample-keys.json"))).rejects.toThrow("ENOENT");
    expect(await minutesJson(["users", "list"], { DATA_DIR })).toEqual([]);
  });

  test("a first start that was killed is healed by the next", async () => {
    const DATA_DIR = await temporaryDir();
    const killed = launchServer({ DATA_DIR });
    // It creates the database now; the soak kills it at other moments, too.
    await expect.poll(() => existsSync(join(DATA_DIR, "db"))).toBe(true);
    await killed.stop("SIGKILL");
    const next = await startProcess({ DATA_DIR });
    expect(countMeetings(await run(curlLines(next.output.stderr)[0]))).toBeGreaterThanOrEqual(8);
    expect(await minutesJson(["workspaces", "list"], { DATA_DIR })).toHaveLength(1);
  });

  test("DEMO=off loads nothing, and prints how to make the first workspace and key; after kill -9 nothing is lost", async () => {
    // Another program may already use it.
    const other = createServer().on("error", () => {});
    other.listen(3000, "127.0.0.1");
    onTestFinished(() => void other.close());
    await new Promise((resolve) => other.once("listening", resolve).once("error", resolve));
    const DATA_DIR = await emptyDataDir();
    const server = await startProcess({ DATA_DIR, DEMO: "off", PORT: "" });
    expect(curlLines(server.output.stderr)).toEqual([]);
    const commands = server.output.stderr
      .split("\n")
      .filter((line) => line.startsWith(`DATA_DIR=${DATA_DIR} npx -y pnpm@10 minutes `));
    expect(commands).toHaveLength(3);
    let key = "";
    for (const command of commands) {
      const args = [...command.matchAll(/'([^']*)'|(\S+)/g)].map((match) => match[1] ?? match[2] ?? "");
      const { code, stdout } = await runHere(args.slice(5), { DATA_DIR });
      expect(code).toBe(0);
      key = stdout.trim();
    }
    const list = async (url: string) => {
      const answer = await fetch(`${url}/v1/me/meetings.list`, { headers: { "x-api-key": key } });
      return answer.json();
    };
    const none = { result: { data: { json: { meetings: [], nextCursor: null } } } };
    expect(await list(server.url)).toEqual(none);

    // A second clone takes the next port where PORT is not set, and says so.
    const { port } = new URL(server.url);
    expect(Number(port)).toBeGreaterThan(3000);
    expect(Number(port)).toBeLessThan(3010);
    expect(server.output.stdout).toContain(
      `port 3000 is in use by another program: this server listens on ${port}`,
    );

    // A second process on the directory ends and says why; the first one keeps working.
    const rival = await minutes(["start"], { DATA_DIR, PORT: "0" });
    expect(rival).toMatchObject({
      code: 1,
      stdout: "",
      stderr: expect.stringContaining("is in use by another running Minutes server"),
    });
    expect((await fetch(`${server.url}/ready`)).status).toBe(200);

    // The lock that it leaves is taken over.
    await server.stop("SIGKILL");
    const next = await startProcess({ DATA_DIR, DEMO: "off" });
    expect(await list(next.url)).toEqual(none);

    // Its user has no password: the start leads to their account, and not into a second workspace.
    expect(next.output.stderr).toContain("minutes login <e-mail>");
    expect(next.output.stderr).not.toContain("/setup#");
    expect((await next.stop("SIGINT")).code).toBe(0);
  });

  test("a SIGKILL to the pnpm of `npx -y pnpm@10 start` ends the server, too", async () => {
    const { url, npx } = await startWithNpx();
    expect((await fetch(`${url}/health`)).status).toBe(200);
    process.kill(await findPnpm(npx.pid ?? 0), "SIGKILL");
    await expect.poll(() => isServing(url), { interval: 200 }).toBe(false);
  });

  test("an occupied port is named in the error", async () => {
    const other = createServer().listen(0, "127.0.0.1");
    onTestFinished(() => void other.close());
    await new Promise((resolve) => other.once("listening", resolve));
    const PORT = String((other.address() as AddressInfo).port);
    const { code, stderr } = await minutes(["start"], { DATA_DIR: await emptyDataDir(), DEMO: "off", PORT });
    expect(code).toBe(1);
    expect(stderr).toBe(
      `Port ${PORT} on 127.0.0.1 is in use, by another program or a Minutes server that runs already. Stop it, or choose another PORT.\n`,
    );
  });

  test("wrong settings stop the start with one sentence each, without repeating them", async () => {
    const { code, stderr, stdout } = await minutes(["start"], {
      PORT: "eighty",
      DATABASE_URL: "mysql://user:hunter2@example.com",
      DEMO: "perhaps",
      SUMMARISER_URL: "https://llm.example.com/v1",
    });
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(
      stderr
        .trim()
        .split("\n")
        .map((line) => line.split(" ")[0]),
    ).toEqual(["PORT", "DATABASE_URL", "DEMO", "SUMMARISER_URL"]);
    expect(stderr).not.toContain("hunter2");
  });

  test.each([
    ["is a file", "file"],
    ["is below a file", "file/data"],
  ])("exit code 2: a data directory that %s", async (_name, path) => {
    const folder = await temporaryDir();
    await writeFile(join(folder, "file"), "");
    const DATA_DIR = join(folder, path);
    const { code, stdout, stderr } = await minutes(["start"], { DATA_DIR, PORT: "0" });
    const sentence = `${DATA_DIR} can't be used as DATA_DIR: it is a file, or below one. Correct that, or choose another DATA_DIR.\n`;
    expect({ code, stdout, stderr }).toEqual({ code: 2, stdout: "", stderr: sentence });
  });
});
