import { defineConfig, mergeConfig } from "vitest/config";
import base from "./vitest.config.js";

/**
 * The tests that install other software from the registry, some 600 MB: package managers' own layouts, three versions
 * of TypeScript, Bun, Deno, workerd, and what runs a local model; and those of the client's package as npm publishes it.
 * The registry may be slow.
 */
const installs = mergeConfig(
  base,
  defineConfig({ test: { fileParallelism: false, testTimeout: 900_000, hookTimeout: 900_000 } }),
);
for (const project of installs.test.projects ?? []) {
  project.test.include = project.test.name === "embedded" ? ["acceptance/installs/*.test.ts"] : [];
  project.test.exclude = ["**/node_modules/**"];
}

export default installs;
