import { defineSuite } from "./vitest.config.js";

/** The tests that run other software: bash, curl, git, openssl, Python, PgBouncer, and the TypeScript compiler, which is slow. */
export default defineSuite((engine) =>
  engine === "embedded"
    ? ["{acceptance,apps,packages}/**/*.tools.test.ts"]
    : // What depends on the database. The rest converts audio, compares types, or is tried from outside.
      ["packages/db/**/*.tools.test.ts", "apps/server/src/{stop,http/audio/*,tests/*}.tools.test.ts"],
);
