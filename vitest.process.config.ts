import { defineSuite } from "./vitest.config.js";

/** The tests that start Minutes as processes of their own, kill them, or copy and erase whole installations. */
export default defineSuite(() => ["{apps,packages}/**/*.process.test.ts"]);
