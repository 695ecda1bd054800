import { defineSuite } from "./vitest.config.js";

/** The tests that run other software: bash, curl, git, openssl, Python, PgBouncer, and the TypeScript compiler, which is slow. */
export default defineSuite((engine) => [
  "{apps,packages}/**/*.tools.test.ts",
  // Tried from outside over HTTP alone, which is the same on every engine.
  ...(engine === "embedded" ? ["acceptance/**/*.tools.test.ts"] : []),
]);
