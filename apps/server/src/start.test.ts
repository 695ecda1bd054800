import { spawn } from "node:child_process";
import { readFile, stat, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { needs } from "@minutes/testing";
import { describe, expect, onTestFinished, test } from "vitest";
import { minutesJson, runHere } from "./testing/installation.js";
import { emptyDataDir, launchServer, minutes, startProcess, temporaryDir } from "./testing/process.js";

const curlLines = (printed: string): string[] =>
  printed.split("\n").filter((line) => line.startsWith("curl "));
/** Sends what a printed line of curl sends; start.tools.test.ts pastes the lines themselves. @returns the answer's text */
async function run(line = ""): Promise<string> {
  const [, key = "", url = ""] = /x-api-key: (\w+).*? '?(http[^' ]+)/.exec(line) ?? [];
  return (await fetch(url, { headers: { "x-api-key": key } })).text();
}
const answerOf = (text: string) => JSON.parse(text).result.data.json;

// Whole processes with their own data directories: independent of the tests' engine.
describe("start on the embedded database", needs("embedded"), () => {
  test("a second start keeps the data and prints the same keys; commands work meanwhile", async () => {
    const DATA_DIR = await emptyDataDir();
    const first = await startProcess({ DATA_DIR });
    const before = await run(curlLines(first.output.stderr)[0]);
    expect((await first.stop()).code).toBe(0);

    const second = await startProcess({ DATA_DIR });
    const [mine, company] = curlLines(second.output.stderr);
    expect(await run(mine)).toBe(before);

    const { key, id } = await minutesJson<{ key: string; id: string }>(
      ["keys", "create", "priya@pennyfrost.example"],
      { DATA_DIR },
    );
    const call = () => fetch(`${second.url}/v1/me/meetings.list`, { headers: { "x-api-key": key } });
    expect((await call()).status).toBe(200);
    await minutesJson(["keys", "revoke", id], { DATA_DIR });
    expect((await call()).status).toBe(401);

    await minutesJson(["demo", "remove", "--yes"], { DATA_DIR });
    expect(await run(company)).toContain("Invalid API key");
    await expect(stat(join(DATA_DIR, "sample-keys.json"))).rejects.toThrow("ENOENT");
    expect(await minutesJson(["users", "list"], { DATA_DIR })).toEqual([]);
  });

  test("a second process on the directory ends and says why; the first one keeps working", async () => {
    const DATA_DIR = await emptyDataDir();
    const server = await startProcess({ DATA_DIR, DEMO: "off" });
    const rival = await minutes(["start"], { DATA_DIR, PORT: "0" });
    expect(rival.code).toBe(1);
    expect(rival.stderr).toMatch(/is in use by another running Minutes server/);
    expect(rival.stdout).toBe("");
    expect((await fetch(`${server.url}/ready`)).status).toBe(200);
  });

  test("a first start that was killed at any moment is healed by the next", async () => {
    for (const patience of [1_000, 4_000]) {
      const DATA_DIR = await temporaryDir();
      const killed = launchServer({ DATA_DIR });
      await new Promise((resolve) => setTimeout(resolve, patience));
      await killed.stop("SIGKILL");
      const next = await startProcess({ DATA_DIR });
      const [mine] = curlLines(next.output.stderr);
      expect(answerOf(await run(mine)).meetings.length).toBeGreaterThanOrEqual(8);
      expect(await minutesJson(["workspaces", "list"], { DATA_DIR })).toHaveLength(1);
      await next.stop();
    }
  });

  test("a lock left by kill -9 is taken over, and no row is lost", async () => {
    const DATA_DIR = await emptyDataDir();
    const server = await startProcess({ DATA_DIR, DEMO: "off" });
    await minutesJson(["users", "create", "ann@example.com"], { DATA_DIR });
    await server.stop("SIGKILL");
    const next = await startProcess({ DATA_DIR, DEMO: "off" });
    expect(await minutesJson(["users", "list"], { DATA_DIR })).toMatchObject([{ email: "ann@example.com" }]);
    expect((await next.stop("SIGINT")).code).toBe(0);
  });

  test("DEMO=off loads nothing and says how to make the first workspace and key", async () => {
    const DATA_DIR = await emptyDataDir();
    const server = await startProcess({ DATA_DIR, DEMO: "off" });
    expect(curlLines(server.output.stderr)).toEqual([]);
    const commands = server.output.stderr
      .split("\n")
      .filter((line) => line.startsWith("npx -y pnpm@10 minutes "));
    expect(commands).toHaveLength(3);
    let key = "";
    for (const command of commands) {
      const args = [...command.matchAll(/'([^']*)'|(\S+)/g)].map((match) => match[1] ?? match[2] ?? "");
      const { code, stdout } = await runHere(args.slice(4), { DATA_DIR });
      expect(code).toBe(0);
      key = stdout.trim();
    }
    const response = await fetch(`${server.url}/v1/me/meetings.list`, { headers: { "x-api-key": key } });
    expect(await response.json()).toEqual({ result: { data: { json: { meetings: [], nextCursor: null } } } });
  });

  /** Runs `npx -y pnpm@10 start`; killed at the end of the test. @returns the server's URL and npx */
  async function startWithNpx() {
    const { PATH, HOME } = process.env;
    const npx = spawn("npx", ["--prefer-offline", "-y", "pnpm@10", "start"], {
      cwd: fileURLToPath(new URL("../../..", import.meta.url)),
      env: {
        ...{ PATH, HOME, DATA_DIR: await emptyDataDir(), DEMO: "off", PORT: "0" },
        ...{ CONSOLE: "off", EMBEDDINGS: "off" },
      } as NodeJS.ProcessEnv,
      detached: true,
      stdio: ["ignore", "pipe", "ignore"],
    });
    onTestFinished(() => {
      try {
        process.kill(-(npx.pid ?? 0), "SIGKILL"); // its process group
      } catch {
        // The group is empty.
      }
    });
    let url = "";
    for await (const line of createInterface({ input: npx.stdout }))
      if (line.includes('"listening"')) {
        ({ url } = JSON.parse(line));
        break;
      }
    return { url, npx };
  }

  /** Finds pnpm below npx, past a shell. */
  async function findPnpm(parent: number): Promise<number> {
    const path = `/proc/${parent}/task/${parent}/children`;
    for (const child of (await readFile(path, "utf8")).trim().split(" ").map(Number)) {
      const command = await readFile(`/proc/${child}/cmdline`, "utf8");
      if (/^\S*node\0\S*pnpm/.test(command)) return child;
      const below = await findPnpm(child);
      if (below > 0) return below;
    }
    return 0;
  }

  test.each([
    ["SIGTERM", "npx"],
    ["SIGKILL", "npx"],
    ["SIGKILL", "pnpm"],
  ] as const)("a %s to the %s of `npx -y pnpm@10 start` ends the server, too", async (signal, program) => {
    const { url, npx } = await startWithNpx();
    expect((await fetch(`${url}/health`)).status).toBe(200);
    const pid = npx.pid ?? 0;
    process.kill(program === "npx" ? pid : await findPnpm(pid), signal);
    const ask = () =>
      fetch(`${url}/health`).then(
        () => "serving",
        () => "ended",
      );
    await expect.poll(ask, { interval: 200 }).toBe("ended");
  });

  test("an occupied port is named in the error", async () => {
    const other = createServer().listen(0, "127.0.0.1");
    onTestFinished(() => void other.close());
    await new Promise((resolve) => other.once("listening", resolve));
    const PORT = String((other.address() as AddressInfo).port);
    const { code, stderr } = await minutes(["start"], { DATA_DIR: await emptyDataDir(), DEMO: "off", PORT });
    expect(code).toBe(1);
    expect(stderr).toBe(
      `Port ${PORT} on 127.0.0.1 is in use by another program. Stop it, or choose another PORT.\n`,
    );
  });

  test("a second clone takes the next port where PORT is not set, and says so", async () => {
    // Another program may already use it.
    const other = createServer().on("error", () => {});
    other.listen(3000, "127.0.0.1");
    onTestFinished(() => void other.close());
    await new Promise((resolve) => other.once("listening", resolve).once("error", resolve));
    const server = await startProcess({ DATA_DIR: await emptyDataDir(), DEMO: "off", PORT: "" });
    const { port } = new URL(server.url);
    expect(Number(port)).toBeGreaterThan(3000);
    expect(Number(port)).toBeLessThan(3010);
    expect(server.output.stdout).toContain(
      `port 3000 is in use by another program: this server listens on ${port}`,
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

  test("a file as data directory is named in the error", async () => {
    const DATA_DIR = join(await temporaryDir(), "file");
    await writeFile(DATA_DIR, "");
    const { code, stderr } = await minutes(["start"], { DATA_DIR, PORT: "0" });
    expect({ code, lines: stderr.trim().split("\n").length }).toEqual({ code: 1, lines: 1 });
    expect(stderr).toContain(DATA_DIR);
  });
});
