import { defineConfig, mergeConfig } from "vitest/config";
import base from "./vitest.config.js";

/** The long tests, `*.soak.test.ts`, one after another so that their measurements don't disturb each other. */
const soak = mergeConfig(base, defineConfig({ test: { fileParallelism: false, testTimeout: 600_000 } }));
for (const project of soak.test.projects ?? []) {
  project.test.include = ["acceptance", "apps", "bench", "packages"].map(
    (room) => `${room}/**/*.soak.test.ts`,
  );
  // The suite opens the console's pages on the embedded engine only.
  if (project.test.name === "postgres") project.test.include.push("acceptance/console*.test.ts");
  project.test.exclude = ["**/node_modules/**", "**/dist/**"];
}

export default soak;
