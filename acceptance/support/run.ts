import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const execute = promisify(execFile);

/** Returns the absolute path of a path in the repository. */
export const toRepositoryPath = (path: string): string =>
  fileURLToPath(new URL(`../../${path}`, import.meta.url));

/** Runs a program. @throws Error with its complete output if it fails */
export async function run(
  program: string,
  args: readonly string[],
  options: { cwd?: string; env?: Record<string, string> } = {},
): Promise<string> {
  // Variables that pnpm sets for its scripts, such as the workspace's settings, must not reach programs outside the
  // workspace. A nested test run must not write the outer run's report.
  const own = Object.entries(process.env).filter(
    ([name]) => !/^(npm|pnpm)_/i.test(name) && !["NODE_OPTIONS", "TEST_REPORT"].includes(name),
  );
  const env = { ...Object.fromEntries(own), NO_COLOR: "1", ...options.env };
  try {
    const { stdout } = await execute(program, [...args], { ...options, env, maxBuffer: 2 ** 26 });
    return stdout;
  } catch (error) {
    const { stdout = "", stderr = "" } = error as { stdout?: string; stderr?: string };
    throw new Error(`${program} ${args.join(" ")}\n${stdout}\n${stderr}`);
  }
}

/** Runs `work` with an empty folder outside the workspace, and removes the folder. */
export async function runInEmptyFolder<Result>(work: (folder: string) => Promise<Result>): Promise<Result> {
  const folder = await mkdtemp(join(tmpdir(), "minutes-acceptance-"));
  try {
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
