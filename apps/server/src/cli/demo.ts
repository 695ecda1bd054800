import type { Command } from "commander";
import { sampleLines } from "../banner.js";
import { configuredUrl } from "./configured-url.js";
import { confirm, note, print } from "./output.js";
import { addCommand, withOperations } from "./run.js";

/** `minutes demo …` */
export function addDemo(program: Command): void {
  const demo = program.command("demo").description("the sample workspace of the embedded database");

  addCommand(demo, "load", "load the sample workspace").action(async (options) => {
    const sample = await withOperations(({ run }) => run("demo.load", {}));
    print(options, sample, sampleLines(sample, configuredUrl()));
  });

  addCommand(demo, "show", "show the sample's keys").action(async (options) => {
    const sample = await withOperations(({ run }) => run("demo.show", {}));
    print(options, sample, sampleLines(sample, configuredUrl()));
  });

  addCommand(demo, "remove", "erase the sample workspace, its people and its keys")
    .option("--yes", "don't ask")
    .action(async ({ yes, ...options }) => {
      await confirm("Erase the sample workspace and its people?", yes);
      const removed = await withOperations(({ run }) => run("demo.remove", {}));
      print(options, removed, []);
      if (!options.json) note(`The sample workspace "${removed.workspace}" is erased.`);
    });
}
