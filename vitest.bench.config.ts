import { defineConfig, mergeConfig } from "vitest/config";
import base from "./vitest.config.js";

/** The benchmarks' floors, over public data: one file after another, since each imports hundreds of meetings. */
const bench = mergeConfig(base, defineConfig({ test: { fileParallelism: false } }));
for (const project of bench.test.projects ?? []) project.test.include = ["bench/**/*.test.ts"];

export default bench;
