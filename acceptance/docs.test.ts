import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { type TestServer, testServer } from "@minutes/testing";
import { build } from "esbuild";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type CodeBlock, codeBlocks } from "./support/code-blocks.js";
import { inEmptyFolder, inRepository, run } from "./support/run.js";

// Below acceptance, so that imports are found as in a project that has installed the client.
const folder = inRepository("acceptance/node_modules/.documentation");
const MINUTES = inRepository("apps/server/bin/minutes.js");
const blocks = await codeBlocks();
const nameOf = ({ file, line }: CodeBlock) => `${file.replace(/\W+/g, "-")}-${line}`;

let server: TestServer;
/** An installation of the documentation's own, whose commands reach it while it runs. */
let installation: ChildProcess;
let dataDir: string;
let env: Record<string, string>;
beforeAll(async () => {
  server = await testServer();
  const company = await server.given.company();
  const anna = await server.given.member(company, { email: "anna@example.com" });
  for (const title of ["First", "Second", "Third"]) await server.given.richMeeting(anna, { title });
  env = {
    MINUTES_URL: server.url,
    MINUTES_API_KEY: anna.key,
    MINUTES_WORKSPACE_KEY: company.key,
    INGEST_KEY: await server.given.ingestKey(company),
  };
  dataDir = await mkdtemp(join(tmpdir(), "minutes-documentation-"));
  installation = spawn("node", [MINUTES, "start"], {
    env: { ...process.env, DATA_DIR: dataDir, DEMO: "off", PORT: "0" },
  });
  await once(installation.stdout as Readable, "data");
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
}, 120_000);
afterAll(async () => {
  installation.kill();
  await server.close();
  await rm(dataDir, { recursive: true, force: true });
});

test("every code block is in a language that is run or checked here", () => {
  const checked = ["ts", "sh", "python", "json"];
  expect(blocks.filter(({ language }) => !checked.includes(language))).toEqual([]);
  expect(blocks.length).toBeGreaterThan(15);
});

const typescript = blocks.filter(({ language }) => language === "ts");

test("every ts block is well typed", async () => {
  const files: string[] = [];
  for (const block of typescript) {
    const file = join(folder, `${nameOf(block)}.ts`);
    await writeFile(file, `export {};\n${block.code}`);
    files.push(file);
  }
  await writeFile(
    join(folder, "tsconfig.json"),
    JSON.stringify({ extends: inRepository("tsconfig.json"), include: [], exclude: [], files }),
  );
  await run("node", [inRepository("node_modules/typescript/bin/tsc"), "-p", folder]);
}, 60_000);

test.each(typescript)("$file:$line runs", async (block) => {
  const outfile = join(folder, `${nameOf(block)}.mjs`);
  const stdin = { contents: block.code, loader: "ts", resolveDir: folder } as const;
  await build({ stdin, outfile, bundle: true, platform: "node", format: "esm" });
  // The client's README shows an address and a key as they look.
  const text = (await readFile(outfile, "utf8"))
    .replaceAll("http://127.0.0.1:3000", server.url)
    .replaceAll(/jk_(…|\\u2026)/g, env.MINUTES_API_KEY ?? "");
  await writeFile(outfile, text);
  expect(await run("node", [outfile], { env })).not.toBe("");
});

test.each(blocks.filter(({ language }) => language === "python"))("$file:$line runs", async ({ code }) => {
  expect(await run("python3", ["-c", code], { env })).not.toBe("");
});

test.each(blocks.filter(({ language }) => language === "json"))("$file:$line is JSON", ({ code }) => {
  JSON.parse(code);
});

test.each(blocks.filter(({ language }) => language === "sh"))(
  "$file:$line runs",
  ({ code }) =>
    inEmptyFolder(async (own) => {
      // `pnpm minutes` as it is in the repository, on an installation of this test's own.
      const pnpm = join(own, "pnpm");
      await writeFile(pnpm, `#!/bin/sh\nshift\nexec node '${MINUTES}' "$@"\n`);
      await chmod(pnpm, 0o755);
      // What somebody has who imports transcripts.
      await mkdir(join(own, "transcripts"));
      await mkdir(join(own, "calls"));
      await writeFile(join(own, "transcripts/2025-01-06 weekly.txt"), "Anna: The turbines are late.\n");
      await writeFile(
        join(own, "calls/2025-01-07.vtt"),
        "WEBVTT\n\n00:00:01.000 --> 00:00:04.000\n<v Anna>And the budget?</v>\n",
      );
      const PATH = `${own}:${process.env.PATH}`;
      const output = await run("bash", ["-euo", "pipefail", "-c", code], {
        cwd: own,
        // Migrating takes the database for itself.
        env: { ...env, PATH, DATA_DIR: code.includes("migrate") ? join(own, "data") : dataDir },
      });
      expect(output).not.toBe("");
      // curl is content with any answer; a reader is not.
      expect(output).not.toMatch(/"error":/);
    }),
  120_000,
);
