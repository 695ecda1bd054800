import type { inferProcedureOutput } from "@trpc/server";
import type { Config } from "../config/config.js";
import { actAs, type OperatorCommand } from "./cli/command.js";
import { UsageError } from "./cli/exit.js";
import { print, printDone, printTable } from "./cli/output.js";
import {
  confirmErasure,
  createEraseHeldOption,
  createRevokeOption,
  createRoleOption,
  describeCredentials,
} from "./membership.js";
import { askServer } from "./operator/ask-server.js";
import type { OperatorProcedures } from "./procedures/router.js";

type Users = Pick<OperatorProcedures, "account" | "users">;

/** Adds `minutes users …`. */
export function addUsersCommands(program: OperatorCommand<Users>): void {
  const commands = program
    .command("users")
    .description("the people whose meetings are stored; <user> is an e-mail address or an ID");

  commands
    .add("create <email>", "create a user")
    .option("--name <name>", "display name; by default the part of the address before the @")
    .option(
      "--workspace <workspace>",
      "id or name of the workspace to join; by default the only one, or one of their own if there is none",
    )
    .option("--own-workspace", "create a new workspace of their own, although others exist")
    .addOption(createRoleOption())
    .run(async ({ users }, email, { name, workspace, ownWorkspace, role, ...options }) => {
      const user = await users.create.mutate({ email, name, workspace, ownWorkspace, role });
      const { link } = await users.createSignInLink.mutate({ user: user.id });
      print(options, { ...user, link }, describeUser(user), [
        `To sign them in, once within 15 minutes: ${link}`,
        ...(await describeUnanswered(program.getConfig(), link)),
        "For another link, use login, or as an admin Members in the console.",
      ]);
    });

  commands.add("list", "list all users").run(async ({ users }, options) =>
    printTable(options, await users.list.query({}), {
      EMAIL: ({ email }) => email,
      NAME: ({ name }) => name,
      WORKSPACE: ({ workspace }) => workspace,
      ROLE: ({ role }) => role,
      ID: ({ id }) => id,
    }),
  );

  commands
    .add("get <user>", "show a user with their workspace, role and plan")
    .run(async ({ users }, who, options) => {
      const user = await users.get.query({ user: who });
      print(options, user, describeUser(user));
    });

  addChanges(commands);
}

function addChanges(commands: OperatorCommand<Users>): void {
  commands
    .add("update <user>", "change a user's display name or e-mail address")
    .option("--name <name>", "display name")
    .option("--email <email>", "e-mail address")
    .run(async ({ users }, who, { name, email, ...options }) => {
      if (name === undefined && email === undefined) throw new UsageError("Give --name or --email.");
      const user = await users.update.mutate({ user: who, name, email });
      print(options, user, describeUser(user), describeFormerAddress(user));
    });

  commands
    .add("sign-out <user>", "end all sessions of a user immediately")
    .run(async ({ account }, user, options) => {
      const result = await account.endAllSessions.mutate({}, actAs({ user }));
      printDone(options, result, `${result.ended} sessions of ${user} ended.`);
    });

  commands
    .add("delete <user>", "erase a user with all their meetings, tags, shares and keys")
    .addOption(createRevokeOption())
    .addOption(createEraseHeldOption())
    .option("--yes", "don't ask")
    .run(async ({ users }, user, { revokeCredentials, yes, eraseHeld, ...options }) => {
      const erased = await users.previewDelete.query({ user });
      await confirmErasure(`Erase ${user} and all their data?`, erased, { yes, eraseHeld });
      const removed = await users.delete.mutate({ user, revokeCredentials, eraseHeld });
      print(
        options,
        removed,
        [],
        [
          `${user} and all their data were erased.`,
          ...describeCredentials(user, removed.credentials, revokeCredentials),
        ],
      );
    });
}

type ChangedUser = inferProcedureOutput<Users["users"]["update"]>;

/** Describes what keeps the former address: nothing stored links it to the user, so the operator must note it. */
function describeFormerAddress({ email, formerAddress: former }: ChangedUser): string[] {
  if (!former || former.meetings === 0) return [];
  const { meetings, tasks } = former;
  const found = `${meetings} ${meetings === 1 ? "meeting" : "meetings"} and ${tasks} ${tasks === 1 ? "task" : "tasks"}`;
  return [
    `${found} keep the address ${former.email}. The tasks no longer count as the user's. To erase this person later, give both addresses.`,
    `Once a meeting has ${email}, "people merge" joins both addresses as one person.`,
  ];
}

const describeUser = (user: ChangedUser): string[] => [
  `${user.id}  ${user.email}  ${user.name}  ${user.role} in ${user.workspaceId}, ${user.plan} plan`,
];

/**
 * Says that a link leads nowhere. With PostgreSQL, commands don't know the address of its servers; the embedded
 * database's next server has the link's.
 */
async function describeUnanswered(config: Config, link: string): Promise<string[]> {
  if (config.DATABASE_URL === undefined || config.PUBLIC_URL !== undefined) return [];
  const { origin } = new URL(link);
  return (await askServer(origin, "/health")) ? [] : [`Set PUBLIC_URL: nothing answers at ${origin}.`];
}

/** Adds `minutes login <user>`. */
export function addLoginCommands(program: OperatorCommand<Users>): void {
  program
    .add("login <user>", "create a token for the settings API and a one-time link that signs a browser in")
    .run(async ({ users }, user, options) => {
      const session = await users.signIn.mutate({ user });
      print(
        options,
        session,
        [session.token],
        [
          `Send it as Authorization: Bearer <token> to ${new URL(session.link).origin}/settings/v1. It is valid for one hour.`,
          `To sign a browser in, once within 15 minutes: ${session.link}`,
          ...(await describeUnanswered(program.getConfig(), session.link)),
        ],
      );
    });
}
