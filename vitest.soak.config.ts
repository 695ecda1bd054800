import { defineSuite } from "./vitest.config.js";

/** The long tests, one after another so that their measurements don't disturb each other. */
export default defineSuite(() => ["{acceptance,apps,bench,packages}/**/*.soak.test.ts"], {
  fileParallelism: false,
  testTimeout: 600_000,
});
