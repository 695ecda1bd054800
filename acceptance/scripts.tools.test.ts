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

test(
  "check-words refuses repeated headings and broken tables, and names their lines",
  needs("git"),
  async () => {
    const folder = await mkdtemp(join(tmpdir(), "minutes-words-"));
    onTestFinished(() => rm(folder, { recursive: true }));
    const check = async (document: string) => {
      await writeFile(join(folder, "page.md"), document);
      const { status, stderr } = spawnSync("node", [toRepositoryPath("scripts/check-words.mjs")], {
        ...{ cwd: folder, encoding: "utf8" },
      });
      return [status, ...stderr.split("\n").filter((line) => line.startsWith("page.md"))];
    };
    spawnSync("git", ["init", "--quiet"], { cwd: folder });
    const table = "| a | b |\n|---|---|\n| `x|y` | 2 |\n";
    const good = `# Page\n\n${table}\n## One\n\n### Limits\n\n## Two\n\n### Limits\n`;
    expect(await check(good)).toEqual([0]);
    expect(await check(`${good}\n${table}| 1 | 2 | 3 |\n`)).toEqual([
      1,
      "page.md:18: the row has 3 cells, and its table's head has 2",
    ]);
    expect(await check(`${good}\n### Limits\n`)).toEqual([
      1,
      'page.md:15: this section has two headings "Limits"',
    ]);
    const fenced = "\n```\n## One\n| 1 | 2 |\n| 1 |\n```\n";
    expect(await check(`${good}${fenced}`)).toEqual([0]);
  },
);
