import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { needs } from "@minutes/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { run, toRepositoryPath } from "./support/run.js";

/** The folders that a procedure's checks read. */
const COPIED = ["packages", "apps", "docs"];
const ROOT_FILES = ["package.json", "pnpm-workspace.yaml", "tsconfig.json", "vitest.config.ts", "biome.json"];
const SKIPPED = /\/(dist|\.turbo|\.documentation|\.vite)$/;

let copy: string;
let guide: string;
beforeAll(async () => {
  guide = await readFile(toRepositoryPath("CONTRIBUTING.md"), "utf8");
  copy = await mkdtemp(join(tmpdir(), "minutes-contributing-"));
  // Symbolic links stay as they are: a package's node_modules then leads to the packages of the copy.
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

/** Makes the copy's own node_modules, in which all but the workspace's packages are the repository's. */
async function linkDependencies(): Promise<void> {
  await mkdir(join(copy, "node_modules"));
  for (const name of await readdir(toRepositoryPath("node_modules"))) {
    const [from, to] = [toRepositoryPath(`node_modules/${name}`), join(copy, "node_modules", name)];
    if (name === "@minutes") await cp(from, to, { recursive: true, verbatimSymlinks: true });
    else await symlink(from, to);
  }
}

/** The diffs of the section "Add a procedure", in order. */
const readSteps = () => [...guide.matchAll(/^```diff\n(.*?)^```$/gms)].map(([, diff = ""]) => diff);
const node = (script: string, ...args: string[]) => run("node", [join(copy, script), ...args], { cwd: copy });

/** Applies a diff whose line numbers may have moved since it was written; the lines around a change may not. */
async function applyStep(step: string): Promise<void> {
  const patch = join(copy, "step.patch");
  // An editor leaves no blank in an empty line, where a diff has one.
  await writeFile(patch, step.replaceAll(/^\n/gm, " \n"));
  await run("git", ["apply", "--recount", "--unsafe-paths", `--directory=${copy}`, patch], { cwd: copy });
}

test(
  "a procedure is added in four files, and every check that reads the routers is green",
  needs("git"),
  async () => {
    const steps = readSteps();
    const files = steps.map((step) => /^\+\+\+ b\/(.+)$/m.exec(step)?.[1] ?? "");
    expect(new Set(files).size).toBe(steps.length);
    expect(files.length).toBeLessThanOrEqual(4);

    for (const step of steps) await applyStep(step);

    await node("node_modules/@biomejs/biome/bin/biome", "check", "--vcs-enabled=false", ...files);
    const types = join(copy, "tsconfig.steps.json");
    const sources = files.filter((file) => !file.endsWith(".test.ts"));
    await writeFile(types, JSON.stringify({ extends: "./tsconfig.json", files: sources, include: [] }));
    await node("node_modules/typescript/bin/tsc", "-p", types);
    const tested = [files.at(-1) ?? "", "packages/reference"];
    const report = join(copy, "report.json");
    await node(
      "node_modules/vitest/vitest.mjs",
      ...["run", "--project=embedded", "--reporter=json", `--outputFile=${report}`],
      ...["--testNamePattern", "tags.count|own tags are counted"],
      ...tested,
    );
    const { numPassedTests, numFailedTests } = JSON.parse(await readFile(report, "utf8"));
    expect(numFailedTests).toBe(0);
    // Its own test, and five that hold for every procedure.
    expect(numPassedTests).toBe(6);
  },
);
