import { defineSuite } from "./vitest.config.js";

/** The tests of the console and the client in Chromium. */
export default defineSuite(() => ["acceptance/**/*.browser.test.ts"]);
