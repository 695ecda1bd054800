import type { Command } from "commander";
import { print, table } from "./output.js";
import { addCommand, withOperations } from "./run.js";

/** `minutes tags …` */
export function addTags(program: Command): void {
  const tags = program.command("tags").description("what users put their meetings under");

  addCommand(tags, "list <email>", "list a user's tags, and with whom they are shared").action(
    async (email, options) => {
      const list = await withOperations(({ run }) => run("tags.list", { email }));
      print(
        options,
        list,
        table(list, {
          ID: ({ id }) => id,
          NAME: ({ name }) => name,
          MEETINGS: ({ meetings }) => meetings,
          "SHARED WITH": ({ sharedWith }) => sharedWith.map((reader) => reader.email).join(", ") || null,
        }),
      );
    },
  );
}
