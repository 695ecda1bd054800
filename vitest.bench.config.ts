import { defineConfig, mergeConfig } from "vitest/config";
import base from "./vitest.config.js";

/** The benchmarks' floors, over public data. Each imports hundreds of meetings, which keeps a core busy: two at once. */
const bench = mergeConfig(base, defineConfig({ test: { maxWorkers: 2 } }));
for (const project of bench.test.projects ?? []) project.test.include = ["bench/**/*.test.ts"];

export default bench;
