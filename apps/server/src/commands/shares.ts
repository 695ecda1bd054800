import type { operatorManagement } from "@minutes/core";
import type { OperatorCommand } from "./cli/command.js";
import { printDone, printTable } from "./cli/output.js";

type Operations = Pick<typeof operatorManagement, "meetings" | "shares" | "tags" | "users">;

/** Adds `minutes shares …`. */
export function addSharesCommands(program: OperatorCommand<Operations>): void {
  const commands = program
    .command("shares")
    .description("shares of a meeting, or of a tag and all its meetings, with members of the workspace");

  commands
    .add("list <meetingId|tagId|user>", "list the shares of a meeting or tag, or all that a user made")
    .run(async ({ shares }, of, options) =>
      printTable(options, await shares.listOf.query({ of }), {
        ID: ({ id }) => id,
        NAME: ({ name }) => name,
        WITH: (share) => share.with,
      }),
    );

  for (const [name, verb, description, end] of [
    [
      "create",
      "share",
      "share a meeting, or all current and future meetings with a tag, with a member",
      "is shared with",
    ],
    [
      "delete",
      "unshare",
      "stop sharing a meeting, or a tag and its meetings, with a member",
      "is no longer shared with",
    ],
  ] as const) {
    commands
      .add(`${name} <meetingId|tagId> <user>`, description)
      .run(async ({ meetings, tags, users }, id, user, options) => {
        const { email } = await users.get.query({ user });
        if (id.startsWith("tag_")) await tags[verb].mutate({ tagId: id, email });
        else await meetings[verb].mutate({ meetingId: id, email });
        printDone(options, { id, with: email }, `${id} ${end} ${email}.`);
      });
  }
}
