import { Email, Name } from "@minutes/contract";
import {
  changeMembership,
  createSession,
  createSignInToken,
  createUser,
  endAllSessions,
  findUser,
  findWorkspace,
  joinWorkspace,
  listCreatedCredentials,
  listMembers,
  listUsers,
  removeUser,
  setEmail,
  toSignInUrl,
} from "@minutes/core";
import { schema } from "@minutes/db";
import { z } from "zod";
import type { OperatorCommand } from "./cli/command.js";
import { confirm, print, printDone, printTable } from "./cli/output.js";
import { chooseRole, createRevokeOption, createRoleOption, describeCredentials } from "./membership.js";
import { operatorProcedure, sampleProcedure, UserRef, userProcedure } from "./operator/procedures.js";

const NewUser = z.strictObject({
  email: Email,
  name: Name.optional().describe("Defaults to the part of the address before the @."),
  workspace: z.string().optional().describe("Id or name; defaults to a new workspace of their own."),
  role: z.enum(schema.ROLES).optional(),
});

/** The people whose meetings are stored. */
export const users = {
  add: operatorProcedure.input(NewUser).mutation(({ ctx, input: { email, name, workspace, role } }) =>
    ctx.db.transaction(async (tx) => {
      const joined = workspace === undefined ? null : await findWorkspace(tx, workspace);
      const user = { email, name: name ?? email.split("@")[0] ?? email };
      const { userId } = await createUser(tx, ctx.actor, user);
      if (joined) {
        const joinedRole = await chooseRole(tx, joined.id, userId, role);
        await joinWorkspace(tx, ctx.actor, userId, joined.id, joinedRole);
      }
      return findUser(tx, email);
    }),
  ),
  list: operatorProcedure.input(z.strictObject({})).query(({ ctx }) => listUsers(ctx.db)),
  setEmail: userProcedure
    .input(z.strictObject({ email: Email, to: Email }))
    .mutation(async ({ ctx, input: { to } }) => {
      await setEmail(ctx.db, ctx.actor, ctx.user.userId, to);
      return findUser(ctx.db, to);
    }),
  signIn: userProcedure.input(UserRef).mutation(async ({ ctx }) => {
    const { userId } = ctx.user;
    const { token } = await createSession(ctx.db, userId, "token", "minutes login", ctx.actor);
    const link = toSignInUrl(ctx.publicUrl.get(), await createSignInToken(ctx.db, userId));
    return { userId, token, link };
  }),
  signOut: userProcedure.input(UserRef).mutation(async ({ ctx }) => {
    const { userId } = ctx.user;
    return { userId, ended: await endAllSessions(ctx.db, ctx.actor, userId) };
  }),
  /** Returns the credentials that the user created for their workspace, as `workspaces.removeMember` does. */
  remove: sampleProcedure
    .input(z.strictObject({ email: Email, revokeCredentials: z.boolean().default(false) }))
    .mutation(async ({ ctx: { db, actor }, input: { email, revokeCredentials } }) => {
      const { userId, workspaceId } = await findUser(db, email);
      const others = (await listMembers(db, workspaceId)).length > 1;
      const credentials = others ? await listCreatedCredentials(db, actor, workspaceId, userId) : [];
      await changeMembership(db, actor, { userId, workspaceId, revokeCredentials }, (tx) =>
        removeUser(tx, actor, userId),
      );
      return { userId, credentials };
    }),
};

type Users = { users: typeof users };

/** Adds `minutes users …`. */
export function addUsersCommands(program: OperatorCommand<Users>): void {
  const commands = program.command("users").description("the people whose meetings are stored");

  commands
    .add("add <email>", "add a user")
    .option("--name <name>", "display name; by default the part of the address before the @")
    .option(
      "--workspace <workspace>",
      "id or name of the workspace to join; by default a new one of their own",
    )
    .addOption(createRoleOption())
    .run(async ({ users }, email, { name, workspace, role, ...options }) => {
      const user = await users.add.mutate({ email, name, workspace, role });
      print(options, user, [
        `${user.userId}  ${user.email}  ${user.role} in ${user.workspaceId}, ${user.plan} plan`,
      ]);
    });

  commands
    .add("set-email <email> <new-email>", "change a user's e-mail address")
    .run(async ({ users }, email, to, options) => {
      const user = await users.setEmail.mutate({ email, to });
      print(options, user, [`${user.userId}  ${user.email}`]);
    });

  commands.add("list", "list all users").run(async ({ users }, options) =>
    printTable(options, await users.list.query({}), {
      EMAIL: ({ email }) => email,
      NAME: ({ name }) => name,
      WORKSPACE: ({ workspace }) => workspace,
      ROLE: ({ role }) => role,
      ID: ({ userId }) => userId,
    }),
  );

  commands
    .add("sign-out <email>", "end all sessions of a user immediately")
    .run(async ({ users }, email, options) => {
      const result = await users.signOut.mutate({ email });
      printDone(options, result, `${result.ended} sessions of ${email} ended.`);
    });

  commands
    .add("remove <email>", "erase a user with all their meetings, tags, shares and keys")
    .addOption(createRevokeOption())
    .option("--yes", "don't ask")
    .run(async ({ users }, email, { revokeCredentials, yes, ...options }) => {
      await confirm(`Erase ${email} and all their data?`, yes);
      const removed = await users.remove.mutate({ email, revokeCredentials });
      print(
        options,
        removed,
        [],
        [
          `${email} and all their data were erased.`,
          ...describeCredentials(email, removed.credentials, revokeCredentials),
        ],
      );
    });
}

/** Adds `minutes login <email>`. */
export function addLoginCommands(program: OperatorCommand<Users>): void {
  program
    .add("login <email>", "create a token for the settings API and a one-time link that signs a browser in")
    .run(async ({ users }, email, options) => {
      const session = await users.signIn.mutate({ email });
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
