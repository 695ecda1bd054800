import type { OperatorCommand } from "./cli/command.js";
import { printDone, printTable } from "./cli/output.js";
import type { shares } from "./procedures/shares.js";

/** Adds `minutes shares …`. */
export function addSharesCommands(program: OperatorCommand<{ shares: typeof shares }>): void {
  const commands = program
    .command("shares")
    .description("shares of a meeting, or of a tag and all its meetings, with members of the workspace");

  commands
    .add("list <meetingId|tagId|user>", "list the shares of a meeting or tag, or all that a user made")
    .run(async ({ shares }, of, options) =>
      printTable(options, await shares.list.query({ of }), {
        ID: ({ id }) => id,
        NAME: ({ name }) => name,
        WITH: (share) => share.with,
      }),
    );

  for (const [name, description, end] of [
    [
      "create",
      "share a meeting, or all current and future meetings with a tag, with a member",
      "is shared with",
    ],
    [
      "delete",
      "stop sharing a meeting, or a tag and its meetings, with a member",
      "is no longer shared with",
    ],
  ] as const) {
    commands
      .add(`${name} <meetingId|tagId> <user>`, description)
      .run(async ({ shares }, id, user, options) => {
        const share = await shares[name].mutate({ id, user });
        printDone(options, share, `${id} ${end} ${share.with}.`);
      });
  }
}
