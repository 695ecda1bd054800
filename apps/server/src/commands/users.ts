import { Email, Name } from "@minutes/contract";
import {
  changeMembership,
  createSession,
  createSignInToken,
  createUser,
  endAllSessions,
  findUser,
  findUserByEmailOrId,
  findWorkspace,
  joinWorkspace,
  listCreatedCredentials,
  listMembers,
  listUsers,
  removeUser,
  setEmail,
  setName,
  toSignInUrl,
} from "@minutes/core";
import { schema } from "@minutes/db";
import type { inferProcedureOutput } from "@trpc/server";
import { z } from "zod";
import type { OperatorCommand } from "./cli/command.js";
import { confirm, print, printDone, printTable } from "./cli/output.js";
import {
  chooseRole,
  createRevokeOption,
  createRoleOption,
  describeCredentials,
  toUser,
} from "./membership.js";
import { operatorProcedure, sampleProcedure, UserRef, userProcedure } from "./operator/procedures.js";

const NewUser = z.strictObject({
  email: Email,
  name: Name.optional().describe("Defaults to the part of the address before the @."),
  workspace: z.string().optional().describe("Id or name; defaults to a new workspace of their own."),
  role: z.enum(schema.ROLES).optional(),
});

/** The people whose meetings are stored. */
export const users = {
  create: operatorProcedure.input(NewUser).mutation(({ ctx, input: { email, name, workspace, role } }) =>
    ctx.db.transaction(async (tx) => {
      const joined = workspace === undefined ? null : await findWorkspace(tx, workspace);
      const user = { email, name: name ?? email.split("@")[0] ?? email };
      const { userId } = await createUser(tx, ctx.actor, user);
      if (joined) {
        const joinedRole = await chooseRole(tx, joined.id, userId, role);
        await joinWorkspace(tx, ctx.actor, userId, joined.id, joinedRole);
      }
      return toUser(await findUser(tx, email));
    }),
  ),
  list: operatorProcedure
    .input(z.strictObject({}))
    .query(async ({ ctx }) => (await listUsers(ctx.db)).map(toUser)),
  show: userProcedure.input(UserRef).query(({ ctx }) => toUser(ctx.user)),
  rename: userProcedure
    .input(z.strictObject({ user: z.string(), name: Name }))
    .mutation(async ({ ctx, input: { name } }) => {
      await setName(ctx.db, ctx.actor, ctx.user.userId, name);
      return toUser({ ...ctx.user, name });
    }),
  setEmail: userProcedure
    .input(z.strictObject({ user: z.string(), to: Email }))
    .mutation(async ({ ctx, input: { to } }) => {
      await setEmail(ctx.db, ctx.actor, ctx.user.userId, to);
      return toUser(await findUser(ctx.db, to));
    }),
  signIn: userProcedure.input(UserRef).mutation(async ({ ctx }) => {
    const { userId } = ctx.user;
    const { token } = await createSession(ctx.db, userId, "token", "minutes login", ctx.actor);
    const link = toSignInUrl(ctx.publicUrl.get(), await createSignInToken(ctx.db, userId));
    return { id: userId, token, link };
  }),
  signOut: userProcedure.input(UserRef).mutation(async ({ ctx }) => {
    const { userId } = ctx.user;
    return { id: userId, ended: await endAllSessions(ctx.db, ctx.actor, userId) };
  }),
  /** Returns the credentials that the user created for their workspace, as `workspaces.removeMember` does. */
  delete: sampleProcedure
    .input(z.strictObject({ user: z.string(), revokeCredentials: z.boolean().default(false) }))
    .mutation(async ({ ctx: { db, actor }, input: { user, revokeCredentials } }) => {
      const { userId, workspaceId } = await findUserByEmailOrId(db, user);
      const others = (await listMembers(db, workspaceId)).length > 1;
      const credentials = others ? await listCreatedCredentials(db, actor, workspaceId, userId) : [];
      await changeMembership(db, actor, { userId, workspaceId, revokeCredentials }, (tx) =>
        removeUser(tx, actor, userId),
      );
      return { id: userId, credentials };
    }),
};

type Users = { users: typeof users };

/** Adds `minutes users …`. */
export function addUsersCommands(program: OperatorCommand<Users>): void {
  const commands = program
    .command("users")
    .description("the people whose meetings are stored; <user> is an e-mail address or an id");

  commands
    .add("create <email>", "create a user")
    .option("--name <name>", "display name; by default the part of the address before the @")
    .option(
      "--workspace <workspace>",
      "id or name of the workspace to join; by default a new one of their own",
    )
    .addOption(createRoleOption())
    .run(async ({ users }, email, { name, workspace, role, ...options }) => {
      const user = await users.create.mutate({ email, name, workspace, role });
      print(options, user, describeUser(user));
    });

  commands
    .add("set-email <user> <new-email>", "change a user's e-mail address")
    .run(async ({ users }, who, to, options) => {
      const user = await users.setEmail.mutate({ user: who, to });
      print(options, user, describeUser(user));
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
    .add("show <user>", "show a user with their workspace, role and plan")
    .run(async ({ users }, who, options) => {
      const user = await users.show.query({ user: who });
      print(options, user, describeUser(user));
    });

  commands
    .add("rename <user> <name>", "change a user's display name")
    .run(async ({ users }, who, name, options) => {
      const user = await users.rename.mutate({ user: who, name });
      print(options, user, describeUser(user));
    });

  commands
    .add("sign-out <user>", "end all sessions of a user immediately")
    .run(async ({ users }, user, options) => {
      const result = await users.signOut.mutate({ user });
      printDone(options, result, `${result.ended} sessions of ${user} ended.`);
    });

  commands
    .add("delete <user>", "erase a user with all their meetings, tags, shares and keys")
    .addOption(createRevokeOption())
    .option("--yes", "don't ask")
    .run(async ({ users }, user, { revokeCredentials, yes, ...options }) => {
      await confirm(`Erase ${user} and all their data?`, yes);
      const removed = await users.delete.mutate({ user, revokeCredentials });
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

const describeUser = (user: inferProcedureOutput<typeof users.show>): string[] => [
  `${user.id}  ${user.email}  ${user.name}  ${user.role} in ${user.workspaceId}, ${user.plan} plan`,
];

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
        ],
      );
    });
}
