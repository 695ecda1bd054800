import { defineSuite } from "./vitest.config.js";

/**
 * The tests that install other software from the registry, some 600 MB: package managers' own layouts, three versions
 * of TypeScript, Bun, Deno, workerd, and what runs a local model; and those of the client's package as npm publishes it.
 * The registry may be slow.
 */
export default defineSuite((engine) => (engine === "embedded" ? ["acceptance/installs/*.test.ts"] : []), {
  fileParallelism: false,
  testTimeout: 900_000,
  hookTimeout: 900_000,
});
