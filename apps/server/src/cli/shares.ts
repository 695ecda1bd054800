import type { Command } from "commander";
import { note, print, table } from "./output.js";
import { addCommand, withOperations } from "./run.js";

/** `minutes share …` and `minutes unshare …` */
export function addShares(program: Command): void {
  for (const [verb, description, done] of [
    ["share", "show a meeting, or every meeting under a tag, to another member", "is shared with"],
    ["unshare", "take a share back", "is no longer shared with"],
  ] as const) {
    const group = program.command(verb).description(description);
    for (const [kind, what] of [
      ["meeting", "Meeting"],
      ["tag", "Tag"],
    ] as const) {
      addCommand(group, `${kind} <id> <email>`, `${description.split(",")[0]}: by the ${kind}'s id`).action(
        async (id, email, options) => {
          const operation = `shares.${verb === "share" ? "add" : "remove"}${what}` as const;
          const share = await withOperations(({ run }) => run(operation, { id, with: email }));
          print(options, share, []);
          if (!options.json) note(`${share.id} ${done} ${share.with}.`);
        },
      );
    }
    if (verb === "share") addList(group);
  }
}

function addList(share: Command): void {
  addCommand(share, "list <meetingId>", "list with whom a meeting is shared other than by a tag").action(
    async (meetingId, options) => {
      const list = await withOperations(({ run }) => run("shares.list", { meetingId }));
      print(
        options,
        list,
        table(list, { ID: ({ userId }) => userId, EMAIL: ({ email }) => email, NAME: ({ name }) => name }),
      );
    },
  );
}
