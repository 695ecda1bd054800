import { fileURLToPath } from "node:url";
import { defineConfig, mergeConfig, type TestProjectConfiguration, type ViteUserConfig } from "vitest/config";
import { changedTests } from "./packages/testing/src/affected/affected-tests.js";
import { PATIENCE } from "./packages/testing/src/patience.js";
import { SummaryReporter } from "./packages/testing/src/summary-reporter.js";

/**
 * All tests run once on each engine that is at hand: always the embedded one, PostgreSQL where a test server is named, and a
 * database that is spread over several servers where a cluster's coordinator is named.
 */
const { TEST_DATABASE_URL, TEST_CITUS_URL, TEST_REPORT } = process.env;
const engines = [
  "embedded",
  ...(TEST_DATABASE_URL ? ["postgres"] : []),
  ...(TEST_CITUS_URL ? ["citus"] : []),
];

/** Tests that drop the schema, and with it what makes a database part of a cluster. */
const REBUILDING = ["contract", "migrate", "upgrade"].map((name) => `**/${name}.test.ts`);

/** Tests that send no statements of their own, and pass or fail on every engine alike: one proves it. */
const WITHOUT_STATEMENTS = [
  "apps/console/**",
  "apps/server/src/{config,mcp}/**",
  "apps/server/src/http/{console,documents}/**",
  "apps/server/src/http/*.test.ts",
  "apps/server/src/http/upload/**",
  "apps/server/src/commands/doctor/{database,kept-audio,port,transcriber}.test.ts",
  "apps/server/src/operations/{import,transcriber}/**",
  // The relevance of what is found: the statements that find it have tests of their own.
  "apps/server/src/tests/sample-relevance.test.ts",
  "packages/core/src/ask/chat/**",
  "packages/core/src/webhooks/delivery/{send,sign}.test.ts",
  "packages/search/src/indexing/{chunk,weigh}.test.ts",
  "packages/testing/src/affected/**",
  "**/{mask,parse-feed,parsers,render-markdown,target-policy}.test.ts",
];

/** Files of dependencies and builds. */
const EXCLUDED = ["**/node_modules/**", "**/dist/**"];

const project = (engine: string): TestProjectConfiguration => ({
  extends: true,
  test: {
    name: engine,
    env: {
      TEST_ENGINE: engine,
      ...(engine === "citus" && TEST_CITUS_URL ? { TEST_DATABASE_URL: TEST_CITUS_URL } : {}),
    },
    include: [
      "packages/{core,db,search,testing}/**/*.test.ts",
      "apps/**/*.test.ts",
      // What has no database, and what is tried from outside over HTTP alone, is the same on both engines.
      ...(engine === "embedded"
        ? [
            "packages/{background,client,contract,encoder,reference,transcripts}/**/*.test.ts",
            "acceptance/**/*.test.ts",
            "bench/mutations/*.test.ts",
          ]
        : []),
    ],
    exclude: [
      ...EXCLUDED,
      // What has a command of its own.
      "**/*.{browser,process,soak,tools}.test.ts",
      "acceptance/installs/**",
      ...(engine === "embedded" ? [] : WITHOUT_STATEMENTS),
      // What is about several servers.
      ...(engine === "citus" ? REBUILDING : ["**/*.cluster.test.ts"]),
    ],
  },
});

// Projects inherit what is set here, and then ignore the command line's value.
const [, workers = 3] = /--maxWorkers[ =](\d+)/.exec(process.argv.join(" ")) ?? [];

const base = defineConfig({
  test: {
    projects: engines.map(project),
    // TEST_REPORT names a file for a report in JSON.
    reporters: [
      "default",
      new SummaryReporter(),
      ...(TEST_REPORT ? [["json", { outputFile: TEST_REPORT }] as ["json", object]] : []),
    ],
    experimental: {
      // Keeps transformed modules for the next run, which then starts in a third of the time.
      fsModuleCache: true,
      // What `--changed` selects.
      vcsProvider: changedTests,
    },
    globalSetup: [fileURLToPath(new URL("packages/testing/src/global-setup.ts", import.meta.url))],
    pool: "forks",
    // Files of a worker share its modules and the compiled database engine: that saves a third of the time. No test
    // replaces modules or timers, and each suite has a database of its own.
    isolate: false,
    // Most suites are processor time, and some wait for other processes: three keep two cores busy.
    maxWorkers: Number(workers),
    expect: { poll: { timeout: PATIENCE } },
    testTimeout: 600_000,
    hookTimeout: 600_000,
  },
});

export default base;

/**
 * Returns the configuration of a suite with a command of its own, whose tests can need software that `pnpm test` must do
 * without.
 * @param list returns the suite's files for an engine
 */
export function defineSuite(list: (engine: string) => string[], test: ViteUserConfig["test"] = {}) {
  const suite = mergeConfig(base, defineConfig({ test: { ...test, env: { TEST_TOOLS: "allowed" } } }));
  for (const { test } of suite.test.projects) {
    test.include = list(test.name);
    test.exclude = EXCLUDED;
  }
  return suite;
}
