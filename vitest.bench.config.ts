import { defineSuite } from "./vitest.config.js";

/** The benchmarks' floors, over public data. Each imports hundreds of meetings, which keeps a core busy: two at once. */
export default defineSuite(() => ["bench/!(mutations)/**/!(*.soak).test.ts"], { maxWorkers: 2 });
