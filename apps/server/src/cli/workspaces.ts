import { PLANS } from "@minutes/contract";
import { Argument, type Command, Option } from "commander";
import { createRevokeOption, noteCredentials } from "./credentials.js";
import { confirm, formatTable, print, printDone } from "./output.js";
import { addCommand, createRoleOption, withOperator } from "./run.js";

/** Adds `minutes workspaces …`. */
export function addWorkspacesCommands(program: Command): void {
  const workspaces = program
    .command("workspaces")
    .description("workspaces, their plans and members; <workspace> is an id or a name");

  addCommand(workspaces, "add <name>", "add a workspace")
    .addOption(new Option("--plan <plan>", "its plan").choices(PLANS).default("free"))
    .action(async (name, { plan, ...options }) => {
      const added = await withOperator(({ workspaces }) => workspaces.add.mutate({ name, plan }));
      print(options, added, [`${added.id}  ${added.name}  ${added.plan} plan`]);
    });

  addCommand(workspaces, "list", "list the workspaces").action(async (options) => {
    const list = await withOperator(({ workspaces }) => workspaces.list.query({}));
    print(
      options,
      list,
      formatTable(list, {
        NAME: ({ name }) => name,
        PLAN: ({ plan }) => plan,
        MEMBERS: ({ members }) => members,
        ID: ({ id }) => id,
      }),
    );
  });

  addCommand(workspaces, "plan <workspace>", "change the plan of a workspace and its members")
    .addArgument(new Argument("<plan>", "the plan").choices(PLANS))
    .action(async (workspace, plan, options) => {
      const changed = await withOperator(({ workspaces }) => workspaces.plan.mutate({ workspace, plan }));
      print(options, changed, [`${changed.id}  ${changed.name}  ${changed.plan} plan`]);
    });

  addCommand(workspaces, "remove <workspace>", "remove a workspace that has no members, with its keys")
    .option("--erase-members", "erase its members and everything that is theirs with it")
    .option("--yes", "don't ask")
    .action(async (workspace, { eraseMembers = false, yes, ...options }) => {
      const all = eraseMembers ? " and its members with everything that is theirs" : "";
      await confirm(`Remove the workspace ${workspace}${all}?`, yes);
      const removed = await withOperator(({ workspaces }) =>
        workspaces.remove.mutate({ workspace, eraseMembers }),
      );
      printDone(options, removed, `The workspace is removed, and ${removed.erasedUsers} users are erased.`);
    });

  addMembers(workspaces);
}

function addMembers(workspaces: Command): void {
  addCommand(workspaces, "members <workspace>", "list the members of a workspace").action(
    async (workspace, options) => {
      const list = await withOperator(({ workspaces }) => workspaces.members.query({ workspace }));
      print(
        options,
        list,
        formatTable(list, {
          EMAIL: ({ email }) => email,
          NAME: ({ name }) => name,
          ROLE: ({ role }) => role,
          ID: ({ userId }) => userId,
        }),
      );
    },
  );

  addCommand(
    workspaces,
    "add-member <workspace> <email>",
    "move a user into a workspace, or change their role",
  )
    .addOption(createRoleOption())
    .addOption(createRevokeOption())
    .action(async (workspace, email, { role, revokeCredentials, ...options }) => {
      const member = { workspace, email, role, revokeCredentials };
      const user = await withOperator(({ workspaces }) => workspaces.addMember.mutate(member));
      print(options, user, [`${user.email}  ${user.role} in ${user.workspaceId}`]);
      if (!options.json) noteCredentials(email, user.credentials, revokeCredentials);
    });

  addCommand(workspaces, "remove-member <workspace> <email>", "return a member to a workspace of their own")
    .addOption(createRevokeOption())
    .action(async (workspace, email, { revokeCredentials, ...options }) => {
      const user = await withOperator(({ workspaces }) =>
        workspaces.removeMember.mutate({ workspace, email, revokeCredentials }),
      );
      print(options, user, [`${user.email}  ${user.role} in ${user.workspaceId}`]);
      if (!options.json) noteCredentials(email, user.credentials, revokeCredentials);
    });
}
