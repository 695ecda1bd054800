import type { Command } from "commander";
import { createRevokeOption, noteCredentials } from "./credentials.js";
import { confirm, formatTable, print, printDone } from "./output.js";
import { addCommand, createRoleOption, withOperator } from "./run.js";

/** Adds `minutes users …`. */
export function addUsersCommands(program: Command): void {
  const users = program.command("users").description("the people whose meetings are stored");

  addCommand(users, "add <email>", "add a user")
    .option("--name <name>", "display name; the part of the address before the @ when absent")
    .option(
      "--workspace <workspace>",
      "id or name of the workspace to join; a new one of their own when absent",
    )
    .addOption(createRoleOption())
    .action(async (email, { name, workspace, role, ...options }) => {
      const user = await withOperator(({ users }) => users.add.mutate({ email, name, workspace, role }));
      print(options, user, [
        `${user.userId}  ${user.email}  ${user.role} in ${user.workspaceId}, ${user.plan} plan`,
      ]);
    });

  addCommand(users, "set-email <email> <new-email>", "change a user's e-mail address").action(
    async (email, to, options) => {
      const user = await withOperator(({ users }) => users.setEmail.mutate({ email, to }));
      print(options, user, [`${user.userId}  ${user.email}`]);
    },
  );

  addCommand(users, "list", "list all users").action(async (options) => {
    const list = await withOperator(({ users }) => users.list.query({}));
    print(
      options,
      list,
      formatTable(list, {
        EMAIL: ({ email }) => email,
        NAME: ({ name }) => name,
        WORKSPACE: ({ workspace }) => workspace,
        ROLE: ({ role }) => role,
        ID: ({ userId }) => userId,
      }),
    );
  });

  addCommand(users, "sign-out <email>", "end all sessions of a user at once").action(
    async (email, options) => {
      const result = await withOperator(({ users }) => users.signOut.mutate({ email }));
      printDone(options, result, `${result.ended} sessions of ${email} ended.`);
    },
  );

  addCommand(users, "remove <email>", "erase a user with all their meetings, tags, shares and keys")
    .addOption(createRevokeOption())
    .option("--yes", "don't ask")
    .action(async (email, { revokeCredentials, yes, ...options }) => {
      await confirm(`Erase ${email} and everything that is theirs?`, yes);
      const removed = await withOperator(({ users }) => users.remove.mutate({ email, revokeCredentials }));
      printDone(options, removed, `${email} and everything that was theirs is erased.`);
      if (!options.json) noteCredentials(email, removed.credentials, revokeCredentials);
    });
}
