import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { access, cp, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { pathToFileURL } from "node:url";
import { createWav, startTranscriber } from "@minutes/server/testing";
import {
  createTestCa,
  needs,
  type Receiver,
  startWebhookReceiver,
  type TestCa,
  waitFor,
} from "@minutes/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { isElsewhere, readCodeBlocks } from "./support/code-blocks.js";
import { run, runInEmptyFolder, toRepositoryPath } from "./support/run.js";

const MINUTES = toRepositoryPath("apps/server/bin/minutes.js");
/** Compiles the client's program as it is loaded. */
const TSX = pathToFileURL(toRepositoryPath("node_modules/tsx/dist/loader.mjs")).href;
/** The sample's admin. */
const ADMIN = "zoe@pennyfrost.example";
const blocks = await readCodeBlocks();
const inLanguage = (name: string) => blocks.filter(({ language }) => language === name);

let ca: TestCa;
/** Refuses one delivery five times and accepts all others. */
let receiver: Receiver;
/** A running installation with the sample, as the quick start has it. */
let installation: ChildProcess;
/** Runs commands. */
let runner: ChildProcess;
let dataDir: string;
/** Programs that stand for those in documents. */
let programs: string;
/** Files read by commands in documents. */
let transcripts: string;
let env: Record<string, string>;
/** Values of placeholders such as `<webhook>` in commands. */
let placeholders: Record<string, string>;
beforeAll(async () => {
  ca = await createTestCa();
  let refusals = 5;
  receiver = await startWebhookReceiver(await ca.issue(), () => (refusals-- > 0 ? 503 : 200));
  dataDir = await mkdtemp(join(tmpdir(), "minutes-documentation-"));
  transcripts = join(dataDir, "files");
  installation = await launch('"listening"', [MINUTES, "start"], {
    // The built-in model would compete with the tests for the processor.
    ...{ EMBEDDINGS: "off" },
    ...{ DATA_DIR: dataDir, PORT: "0", WEBHOOK_RETRY_DELAYS: "0,0,0,0", RATE_LIMIT_PER_MINUTE: "10000" },
    ...{ WEBHOOK_CA_FILE: ca.caFile, WEBHOOK_ALLOWED_NETWORKS: "127.0.0.1/32" },
  });
  runner = await providePrograms();
  await populate();
});
afterAll(async () => {
  runner.kill("SIGKILL"); // commands handle other signals
  const ended = once(installation, "exit");
  installation.kill();
  await ended; // its files are locked until then
  await receiver.close();
  await ca.remove();
  await rm(dataDir, { recursive: true, force: true });
});

/** Starts a process, and waits until it has written a text. */
async function launch(ready: string, args: readonly string[], env: Record<string, string> = {}) {
  const child = spawn("node", ["--liftoff-only", ...args], { env: { ...process.env, ...env } });
  for await (const line of createInterface({ input: child.stdout as Readable }))
    if (line.includes(ready)) break;
  return child;
}

/** Provides the repository's `pnpm minutes`, with one process for all commands, and its client as `npx @minutes/client`. */
async function providePrograms(): Promise<ChildProcess> {
  programs = join(dataDir, "programs");
  const socket = join(dataDir, "commands");
  const send = `curl -sS --fail-with-body --unix-socket '${socket}' http://localhost`;
  const scripts = {
    // The assistants' command talks through its standard input.
    pnpm: `shift
      case $1 in mcp) exec node '${MINUTES}' "$@" ;; esac
      for argument; do
        set -- "$@" --data-urlencode "argument=$argument"
        shift
      done
      while IFS= read -r variable; do
        set -- "$@" --data-urlencode "variable=$variable"
      done <<END
$(env)
END
      exec ${send} --data-urlencode "folder=$PWD" "$@"`,
    npx: `shift
      exec node --import '${TSX}' '${toRepositoryPath("packages/client/src/bin.ts")}' "$@"`,
  };
  await mkdir(programs);
  for (const [name, script] of Object.entries(scripts))
    await writeFile(join(programs, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  const runner = toRepositoryPath("acceptance/support/run-commands.js");
  return launch("ready", [runner, toRepositoryPath("apps/server/dist/main.js"), socket]);
}

/** Runs `minutes … --json` in the installation. */
const minutes = async (...args: string[]) =>
  JSON.parse(
    await run(join(programs, "pnpm"), ["minutes", ...args, "--json"], { env: { DATA_DIR: dataDir } }),
  );

/** Collects the sample's keys, and creates the webhook, delivery and files that the documents mention. */
async function populate(): Promise<void> {
  const sample = await minutes("demo", "show");
  env = {
    MINUTES_URL: sample.url,
    MINUTES_API_KEY: sample.personalKey,
    MINUTES_WORKSPACE_KEY: sample.workspaceKey,
    MINUTES_INGEST_KEY: (await minutes("keys", "create", ADMIN, "--ingest")).key,
    MINUTES_TOKEN: (await minutes("login", ADMIN)).token,
  };
  await mkdir(join(transcripts, "calls"), { recursive: true });
  await mkdir(join(transcripts, "transcripts"));
  await writeFile(join(transcripts, "transcripts/standup.txt"), "Zoë: The turbines are late.\n");
  await writeFile(join(transcripts, "call.mp3"), createWav());
  await mkdir(join(transcripts, "inbox"));
  await writeFile(join(transcripts, "inbox/retro.txt"), "Zoë: The blades are fine.\n");
  await writeFile(
    join(transcripts, "calls/supplier.vtt"),
    "WEBVTT\n\n00:00.000 --> 00:04.000\n<v José>When do you deliver?\n",
  );
  const webhook = await minutes("webhooks", "create", ADMIN, receiver.url);
  const delivery = await minutes("webhooks", "test", webhook.id, "--no-wait");
  // It is refused until its last attempt, so that there is one to redeliver.
  await waitFor(async () =>
    expect((await minutes("webhooks", "delivery", delivery.id)).state).toBe("failed"),
  );
  placeholders = { webhook: webhook.id, deliveryId: delivery.id };
}

test.each(inLanguage("python"))("$file:$line runs", needs("python3"), async ({ code }) => {
  expect(await run("python3", ["-c", code], { env })).not.toBe("");
});

const shell = inLanguage("sh");

test.each(shell.filter(isElsewhere))(
  "$file:$line can be parsed, and names files that exist",
  needs("bash"),
  async ({ code }) => {
    await run("bash", ["-n", "-c", code]);
    for (const [path] of code.matchAll(/\b(?:deploy|examples|packages)\/[\w./-]+/g))
      if (!path.endsWith("/dist")) await access(toRepositoryPath(path));
  },
);

/** The transcriber of commands in documents. */
const TRANSCRIBER = "https://stt.example.com/v1";

/** Programs that a block can require in addition to bash and curl. */
const TOOLS = ["python3", "openssl"] as const;

describe.each(shell.filter((block) => !isElsewhere(block)))("$file:$line", ({ code }) => {
  const tools = TOOLS.filter((tool) => code.includes(tool));
  test("runs", needs("bash", "curl", ...tools), () =>
    runInEmptyFolder(async (own) => {
      const PATH = `${programs}:${process.env.PATH}`;
      await cp(transcripts, own, { recursive: true });
      const transcriber = code.includes(TRANSCRIBER) ? await startTranscriber() : null;
      const command = code
        .replaceAll(/<(\w+)>/g, (all, name: string) => placeholders[name] ?? all)
        .replaceAll(TRANSCRIBER, transcriber?.url ?? "");
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
