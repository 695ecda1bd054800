import { spawnSync } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { needs } from "@minutes/testing";
import { expect, onTestFinished, test } from "vitest";
import { toRepositoryPath } from "./support/run.js";

test("every benchmark with options lists them with --help", { timeout: 900_000 }, async () => {
  const { scripts } = JSON.parse(await readFile(toRepositoryPath("package.json"), "utf8"));
  const files = Object.values<string>(scripts).flatMap((script) => /^tsx (\S+)/.exec(script)?.[1] ?? []);
  const texts = await Promise.all(files.map((file) => readFile(toRepositoryPath(file), "utf8")));
  const explained = files.filter((_, at) => texts[at]?.includes("help"));
  expect(explained.length).toBeGreaterThan(5);
  for (const file of explained) {
    const tsx = toRepositoryPath("node_modules/.bin/tsx");
    const { stdout, stderr } = spawnSync(tsx, [file, "--help"], {
      cwd: toRepositoryPath("."),
      encoding: "utf8",
    });
    expect([file, stderr]).toEqual([file, ""]);
    expect(stdout, file).toMatch(/pnpm (bench|pictures)/);
  }
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
