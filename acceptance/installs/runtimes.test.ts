import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { TestServer } from "@minutes/server/testing";
import { build } from "esbuild";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type ClientPackage, packClient } from "../support/client-package.js";
import {
  EXPECTED_RESULT,
  NPM_FLAGS,
  startServer,
  writeProgram,
  writeWorkerModule,
} from "../support/consumer.js";
import { run } from "../support/run.js";

/** Other runtimes than Node.js and browsers, from npm. Only this test needs them, so they are not in the workspace. */
const RUNTIMES = ["bun@1.4.5", "deno@2.9.6", "workerd@1.20261117.1"];

let client: ClientPackage;
let folder: string;
let server: TestServer;
let env: Record<string, string>;
beforeAll(async () => {
  client = await packClient();
  folder = await mkdtemp(join(tmpdir(), "minutes-runtimes-"));
  await writeFile(join(folder, "package.json"), '{"name":"consumer","private":true,"type":"module"}');
  const packages = [client.tarball, "@trpc/client", "@trpc/server", ...RUNTIMES];
  await run("npm", ["install", ...NPM_FLAGS, ...packages], { cwd: folder });
  await writeFile(join(folder, "calls.mjs"), await writeProgram("esm"));
  ({ server, env } = await startServer());
});
afterAll(async () => {
  await server.close();
  await client.remove();
  await rm(folder, { recursive: true, force: true });
});

const installed = (name: string) => join(folder, "node_modules/.bin", name);

test("the published client calls from Bun", async () => {
  expect(JSON.parse(await run(installed("bun"), ["calls.mjs"], { cwd: folder, env }))).toEqual(
    EXPECTED_RESULT,
  );
});

test("the published client calls from Deno, which lets it do nothing but reach the service", async () => {
  const allowed = [`--allow-net=${new URL(server.url).host}`, `--allow-env=${Object.keys(env).join()}`];
  const args = ["run", "--no-prompt", "--node-modules-dir=manual", ...allowed, "calls.mjs"];
  expect(JSON.parse(await run(installed("deno"), args, { cwd: folder, env }))).toEqual(EXPECTED_RESULT);
});

test("the published client, bundled, calls from a worker", async () => {
  await writeFile(join(folder, "worker.js"), await writeWorkerModule());
  const outfile = join(folder, "bundle.js");
  await build({ entryPoints: [join(folder, "worker.js")], bundle: true, format: "esm", outfile });
  const bindings = Object.entries(env).map(([name, text]) => `(name = "${name}", text = "${text}")`);
  await writeFile(
    join(folder, "worker.capnp"),
    `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [(name = "main", worker = .calls), (name = "internet", network = (allow = ["private"]))],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")]
);
const calls :Workerd.Worker = (
  modules = [(name = "calls", esModule = embed "bundle.js")],
  bindings = [${bindings.join(", ")}],
  compatibilityDate = "2026-11-01"
);
`,
  );
  // It reports its port on a separate stream.
  const worker = spawn(installed("workerd"), ["serve", "worker.capnp", "--control-fd=3"], {
    cwd: folder,
    stdio: ["ignore", "inherit", "inherit", "pipe"],
  });
  try {
    const control = worker.stdio[3];
    if (!control || !("read" in control)) throw new Error("There is no control stream.");
    const [line] = await once(createInterface(control), "line");
    const { port } = JSON.parse(line);
    const answer = await fetch(`http://127.0.0.1:${port}`);
    expect(await answer.json()).toEqual(EXPECTED_RESULT);
  } finally {
    worker.kill();
    await once(worker, "close");
  }
});
