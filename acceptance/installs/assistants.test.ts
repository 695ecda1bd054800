import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startTestServer, type TestServer, useEveryTool } from "@minutes/server/testing";
import type { Person } from "@minutes/testing";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { NPM_FLAGS } from "../support/consumer.js";
import { run, toRepositoryPath } from "../support/run.js";

/** The protocol's own tools, from the registry, and the Node.js that they need. Only this test needs them. */
const TOOLS = [
  "node@24.21.0",
  "stable@npm:@modelcontextprotocol/conformance@0.1.16",
  "alpha@npm:@modelcontextprotocol/conformance@0.2.0-alpha.12",
  "@modelcontextprotocol/inspector@2.12.0",
];
/** The revisions, in the order of the table's columns, with the release of the suite that knows each. */
const REVISIONS = [
  ["2025-06-18", "stable"],
  ["2025-11-25", "stable"],
  ["2026-07-28", "alpha"],
] as const;

let server: TestServer;
let key: string;
let anna: Person;
let folder: string;
beforeAll(async () => {
  server = await startTestServer({ summaries: { enabled: true, wake: () => {} } });
  anna = await server.given.person();
  key = anna.key;
  folder = await mkdtemp(join(tmpdir(), "minutes-assistants-"));
  await writeFile(join(folder, "package.json"), '{"name":"assistants","private":true}');
  // One of the tools refuses to be installed by an older Node.js than it needs.
  await run("npm", ["install", "--engine-strict=false", ...NPM_FLAGS, ...TOOLS], { cwd: folder });
});
afterAll(async () => {
  await server.close();
  await rm(folder, { recursive: true, force: true });
});

const runTool = (path: string, args: readonly string[]) =>
  run(join(folder, "node_modules/.bin/node"), [join(folder, "node_modules", path), ...args], { cwd: folder });

/** Starts a proxy that adds the key, for a suite that can't send headers; returns its URL. */
async function startKeyProxy(): Promise<string> {
  const { hostname, port } = new URL(server.url);
  const proxy = createServer((received, response) => {
    const headers = { ...received.headers, "x-api-key": key };
    const sent = request({ hostname, port, path: "/mcp", method: received.method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    received.pipe(sent);
  });
  await new Promise<void>((done) => proxy.listen(0, "127.0.0.1", done));
  onTestFinished(() => void proxy.close());
  return `http://127.0.0.1:${(proxy.address() as AddressInfo).port}/mcp`;
}

/** Reads the documented result of each scenario of a revision. */
async function readTable(column: number): Promise<Record<string, string>> {
  const page = await readFile(toRepositoryPath("bench/README.md"), "utf8");
  const rows = [...page.matchAll(/^\| `([\w-]+)` \| ([^|]*)\| ([^|]*)\| ([^|]*)\| ([^|]*)\|$/gm)];
  const cells = rows.map(([, name = "", ...results]) => [name, (results[column] ?? "").trim()]);
  return Object.fromEntries(cells.filter(([, result]) => result !== ""));
}

/** Names a scenario's result as the table does. */
function nameResult(passed: number, failed: number): string {
  if (failed === 0) return "passed";
  return passed > 1 ? `${passed} of ${passed + failed}` : "not applicable";
}

test.each(REVISIONS)("the conformance suite of %s has the documented results", async (revision, release) => {
  const args = ["server", "--url", await startKeyProxy(), "--suite", "all", "--spec-version", revision];
  // The suite fails if a scenario does, and prints its summary all the same.
  const printed = await runTool(`${release}/dist/index.js`, args).catch(({ message }: Error) => message);
  const lines = [...printed.matchAll(/^[✓✗] ([\w-]+): (\d+) passed, (\d+) failed/gm)];
  const results = lines.map(([, name, passed, failed]) => [name, nameResult(Number(passed), Number(failed))]);
  const column = REVISIONS.findIndex(([one]) => one === revision);
  expect(Object.fromEntries(results)).toEqual(await readTable(column));
});

const INSPECTOR = "@modelcontextprotocol/inspector/clients/launcher/build/index.js";

test.each(["legacy", "modern"])("Inspector in its %s era lists and calls every tool", async (era) => {
  const inspect = async (method: string, ...args: string[]) => {
    const target = [`${server.url}/mcp`, "--transport", "http", "--header", `x-api-key: ${key}`];
    const options = ["--cli", ...target, "--protocol-era", era, "--method", method, ...args];
    return JSON.parse(await runTool(INSPECTOR, options));
  };
  // It fails if a client could not read a tool's schemas.
  const { tools } = await inspect("tools/list", "--strict");
  const called: string[] = [];
  await useEveryTool(anna, server, async (name, input = {}) => {
    const write = (value: unknown) => (typeof value === "object" ? JSON.stringify(value) : value);
    const pairs = Object.entries(input).map(([field, value]) => `${field}=${write(value)}`);
    const args = pairs.length > 0 ? ["--tool-arg", ...pairs] : [];
    const { isError, structuredContent } = await inspect("tools/call", "--tool-name", name, ...args);
    expect([name, isError, structuredContent]).toEqual([name, undefined, expect.any(Object)]);
    called.push(name);
    return structuredContent;
  });
  expect(called.toSorted()).toEqual(tools.map(({ name }: { name: string }) => name).toSorted());
});
