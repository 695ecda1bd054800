import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, cp, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { startTestServer, type TestServer } from "@minutes/server/testing";
import {
  createTestCa,
  needs,
  type Receiver,
  startWebhookReceiver,
  type TestCa,
  waitFor,
} from "@minutes/testing";
import { findTypeErrors } from "@minutes/testing/type-errors";
import { build } from "esbuild";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type CodeBlock, readCodeBlocks } from "./support/code-blocks.js";
import { run, runInEmptyFolder, toRepositoryPath } from "./support/run.js";

// Below acceptance, so that imports resolve as in a project with the installed client.
const folder = toRepositoryPath("acceptance/node_modules/.documentation");
const MINUTES = toRepositoryPath("apps/server/bin/minutes.js");
const blocks = await readCodeBlocks();
const nameOf = ({ file, line }: CodeBlock) => `${file.replace(/\W+/g, "-")}-${line}`;

let server: TestServer;
let ca: TestCa;
/** Refuses one delivery five times and accepts all others. */
let receiver: Receiver;
/** A running installation for the documents' commands. */
let installation: ChildProcess;
let dataDir: string;
/** Files read by commands in documents. */
const transcripts = join(folder, "files");
let env: Record<string, string>;
/** Values of placeholders such as `<webhookId>` in commands. */
let placeholders: Record<string, string>;
beforeAll(async () => {
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  server = await startTestServer();
  const company = await server.given.company();
  const anna = await server.given.member(company, { email: "anna@example.com" });
  for (const title of ["First", "Second", "Incident review: the night without alarms"])
    await server.given.richMeeting(anna, { title });
  env = {
    MINUTES_URL: server.url,
    MINUTES_API_KEY: anna.key,
    MINUTES_WORKSPACE_KEY: company.key,
    MINUTES_INGEST_KEY: await server.given.ingestKey(company),
    MINUTES_TOKEN: await server.given.session(anna),
  };
  ca = await createTestCa();
  let refusals = 5;
  receiver = await startWebhookReceiver(await ca.issue(), () => (refusals-- > 0 ? 503 : 200));
  dataDir = await mkdtemp(join(tmpdir(), "minutes-documentation-"));
  installation = spawn("node", [MINUTES, "start"], {
    env: {
      ...process.env,
      ...{ DATA_DIR: dataDir, DEMO: "off", PORT: "0", WEBHOOK_RETRY_DELAYS: "0,0,0,0" },
      ...{ WEBHOOK_CA_FILE: ca.caFile, WEBHOOK_ALLOWED_NETWORKS: "127.0.0.1/32" },
    },
  });
  for await (const line of createInterface({ input: installation.stdout as Readable }))
    if (line.includes('"listening"')) break;
  await populate();
});
afterAll(async () => {
  const ended = once(installation, "exit");
  installation.kill();
  await ended; // its files are locked until then
  await server.close();
  await receiver.close();
  await ca.remove();
  await rm(dataDir, { recursive: true, force: true });
});

/** Creates the objects that the documents mention, and collects their ids. */
async function populate(): Promise<void> {
  const minutes = async (...args: string[]) =>
    JSON.parse(await run("node", [MINUTES, ...args, "--json"], { env: { DATA_DIR: dataDir } }));
  await minutes("workspaces", "add", "Acme", "--plan", "team");
  await minutes(
    "users",
    "add",
    "anna@example.com",
    "--name",
    "Anna",
    "--workspace",
    "Acme",
    "--role",
    "admin",
  );
  await minutes("users", "add", "boris@example.com", "--name", "Boris", "--workspace", "Acme");
  await mkdir(join(transcripts, "calls"), { recursive: true });
  await mkdir(join(transcripts, "transcripts"));
  await writeFile(join(transcripts, "transcripts/standup.txt"), "Anna: The turbines are late.\n");
  await writeFile(
    join(transcripts, "calls/supplier.vtt"),
    "WEBVTT\n\n00:00.000 --> 00:04.000\n<v Boris>When do you deliver?\n",
  );
  const webhook = await minutes("webhooks", "create", "anna@example.com", receiver.url);
  const delivery = await minutes("webhooks", "test", webhook.id, "--no-wait");
  // It is refused until its last attempt, so that there is one to redeliver.
  await waitFor(async () =>
    expect((await minutes("webhooks", "delivery", delivery.id)).state).toBe("failed"),
  );
  placeholders = { webhookId: webhook.id, deliveryId: delivery.id };
}

test("every code block is in a language that is run or checked here", () => {
  const checked = ["ts", "sh", "python", "json"];
  expect(blocks.filter(({ language }) => !checked.includes(language))).toEqual([]);
  expect(blocks.length).toBeGreaterThan(15);
  process.stdout.write(`${blocks.length} code blocks of the documents checked\n`);
});

const typescript = blocks.filter(({ language }) => language === "ts");

test("every ts block compiles", async () => {
  const files: string[] = [];
  for (const block of typescript) {
    const file = join(folder, `${nameOf(block)}.ts`);
    await writeFile(file, `export {};\n${block.code}`);
    files.push(file);
  }
  expect(findTypeErrors(files)).toEqual([]);
});

test.each(typescript)("$file:$line runs", async (block) => {
  const outfile = join(folder, `${nameOf(block)}.mjs`);
  const stdin = { contents: block.code, loader: "ts", resolveDir: folder } as const;
  await build({ stdin, outfile, bundle: true, platform: "node", format: "esm" });
  // The client's README shows an example URL and key.
  const text = (await readFile(outfile, "utf8"))
    .replaceAll("http://127.0.0.1:3000", server.url)
    .replaceAll(/jk_(…|\\u2026)/g, env.MINUTES_API_KEY ?? "");
  await writeFile(outfile, text);
  expect(await run("node", [outfile], { env })).not.toBe("");
});

test.each(blocks.filter(({ language }) => language === "python"))(
  "$file:$line runs",
  needs("python3"),
  async ({ code }) => {
    expect(await run("python3", ["-c", code], { env })).not.toBe("");
  },
);

test.each(blocks.filter(({ language }) => language === "json"))("$file:$line is JSON", ({ code }) => {
  JSON.parse(code);
});

const shell = blocks.filter(({ language }) => language === "sh");
/** Programs that a block requires in addition to `minutes`. */
const TOOLS = ["curl", "python3", "openssl"] as const;

describe.each(shell)("$file:$line", ({ code }) => {
  const tools = TOOLS.filter((tool) => code.includes(tool));
  test("runs", needs("bash", ...tools), () =>
    runInEmptyFolder(async (own) => {
      // Runs the repository's `pnpm minutes` on a separate installation.
      const pnpm = join(own, "pnpm");
      await writeFile(pnpm, `#!/bin/sh\nshift\nexec node '${MINUTES}' "$@"\n`);
      await chmod(pnpm, 0o755);
      const PATH = `${own}:${process.env.PATH}`;
      await cp(transcripts, own, { recursive: true });
      const command = code.replaceAll(/<(\w+)>/g, (all, name: string) => placeholders[name] ?? all);
      const output = await run("bash", ["-euo", "pipefail", "-c", command], {
        cwd: own,
        // Migrating requires exclusive use of the database.
        env: { ...env, PATH, DATA_DIR: code.includes("migrate") ? join(own, "data") : dataDir },
      });
      expect(output).not.toBe("");
      // curl accepts any answer; a reader does not.
      expect(output).not.toMatch(/"error":/);
    }),
  );
});
