import { spawnSync } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { needs } from "@minutes/testing";
import { expect, onTestFinished, test } from "vitest";
import { toRepositoryPath } from "./support/run.js";

/** Runs each file as if it was started with `--help`. They share one process, which compiles what they import once. */
const ASK_EACH_FOR_HELP = `
  const { exit } = process;
  let code;
  process.execArgv = []; // with --eval there, arguments would begin one earlier
  process.exit = (given = 0) => {
    code = given;
    throw code;
  };
  for (const file of process.argv.slice(1)) {
    process.argv = [process.execPath, file, "--help"];
    console.log("== " + file);
    code = undefined;
    await import(file).catch((error) => {
      if (error !== code) throw error;
    });
    if (code !== 0) console.error(file + " ended with " + code);
  }
  exit(0);`;

test("every benchmark with options lists them with --help", { timeout: 900_000 }, async () => {
  const { scripts } = JSON.parse(await readFile(toRepositoryPath("package.json"), "utf8"));
  const files = Object.values<string>(scripts).flatMap((script) => /^tsx (\S+)/.exec(script)?.[1] ?? []);
  const texts = await Promise.all(files.map((file) => readFile(toRepositoryPath(file), "utf8")));
  const explained = files.filter((_, at) => texts[at]?.includes("help")).map(toRepositoryPath);
  expect(explained.length).toBeGreaterThan(5);
  const tsx = ["--import", "tsx", "--input-type=module", "--eval", ASK_EACH_FOR_HELP, "--", ...explained];
  const { stdout, stderr } = spawnSync("node", tsx, { cwd: toRepositoryPath("."), encoding: "utf8" });
  expect(stderr).toBe("");
  const [, ...answers] = stdout.split(/^== /m);
  expect(answers).toHaveLength(explained.length);
  for (const answer of answers) expect(answer).toMatch(/pnpm (bench|pictures)/);
});

test("check-words refuses British spelling and the name of a registry, and names their lines", {
  ...needs("git"),
}, async () => {
  const folder = await mkdtemp(join(tmpdir(), "minutes-words-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  spawnSync("git", ["init", "--quiet"], { cwd: folder });
  const check = async (text: string) => {
    await writeFile(join(folder, "file"), text);
    const { status, stderr } = spawnSync("node", [toRepositoryPath("scripts/check-words.mjs")], {
      ...{ cwd: folder, encoding: "utf8" },
    });
    return [status, stderr.split(": ")[0]];
  };
  expect(await check("color\n")).toEqual([0, ""]);
  expect(await check("color\nhonour\n")).toEqual([1, "file:2"]);
  expect(await check("  tarball: https://registry.example.com/a/-/a-1.0.0.tgz\n")).toEqual([1, "file:1"]);
  expect(await check('"resolved": "https://npm.example.com/a/-/a-1.0.0.tgz"\n')).toEqual([1, "file:1"]);
  expect(await check("registry=http://127.0.0.1:4873/\n")).toEqual([1, "file:1"]);
});
