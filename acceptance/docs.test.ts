import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { access, chmod, cp, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { startTestServer } from "@minutes/server/testing";
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
import { type CodeBlock, findIndentedCode, readCodeBlocks } from "./support/code-blocks.js";
import { run, runInEmptyFolder, toRepositoryPath } from "./support/run.js";

// Below acceptance, so that imports resolve as in a project with the installed client.
const folder = toRepositoryPath("acceptance/node_modules/.documentation");
/** Node's arguments for `minutes`. Compiles the database engine quickly, because most commands are short. */
const MINUTES = ["--liftoff-only", toRepositoryPath("apps/server/bin/minutes.js")];
/** The sample's admin. */
const ADMIN = "zoe@pennyfrost.example";
/** Commands that change the machine or reach other machines. Tests in `installs` and `operations` run them. */
const ELSEWHERE =
  /\b(docker|systemctl|sudo|npm (install|pack)|npx [.]\/|minutes distribute|db\.example\.com)/;
const blocks = await readCodeBlocks();
const nameOf = ({ file, line }: CodeBlock) => `${file.replace(/\W+/g, "-")}-${line}`;

let ca: TestCa;
/** Refuses one delivery five times and accepts all others. */
let receiver: Receiver;
/** A running installation with the sample, as the quick start has it. */
let installation: ChildProcess;
let dataDir: string;
/** Files read by commands in documents. */
const transcripts = join(folder, "files");
let env: Record<string, string>;
/** Values of placeholders such as `<webhook>` in commands. */
let placeholders: Record<string, string>;
beforeAll(async () => {
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  ca = await createTestCa();
  let refusals = 5;
  receiver = await startWebhookReceiver(await ca.issue(), () => (refusals-- > 0 ? 503 : 200));
  dataDir = await mkdtemp(join(tmpdir(), "minutes-documentation-"));
  installation = spawn("node", [...MINUTES, "start"], {
    env: {
      ...process.env,
      ...{ DATA_DIR: dataDir, PORT: "0", WEBHOOK_RETRY_DELAYS: "0,0,0,0", RATE_LIMIT_PER_MINUTE: "10000" },
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
  await receiver.close();
  await ca.remove();
  await rm(dataDir, { recursive: true, force: true });
});

/** Runs `minutes … --json` in the installation. */
const minutes = async (...args: string[]) =>
  JSON.parse(await run("node", [...MINUTES, ...args, "--json"], { env: { DATA_DIR: dataDir } }));

/** Collects the sample's keys, and creates the webhook, delivery and files that the documents mention. */
async function populate(): Promise<void> {
  const sample = await minutes("demo", "show");
  env = {
    MINUTES_URL: sample.url,
    MINUTES_API_KEY: sample.personalKey,
    MINUTES_WORKSPACE_KEY: sample.workspaceKey,
    MINUTES_INGEST_KEY: (await minutes("ingest-keys", "create", ADMIN)).key,
    MINUTES_TOKEN: (await minutes("login", ADMIN)).token,
  };
  await mkdir(join(transcripts, "calls"), { recursive: true });
  await mkdir(join(transcripts, "transcripts"));
  await writeFile(join(transcripts, "transcripts/standup.txt"), "Zoë: The turbines are late.\n");
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

/** Languages, and what is done with their blocks. */
const LANGUAGES = ["ts", "sh", "python", "sql", "json", "dotenv", "ini"];
const inLanguage = (name: string) => blocks.filter(({ language }) => language === name);

test("every code block is in a language that is run or checked here", async () => {
  expect(blocks.filter(({ language }) => !LANGUAGES.includes(language))).toEqual([]);
  expect(await findIndentedCode()).toEqual([]);
  const started = [...typescript, ...commands, ...inLanguage("python"), ...inLanguage("sql")].length;
  expect(started).toBeGreaterThan(50);
  process.stdout.write(`${blocks.length} code blocks: ${started} run, ${blocks.length - started} checked\n`);
});

const typescript = inLanguage("ts");

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
    .replaceAll("http://127.0.0.1:3000", env.MINUTES_URL ?? "")
    .replaceAll(/jk_(…|\\u2026)/g, env.MINUTES_API_KEY ?? "");
  await writeFile(outfile, text);
  const output = await run("node", [outfile], { cwd: folder, env });
  if (block.code.includes("console.log")) expect(output).not.toBe("");
});

test.each(inLanguage("python"))("$file:$line runs", needs("python3"), async ({ code }) => {
  expect(await run("python3", ["-c", code], { env })).not.toBe("");
});

test.each(inLanguage("json"))("$file:$line is JSON", ({ code }) => {
  JSON.parse(code);
});

test.each(inLanguage("dotenv"))("$file:$line has settings that exist", async ({ code }) => {
  const settings = await readFile(toRepositoryPath("docs/settings.md"), "utf8");
  for (const [, name] of code.matchAll(/^(\w+)=/gm)) expect(settings).toContain(`\`${name}\``);
});

// `ini` blocks are compared with deploy/pooler by repository.test.ts.

test.each(inLanguage("sql"))("$file:$line runs", async ({ code }) => {
  const server = await startTestServer();
  try {
    for (const statement of code.split(";").filter((text) => text.trim() !== "")) {
      const [, name] = /^\s*alter .* set (\w+) =/.exec(statement) ?? [];
      // Settings of the whole server are looked up, not changed. Citus is not in every PostgreSQL.
      const check = name ? `select 1 / count(*) from pg_settings where name = '${name}'` : statement;
      if (!statement.includes("citus_")) await server.db.execute(check);
    }
  } finally {
    await server.close();
  }
});

const shell = inLanguage("sh");
const commands = shell.filter(({ code }) => !ELSEWHERE.test(code));

test("no block names a person or workspace that neither the sample has nor its page creates", async () => {
  const known = JSON.stringify([await minutes("users", "list"), await minutes("workspaces", "list")]);
  const text = await readFile(
    toRepositoryPath("apps/server/src/demo/sample/meetings/12-vendor-call-norrbyte.json"),
    "utf8",
  );
  const unknown = [...commands, ...typescript].flatMap(({ file, line, code }) => {
    const page = blocks
      .filter((block) => block.file === file)
      .map((block) => block.code)
      .join("\n");
    return [...code.matchAll(/[\w.]+@[\w.]+\.(?:example|com)\b/g)]
      .map(([email]) => email)
      .filter((email) => !`${known}${text}`.includes(email) && !page.includes(`users create ${email}`))
      .map((email) => `${file}:${line}: ${email}`);
  });
  expect(unknown).toEqual([]);
});

test.each(shell.filter((block) => !commands.includes(block)))(
  "$file:$line can be parsed, and names files that exist",
  needs("bash"),
  async ({ code }) => {
    await run("bash", ["-n", "-c", code]);
    for (const [path] of code.matchAll(/\b(?:deploy|examples|packages)\/[\w./-]+/g))
      if (!path.endsWith("/dist")) await access(toRepositoryPath(path));
  },
);

/** Programs that a block requires in addition to `minutes`. */
const TOOLS = ["curl", "python3", "openssl"] as const;

describe.each(commands)("$file:$line", ({ code }) => {
  const tools = TOOLS.filter((tool) => code.includes(tool));
  test("runs", needs("bash", ...tools), () =>
    runInEmptyFolder(async (own) => {
      // Runs the repository's `pnpm minutes` on a separate installation.
      const pnpm = join(own, "pnpm");
      await writeFile(
        pnpm,
        `#!/bin/sh\nshift\nexec node ${MINUTES.map((part) => `'${part}'`).join(" ")} "$@"\n`,
      );
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
