import type { Command } from "commander";
import { confirm, note, print, table } from "./output.js";
import { addCommand, roleOption, withOperations } from "./run.js";

/** `minutes users …` */
export function addUsers(program: Command): void {
  const users = program.command("users").description("the people whose meetings are stored");

  addCommand(users, "add <email>", "add a user")
    .option("--name <name>", "display name; what stands before the @ when absent")
    .option("--workspace <workspace>", "id or name of the workspace to join; one of his own when absent")
    .addOption(roleOption())
    .action(async (email, { name, workspace, role, ...options }) => {
      const user = await withOperations(({ run }) => run("users.add", { email, name, workspace, role }));
      print(options, user, [
        `${user.userId}  ${user.email}  ${user.role} in ${user.workspaceId}, ${user.plan} plan`,
      ]);
    });

  addCommand(users, "set-email <email> <new-email>", "change a user's e-mail address").action(
    async (email, to, options) => {
      const user = await withOperations(({ run }) => run("users.setEmail", { email, to }));
      print(options, user, [`${user.userId}  ${user.email}`]);
    },
  );

  addCommand(users, "list", "list all users").action(async (options) => {
    const list = await withOperations(({ run }) => run("users.list", {}));
    print(
      options,
      list,
      table(list, {
        EMAIL: ({ email }) => email,
        NAME: ({ name }) => name,
        WORKSPACE: ({ workspace }) => workspace,
        ROLE: ({ role }) => role,
        ID: ({ userId }) => userId,
      }),
    );
  });

  addCommand(users, "remove <email>", "erase a user with his meetings, tags, shares and keys")
    .option("--yes", "don't ask")
    .action(async (email, { yes, ...options }) => {
      await confirm(`Erase ${email} and everything that is his?`, yes);
      const removed = await withOperations(({ run }) => run("users.remove", { email }));
      print(options, removed, []);
      if (!options.json) note(`${email} and everything that was his is erased.`);
    });
}
