import type { Command } from "commander";
import { describeSample } from "../banner.js";
import { getConfiguredUrl } from "./configured-url.js";
import { confirm, print, printDone } from "./output.js";
import { addCommand, withOperator } from "./run.js";

/** Adds `minutes demo …`. */
export function addDemoCommands(program: Command): void {
  const demo = program.command("demo").description("the sample workspace of the embedded database");

  addCommand(demo, "load", "load the sample workspace").action(async (options) => {
    const sample = await withOperator(({ demo }) => demo.load.mutate());
    print(options, sample, describeSample(sample, getConfiguredUrl()));
  });

  addCommand(demo, "show", "show the sample's keys").action(async (options) => {
    const sample = await withOperator(({ demo }) => demo.show.query());
    print(options, sample, describeSample(sample, getConfiguredUrl()));
  });

  addCommand(demo, "remove", "erase the sample workspace, its people and its keys")
    .option("--yes", "don't ask")
    .action(async ({ yes, ...options }) => {
      await confirm("Erase the sample workspace and its people?", yes);
      const removed = await withOperator(({ demo }) => demo.remove.mutate());
      printDone(options, removed, `The sample workspace "${removed.workspace}" is erased.`);
    });
}
