import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { needs } from "@minutes/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { run, toRepositoryPath } from "./support/run.js";

/** The folders that the checks read. */
const COPIED = ["packages", "apps", "docs"];
const ROOT_FILES = [
  "package.json",
  "pnpm-workspace.yaml",
  "tsconfig.json",
  "vitest.config.ts",
  "biome.json",
  "drizzle.config.ts",
  ".env.example",
];
const SKIPPED = /\/(dist|\.turbo|\.documentation|\.comparison-\d+|\.vite)$/;

let copy: string;
let guide: string;
beforeAll(async () => {
  guide = await readFile(toRepositoryPath("CONTRIBUTING.md"), "utf8");
  copy = await mkdtemp(join(tmpdir(), "minutes-contributing-"));
  // Keeps symbolic links, so that a package's node_modules points to the copy's packages.
  const filter = (path: string) => !SKIPPED.test(path);
  for (const folder of COPIED) {
    await cp(toRepositoryPath(folder), join(copy, folder), {
      recursive: true,
      verbatimSymlinks: true,
      filter,
    });
  }
  for (const file of ROOT_FILES) await cp(toRepositoryPath(file), join(copy, file));
  await linkDependencies();
});
afterAll(() => rm(copy, { recursive: true, force: true }));

/** Creates the copy's node_modules, which links to the repository's except for the workspace's packages. */
async function linkDependencies(): Promise<void> {
  await mkdir(join(copy, "node_modules"));
  for (const name of await readdir(toRepositoryPath("node_modules"))) {
    const [from, to] = [toRepositoryPath(`node_modules/${name}`), join(copy, "node_modules", name)];
    if (name === "@minutes") await cp(from, to, { recursive: true, verbatimSymlinks: true });
    else await symlink(from, to);
  }
}

/** Returns the text of a section of the guide. */
const readSection = (title: string) =>
  guide.split(/^## /m).find((section) => section.startsWith(`${title}\n`)) ?? "";
/** Returns the diffs of a section, in order. */
const readSteps = (section: string) =>
  [...section.matchAll(/^```diff\n(.*?)^```$/gms)].map(([, diff = ""]) => diff);
const getFile = (step: string) => /^\+\+\+ b\/(.+)$/m.exec(step)?.[1] ?? "";
const node = (script: string, ...args: string[]) => run("node", [join(copy, script), ...args], { cwd: copy });

/** Applies a diff whose line numbers may have changed since it was written; its context lines must match. */
async function applyStep(step: string): Promise<void> {
  const patch = join(copy, "step.patch");
  // Editors remove the space in an empty context line.
  await writeFile(patch, step.replaceAll(/^\n/gm, " \n"));
  await run("git", ["apply", "--recount", "--unsafe-paths", `--directory=${copy}`, patch], { cwd: copy });
}

/** Checks format, lint and types of changed files, and the types of the whole console. */
async function checkSources(files: readonly string[], ofConsole: readonly string[]): Promise<void> {
  await node("node_modules/@biomejs/biome/bin/biome", "check", "--vcs-enabled=false", ...files, ...ofConsole);
  const types = join(copy, "tsconfig.steps.json");
  const sources = files.filter((file) => /(?<!\.test)\.ts$/.test(file));
  await writeFile(types, JSON.stringify({ extends: "./tsconfig.json", files: sources, include: [] }));
  await node("node_modules/typescript/bin/tsc", "-p", types);
  await node("node_modules/typescript/bin/tsc", "--noEmit", "-p", join(copy, "apps/console"));
}

/** Runs tests in the copy. @returns how many passed and failed, and the files of those that ran */
async function runTests(
  ...args: string[]
): Promise<{ passed: number; failed: number; files: readonly string[] }> {
  const report = join(copy, "report.json");
  await node(
    "node_modules/vitest/vitest.mjs",
    ...["run", "--project=embedded", "--reporter=json", `--outputFile=${report}`, ...args],
  );
  const { numPassedTests, numFailedTests, testResults } = JSON.parse(await readFile(report, "utf8"));
  const files = (testResults as { name: string }[]).map(({ name }) => relative(copy, name));
  return { passed: numPassedTests, failed: numFailedTests, files };
}

/** Applies the diffs of a section. @returns the files, in the order of the steps */
async function applySection(title: string): Promise<string[]> {
  const steps = readSteps(readSection(title));
  for (const step of steps) await applyStep(step);
  return steps.map(getFile);
}

test("an operation, a column and a page are added in eleven files, and every check is green; a setting writes its documents", {
  ...needs("git"),
  timeout: 900_000,
}, async () => {
  const operation = await applySection("Add an operation");
  const column = await applySection("Add a column");
  const page = await applySection("Add a page");
  const setting = await applySection("Add a setting");
  expect(new Set(operation).size).toBe(operation.length);
  expect([operation, column, page, setting].map((files) => files.length)).toEqual([5, 4, 2, 2]);

  const [, migration = ""] = /`pnpm db:generate --name (\w+)`/.exec(readSection("Add a column")) ?? [];
  await node("node_modules/drizzle-kit/bin.cjs", "generate", "--name", migration);
  await checkSources([...operation, ...column, ...setting], page);

  // Their own tests, those that write the settings' documents, and those that apply to every operation.
  const own = [operation, column].map((files) => files.at(-1) ?? "");
  const ran = await runTests(...own, "apps/server/src/config", "--update");
  expect(ran).toMatchObject({ failed: 0, files: expect.arrayContaining(own) });
  const described = [
    "--testNamePattern",
    "tags.count",
    "packages/reference",
    "apps/server/src/tests/authorization.test.ts",
  ];
  const every = await runTests(...described);
  expect({ ...every, tried: every.passed > 0 }).toMatchObject({ failed: 0, tried: true });
  expect(await readFile(join(copy, "docs/settings.md"), "utf8")).toContain("| `CORS_MAX_AGE` | `600` |");
  expect(await readFile(join(copy, ".env.example"), "utf8")).toContain("# CORS_MAX_AGE=600");
});
