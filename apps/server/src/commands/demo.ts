import { toOperatorCommand } from "../config/command.js";
import { describeSample } from "../demo/banner.js";
import type { Sample } from "../demo/keys-file.js";
import type { OperatorCommand } from "./cli/command.js";
import { type CommonOptions, confirm, print, printDone } from "./cli/output.js";
import { findServerUrl } from "./operator/request.js";
import type { demo } from "./procedures/demo.js";

/** Adds `minutes demo …`. */
export function addDemoCommands(program: OperatorCommand<{ demo: typeof demo }>): void {
  const printSample = async (options: CommonOptions, { workspaceId: id, ...sample }: Sample) => {
    const config = program.getConfig();
    const url = await findServerUrl(config);
    print(options, { id, ...sample, url }, describeSample(sample, url, toOperatorCommand(config)));
  };
  const commands = program.command("demo").description("the sample workspace of the embedded database");

  commands
    .add("load", "load the sample workspace")
    .run(async ({ demo }, options) => printSample(options, await demo.load.mutate()));

  commands
    .add("show", "show the sample's keys")
    .run(async ({ demo }, options) => printSample(options, await demo.show.query()));

  commands
    .add("remove", "erase the sample workspace, its people and its keys")
    .option("--yes", "don't ask")
    .run(async ({ demo }, { yes, ...options }) => {
      await demo.show.query(); // refuses before it asks
      await confirm("Erase the sample workspace, its people and its keys?", yes);
      const removed = await demo.remove.mutate();
      printDone(options, removed, `The sample workspace "${removed.workspace}" is erased.`);
    });
}
