import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { startTestServer, type TestServer } from "@minutes/server/testing";
import { createIngestKey } from "@minutes/testing";
import { TransactionRollbackError } from "drizzle-orm";
import { build } from "esbuild";
import { afterAll, beforeAll, expect, test } from "vitest";
import { loadSample } from "../apps/server/src/demo/load.js";
import { readWrittenSample } from "../apps/server/src/demo/sample.js";
import { type CodeBlock, findIndentedCode, isElsewhere, readCodeBlocks } from "./support/code-blocks.js";
import { run, toRepositoryPath } from "./support/run.js";

// Below acceptance, so that imports resolve as in a project with the installed client.
const folder = toRepositoryPath("acceptance/node_modules/.documentation");
const blocks = await readCodeBlocks();
const inLanguage = (name: string) => blocks.filter(({ language }) => language === name);
const typescript = inLanguage("ts");
const commands = inLanguage("sh").filter((block) => !isElsewhere(block));
const nameOf = ({ file, line }: CodeBlock) => `${file.replace(/\W+/g, "-")}-${line}`;

/** Has the sample, as the quick start has it. */
let server: TestServer;
let env: Record<string, string>;
beforeAll(async () => {
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, "call.mp3"), "ID3");
  server = await startTestServer();
  await loadSample(server.db, folder);
  const sample = JSON.parse(await readFile(join(folder, "sample-keys.json"), "utf8"));
  env = {
    MINUTES_URL: server.url,
    MINUTES_API_KEY: sample.personalKey,
    MINUTES_WORKSPACE_KEY: sample.workspaceKey,
    MINUTES_INGEST_KEY: (await createIngestKey(server.db, sample.userId, "documents")).key,
    MINUTES_TOKEN: await server.given.session(sample),
  };
});
afterAll(() => server.close());

/** Languages, and what is done with their blocks. */
const LANGUAGES = ["ts", "sh", "python", "sql", "json", "dotenv", "ini"];
test("every code block is in a language that is run or checked here", async () => {
  expect(blocks.filter(({ language }) => !LANGUAGES.includes(language))).toEqual([]);
  expect(await findIndentedCode()).toEqual([]);
  const started = [...typescript, ...commands, ...inLanguage("python"), ...inLanguage("sql")].length;
  expect(started).toBeGreaterThan(50);
  process.stdout.write(`${blocks.length} code blocks: ${started} run, ${blocks.length - started} checked\n`);
});

// docs-types.tools.test.ts compiles them.
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

test.each(inLanguage("json"))("$file:$line is JSON", ({ code }) => {
  JSON.parse(code);
});

test.each(inLanguage("dotenv"))("$file:$line has settings that exist", async ({ code }) => {
  const settings = await readFile(toRepositoryPath("docs/settings.md"), "utf8");
  for (const [, name] of code.matchAll(/^(\w+)=/gm)) expect(settings).toContain(`\`${name}\``);
});

// `ini` blocks are compared with deploy/pooler by repository.test.ts.

test.each(inLanguage("sql"))("$file:$line runs", async ({ code }) => {
  // The user that the page has created first; gone with the transaction.
  const [user] = /\bminutes_server\b/.exec(code) ?? [];
  const running = server.db.transaction(async (tx) => {
    if (user) await tx.execute(`create role ${user}`);
    for (const statement of code.split(";").filter((text) => text.trim() !== "")) {
      const [, name] = /^\s*alter .* set (\w+) =/.exec(statement) ?? [];
      // Settings of the whole server are looked up, not changed. Citus is not in every PostgreSQL.
      const check = name ? `select 1 / count(*) from pg_settings where name = '${name}'` : statement;
      if (!statement.includes("citus_")) await tx.execute(check);
    }
    tx.rollback();
  });
  await expect(running).rejects.toBeInstanceOf(TransactionRollbackError);
});

test("no block names a person or workspace that neither the sample has nor its page creates", async () => {
  const known = JSON.stringify((await readWrittenSample(new Date())).workspace);
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
