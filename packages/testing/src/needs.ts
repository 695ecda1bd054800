import { spawnSync } from "node:child_process";
import { accessSync, constants, existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import type {} from "@vitest/runner";

/** Returns the path of the first of these programs on `PATH`, or null. */
export function findProgram(...names: readonly string[]): string | null {
  for (const name of names) {
    for (const directory of (process.env.PATH ?? "").split(delimiter)) {
      const path = join(directory, name);
      try {
        accessSync(path, constants.X_OK);
        return path;
      } catch {
        // Not in this directory.
      }
    }
  }
  return null;
}

/** Returns the path of Chromium or Google Chrome, or null if neither is installed. */
export const findChromium = (): string | null =>
  findProgram("chromium", "chromium-browser", "google-chrome", "google-chrome-stable");

/** Returns the directory of the public search benchmark: `SEARCHBENCH_DIR`, or next to the checkout; or null. */
export function findSearchBenchmark(): string | null {
  const beside = fileURLToPath(new URL("../../../../shared/searchbench", import.meta.url));
  const directory = process.env.SEARCHBENCH_DIR ?? beside;
  return existsSync(join(directory, "val", "queries.jsonl")) ? directory : null;
}

interface Requirement {
  readonly isPresent: () => boolean;
  /** How to install it, as an imperative. */
  readonly remedy: string;
}

const program = (name: string): Requirement => ({
  isPresent: () => findProgram(name) !== null,
  remedy: `install ${name}`,
});

const REQUIREMENTS = {
  bash: program("bash"),
  chromium: { isPresent: () => findChromium() !== null, remedy: "install chromium" },
  curl: program("curl"),
  "espeak-ng": program("espeak-ng"),
  faketime: program("faketime"),
  ffmpeg: program("ffmpeg"),
  git: program("git"),
  openssl: program("openssl"),
  pgbouncer: program("pgbouncer"),
  // Five recordings of LibriVox, with what is read in them.
  "pocketsphinx-testdata": {
    isPresent: () => existsSync("/usr/share/pocketsphinx/test/data/librivox/transcription"),
    remedy: "install pocketsphinx-testdata",
  },
  prlimit: program("prlimit"),
  "systemd-analyze": program("systemd-analyze"),
  python3: program("python3"),
  // Debian's, which belongs to Debian's Python.
  "python3-httpx": {
    isPresent: () => spawnSync("/usr/bin/python3", ["-c", "import httpx"]).status === 0,
    remedy: "install python3-httpx",
  },
  "python3-docx": {
    isPresent: () => spawnSync("/usr/bin/python3", ["-c", "import docx"]).status === 0,
    remedy: "install python3-docx",
  },
  searchbench: {
    isPresent: () => findSearchBenchmark() !== null,
    remedy: "set SEARCHBENCH_DIR to the search benchmark's directory",
  },
} satisfies Record<string, Requirement>;

const getRequirement = (need: string): Requirement | undefined =>
  (REQUIREMENTS as Record<string, Requirement>)[need];

const project = process.env.TEST_ENGINE ?? "embedded";

/**
 * Where a test can run; elsewhere it is left out. `one-server` is for tests that drop the schema or
 * extensions, and so the database's cluster configuration.
 */
const PLACES = {
  embedded: project === "embedded",
  postgres: project !== "embedded",
  "one-server": project !== "citus",
};
type PlaceNeed = keyof typeof PLACES;
const isPlace = (need: Need): need is PlaceNeed => need in PLACES;

export type Need = keyof typeof REQUIREMENTS | PlaceNeed;

declare module "@vitest/runner" {
  interface TaskMeta {
    /** The missing requirements of the test. Empty if the test runs only on the other engine. */
    missing?: readonly string[];
  }
}

/** Options of a test or group: none, or a skip with its reason. */
export type NeedOptions = { skip?: true; meta?: { missing: readonly string[] } };

/**
 * Binds a test or a group to one engine with `"embedded"` or `"postgres"`, or to databases that are not spread with
 * `"one-server"`; elsewhere it is left out.
 *
 * In suites that have a command of their own, such as `*.tools.test.ts`, also skips where a program is missing. The run
 * lists each skip at its end, with what is missing and how to get it.
 *
 *     describe("two processes", needs("postgres"), () => { … });
 *     test("200: the tour with curl", needs("bash", "curl"), async () => { … });
 *     test.each(cases)("%s", needs("python3"), async (name) => { … });
 *
 * Hooks of a group or a file do not run when all its tests are skipped.
 * @throws Error in `pnpm test` for a program, and for a missing one when `REQUIRE_ALL=1` is set: the test file fails
 */
export function needs(...required: readonly Need[]): NeedOptions {
  const programs = required.filter((need) => !isPlace(need));
  if (programs.length > 0 && !process.env.TEST_TOOLS)
    throw new Error(
      `\`pnpm test\` runs the same tests on every machine. Move tests that need ${programs.join(", ")} to a *.tools.test.ts or *.browser.test.ts.`,
    );
  const missing = programs.filter((need) => getRequirement(need)?.isPresent() === false);
  if (missing.length > 0) {
    if (process.env.REQUIRE_ALL === "1") throw new Error(`REQUIRE_ALL=1, but ${describeMissing(missing)}`);
    return { skip: true, meta: { missing } };
  }
  return required.filter(isPlace).every((need) => PLACES[need]) ? {} : { skip: true, meta: { missing: [] } };
}

/** Returns `curl is missing: install curl`, for one or more requirements. */
export const describeMissing = (missing: readonly string[]): string =>
  missing
    .map((need) => `${need} is missing: ${getRequirement(need)?.remedy ?? "unknown requirement"}`)
    .join("; ");
