import { relative } from "node:path";
import type { Reporter, TestCase, TestModule, Vitest } from "vitest/node";
import { describeMissing } from "./needs.js";

const SLOWEST = 10;
/** Number of files between progress lines. */
const STEP = 10;

/**
 * Prints progress without a terminal, and at the end the slowest files and every skipped test with its missing
 * requirements. With `REQUIRE_ALL=1` a skip fails the run, unless the test skipped itself at run time with a note, for example because a
 * registry is unreachable.
 */
export class SummaryReporter implements Reporter {
  readonly #write = (line: string) => process.stdout.write(`${line}\n`);
  #vitest: Vitest | undefined;
  #files = 0;
  #done = 0;
  #began = 0;

  onInit(vitest: Vitest): void {
    this.#vitest = vitest;
  }

  onTestRunStart(specifications: readonly unknown[]): void {
    this.#files = specifications.length;
    this.#done = 0;
    this.#began = performance.now();
  }

  onTestModuleEnd(): void {
    this.#done++;
    if (process.stdout.isTTY || this.#done % STEP !== 0) return;
    const seconds = Math.round((performance.now() - this.#began) / 1000);
    this.#write(`    ${this.#done} of ${this.#files} files in ${seconds} s`);
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    if (modules.length > 1) this.#printSlowest(modules);
    // Tests excluded by `-t` also count as skipped.
    if (!this.#vitest?.config.testNamePattern)
      this.#printSkipped(modules.flatMap((module) => [...module.children.allTests("skipped")]));
  }

  #printSlowest(modules: readonly TestModule[]): void {
    this.#write(`\nSlowest ${Math.min(SLOWEST, modules.length)} files, in seconds:`);
    const timed = modules.map((module) => ({ module, seconds: secondsOfModule(module) }));
    for (const { module, seconds } of timed.toSorted((a, b) => b.seconds - a.seconds).slice(0, SLOWEST))
      this.#write(`  ${seconds.toFixed(1).padStart(5)}  ${this.#nameModule(module)}`);
  }

  #printSkipped(skipped: readonly TestCase[]): void {
    const groups = new Map<string, TestCase[]>();
    const notes = new Set<string>();
    let elsewhere = 0;
    for (const test of skipped) {
      const { missing } = test.meta();
      const result = test.result();
      const note = result.state === "skipped" ? result.note : undefined;
      if (note !== undefined) notes.add(note);
      if (missing?.length === 0) {
        elsewhere++;
        continue;
      }
      const reason = missing ? describeMissing(missing) : (note ?? "no reason given");
      groups.set(reason, [...(groups.get(reason) ?? []), test]);
    }
    if (elsewhere > 0 && this.#vitest?.projects.every(({ name }) => name === "embedded"))
      this.#write(`\n${elsewhere} tests run only on PostgreSQL: set TEST_DATABASE_URL to a server.`);
    if (groups.size === 0) return;
    for (const [reason, tests] of groups) {
      const strict = process.env.REQUIRE_ALL === "1" && !notes.has(reason);
      this.#write(`\n${strict ? "Not allowed to skip" : "Skipped"} (${tests.length}): ${reason}`);
      for (const test of tests) this.#write(`  ${this.#nameModule(test.module)} > ${test.fullName}`);
      if (strict) process.exitCode = 1;
    }
  }

  #nameModule(module: TestModule): string {
    const path = relative(this.#vitest?.config.root ?? process.cwd(), module.moduleId);
    return module.project.name === "embedded" ? path : `${path} (${module.project.name})`;
  }
}

function secondsOfModule(module: TestModule): number {
  const { environmentSetupDuration, prepareDuration, collectDuration, setupDuration, duration } =
    module.diagnostic();
  const milliseconds =
    environmentSetupDuration + prepareDuration + collectDuration + setupDuration + duration;
  return milliseconds / 1000;
}
