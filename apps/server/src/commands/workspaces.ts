import { PLANS } from "@minutes/contract";
import type { inferProcedureOutput } from "@trpc/server";
import { Option } from "commander";
import { actAs, type Operator, type OperatorCommand } from "./cli/command.js";
import { UsageError } from "./cli/exit.js";
import { type CommonOptions, confirm, print, printDone, printTable } from "./cli/output.js";
import {
  confirmErasure,
  createEraseHeldOption,
  createRevokeOption,
  createRoleOption,
  describeCredentials,
  describeHeld,
} from "./membership.js";
import type { OperatorProcedures } from "./procedures/router.js";

type Workspaces = Pick<OperatorProcedures, "members" | "users" | "workspaces">;

/** Adds `minutes workspaces …`. */
export function addWorkspacesCommands(program: OperatorCommand<Workspaces>): void {
  const commands = program
    .command("workspaces")
    .description(
      "workspaces, their plans and members; <workspace> is an ID or a name, <user> an e-mail address or an ID",
    );

  commands
    .add("create <name>", "create a workspace")
    .addOption(new Option("--plan <plan>", "its plan").choices(PLANS).default("free"))
    .run(async ({ workspaces }, name, { plan, ...options }) => {
      const added = await workspaces.create.mutate({ name, plan });
      print(options, added, describeWorkspace(added));
    });

  commands.add("list", "list the workspaces").run(async ({ workspaces }, options) =>
    printTable(options, await workspaces.list.query({}), {
      NAME: ({ name }) => name,
      PLAN: ({ plan }) => plan,
      MEMBERS: ({ members }) => members,
      ID: ({ id }) => id,
    }),
  );

  commands.add("get <workspace>", "show a workspace").run(async ({ workspaces }, workspace, options) => {
    const found = await workspaces.get.query({ workspace });
    print(options, found, describeWorkspace(found));
  });

  commands
    .add("update <workspace>", "change a workspace's name, or its plan and so that of its members")
    .option("--name <name>", "display name")
    .addOption(new Option("--plan <plan>", "its plan").choices(PLANS))
    .run(async ({ workspaces }, workspace, { name, plan, ...options }) => {
      if (name === undefined && plan === undefined) throw new UsageError("Give --name or --plan.");
      const changed = await workspaces.update.mutate({ workspace, name, plan });
      print(options, changed, describeWorkspace(changed));
    });

  addRemoval(commands);
  addMembers(commands);
}

function addRemoval(commands: OperatorCommand<Workspaces>): void {
  commands
    .add("delete <workspace>", "delete a workspace that has no members, with its keys")
    .option("--erase-members", "also erase its members and all their data")
    .addOption(createEraseHeldOption())
    .option("--yes", "don't ask")
    .run(async ({ workspaces }, workspace, { eraseMembers = false, eraseHeld, yes, ...options }) => {
      if (eraseMembers) {
        const erased = await workspaces.previewDelete.query({ workspace });
        const members = erased.users === 1 ? "its member" : `its ${erased.users} members`;
        const question = `Delete the workspace ${workspace} and ${members} with all their data?`;
        await confirmErasure(question, erased, { yes, eraseHeld });
      } else await confirm(`Delete the workspace ${workspace}?`, yes);
      const removed = await workspaces.delete.mutate({ workspace, eraseMembers, eraseHeld });
      printDone(options, removed, `The workspace was deleted, and ${removed.erasedUsers} users were erased.`);
    });

  commands
    .add(
      "revoke-credentials <workspace>",
      "revoke all keys, sessions, ingest keys, links, invitations and connected apps of a workspace, after a leak",
    )
    .option("--yes", "don't ask")
    .run(async ({ workspaces }, workspace, { yes, ...options }) => {
      await confirm(`Revoke all keys and sign everyone out of the workspace ${workspace}?`, yes);
      const revoked = await workspaces.revokeCredentials.mutate({}, actAs({ workspace }));
      print(options, revoked, [
        `Revoked: ${revoked.keys} API keys, ${revoked.ingestKeys} ingest keys, ${revoked.sessions} sessions, ${revoked.links} links, ${revoked.apps} connected apps, ${revoked.publicLinks} public links.`,
      ]);
    });
}

function addMembers(commands: OperatorCommand<Workspaces>): void {
  commands
    .add("members <workspace>", "list the members of a workspace")
    .run(async ({ members }, workspace, options) => {
      const list = (await members.list.query({}, actAs({ workspace }))).members;
      const rows = list.map(({ userId, ...member }) => ({ id: userId, ...member }));
      printTable(options, rows, {
        EMAIL: ({ email }) => email,
        NAME: ({ name }) => name,
        ROLE: ({ role }) => role,
        "LAST ACTIVE": ({ lastActiveAt }) => lastActiveAt ?? null,
        ID: ({ id }) => id,
      });
    });

  commands
    .add("add-member <workspace> <user>", "move a user into a workspace, or change their role")
    .addOption(createRoleOption())
    .addOption(createRevokeOption())
    .option("--yes", "don't ask before they leave a workspace with other members")
    .run(async (operator, workspace, user, { role, revokeCredentials, yes, ...options }) => {
      if (!yes) await confirmMove(operator, workspace, user);
      const { workspaces } = operator;
      const moved = await workspaces.addMember.mutate({ workspace, user, role, revokeCredentials });
      printMember(options, moved, revokeCredentials);
    });

  commands
    .add("remove-member <workspace> <user>", "return a member with their meetings to their own workspace")
    .addOption(createRevokeOption())
    .option("--yes", "don't ask")
    .run(async ({ members, workspaces }, workspace, user, { revokeCredentials, yes, ...options }) => {
      if (!yes)
        await confirmLeaving(members, workspace, user, `Remove ${user} from the workspace ${workspace}?`);
      const moved = await workspaces.removeMember.mutate({ workspace, user, revokeCredentials });
      printMember(options, moved, revokeCredentials);
    });
}

/** Asks before a user moves, if their current workspace has other members. */
async function confirmMove(
  { members, users, workspaces }: Operator<Workspaces>,
  workspace: string,
  user: string,
): Promise<void> {
  const { workspaceId } = await users.get.query({ user });
  const [left, joined] = [
    await workspaces.get.query({ workspace: workspaceId }),
    await workspaces.get.query({ workspace }),
  ];
  if (left.id === joined.id || left.members === 1) return;
  await confirmLeaving(members, left.id, user, `Move ${user} from ${left.name} to ${joined.name}?`);
}

/** Asks before a member leaves, and says what leaves with them. Of somebody who has left, nothing does. */
async function confirmLeaving(
  members: Operator<Workspaces>["members"],
  workspace: string,
  user: string,
  question: string,
): Promise<void> {
  const as = actAs({ workspace });
  const list = (await members.list.query({}, as)).members;
  const member = list.find(({ userId, email }) => userId === user || email === user.toLowerCase());
  if (!member) return;
  const { meetings, held } = await members.previewRemoval.query({ userId: member.userId }, as);
  const leaving =
    meetings === 1
      ? `1 meeting${describeHeld(held)} leaves`
      : `${meetings} meetings${describeHeld(held)} leave`;
  await confirm(
    question,
    false,
    `${leaving} the workspace with them (minutes export --user ${user} keeps a copy)`,
  );
}

const describeWorkspace = ({ id, name, plan }: { id: string; name: string; plan: string }): string[] => [
  `${id}  ${name}  ${plan} plan`,
];

type Moved = inferProcedureOutput<OperatorProcedures["workspaces"]["addMember"]>;

/** Prints a member's new workspace and the credentials that they created for the old one. */
const printMember = (options: CommonOptions, user: Moved, revoked: boolean | undefined): void =>
  print(
    options,
    user,
    [`${user.email}  ${user.role} in ${user.workspaceId}`],
    [
      ...describeCredentials(user.email, user.credentials, revoked),
      ...(user.heldMeetings === 0
        ? []
        : [`Meetings on hold that left the workspace with them: ${user.heldMeetings}.`]),
    ],
  );
