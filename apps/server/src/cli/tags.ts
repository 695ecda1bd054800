import type { Command } from "commander";
import { formatTable, print } from "./output.js";
import { addCommand, withOperator } from "./run.js";

/** Adds `minutes tags …`. */
export function addTagsCommands(program: Command): void {
  const tags = program.command("tags").description("the tags of users' meetings");

  addCommand(tags, "list <email>", "list a user's tags and the members with whom each is shared").action(
    async (email, options) => {
      const list = await withOperator(({ tags }) => tags.list.query({ email }));
      print(
        options,
        list,
        formatTable(list, {
          ID: ({ id }) => id,
          NAME: ({ name }) => name,
          MEETINGS: ({ meetings }) => meetings,
          "SHARED WITH": ({ sharedWith }) => sharedWith.map((reader) => reader.email).join(", ") || null,
        }),
      );
    },
  );
}
