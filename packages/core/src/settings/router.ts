import { MemberRef, NoInput, RemoveMember, SetRole } from "@minutes/contract";
import { signOutMember } from "../sign-in/index.js";
import { findMember, leaveWorkspace, listMembers, setRole } from "../workspaces/index.js";
import { countLockedSummaries, getUsage, listCreditsByMonth } from "../workspaces/plans/index.js";
import { account, invitations } from "./account.js";
import { changeMembership, listCreatedCredentials } from "./created-credentials.js";
import { settingsProcedure, toSuccess } from "./procedures.js";
import { recordings } from "./recordings.js";
import { revokeWorkspaceCredentials } from "./revoke-workspace.js";

const members = {
  list: settingsProcedure.input(NoInput).query(async ({ ctx }) => ({
    members: await listMembers(ctx.db, ctx.user.workspaceId),
  })),
  setRole: settingsProcedure.input(SetRole).mutation(async ({ ctx, input }) => {
    await findMember(ctx.db, ctx.user.workspaceId, { userId: input.userId });
    const change = { ...input, workspaceId: ctx.user.workspaceId };
    return toSuccess(
      changeMembership(ctx.db, ctx.actor, change, (tx) => setRole(tx, ctx.actor, input.userId, input.role)),
    );
  }),
  /** Credentials that a member created for the workspace and that would remain valid without them. */
  credentials: settingsProcedure.input(MemberRef).query(async ({ ctx, input }) => ({
    credentials: await listCreatedCredentials(ctx.db, ctx.actor, ctx.user.workspaceId, input.userId),
  })),
  remove: settingsProcedure.input(RemoveMember).mutation(async ({ ctx, input }) => {
    await findMember(ctx.db, ctx.user.workspaceId, { userId: input.userId });
    const change = { ...input, workspaceId: ctx.user.workspaceId };
    return toSuccess(
      changeMembership(ctx.db, ctx.actor, change, (tx) => leaveWorkspace(tx, ctx.actor, input.userId)),
    );
  }),
  /** Ends all of a member's sessions. */
  signOut: settingsProcedure
    .input(MemberRef)
    .mutation(({ ctx, input }) =>
      toSuccess(signOutMember(ctx.db, ctx.actor, ctx.user.workspaceId, input.userId)),
    ),
};

const workspace = {
  /**
   * Revokes all keys, sessions, ingest keys and links of the workspace, including the caller's session; for its admins.
   */
  revokeCredentials: settingsProcedure
    .input(NoInput)
    .mutation(({ ctx }) => revokeWorkspaceCredentials(ctx.db, ctx.actor, ctx.user.workspaceId)),
};

const plan = {
  get: settingsProcedure.input(NoInput).query(({ ctx }) => getUsage(ctx.db, ctx.user)),
  /**
   * The caller's credits by month and locked summaries, and the requests of the last hour by minute: with their own
   * keys, and for admins with the workspace's.
   */
  usage: settingsProcedure.input(NoInput).query(async ({ ctx: { db, requests, user } }) => {
    const { userId, workspaceId } = user;
    const scopes = user.role === "admin" ? [`workspace:${workspaceId}`, `ingest:${workspaceId}`] : [];
    const counts = await requests.list([`personal:${userId}`, ...scopes]);
    return {
      creditsByMonth: await listCreditsByMonth(db, userId),
      lockedSummaries: await countLockedSummaries(db, userId),
      requests: counts.map(({ scope, minute, count }) => ({
        keys: scope.split(":")[0] as "personal" | "workspace" | "ingest",
        minute,
        count,
      })),
    };
  }),
};

/** Operations of a signed-in user on their own account and workspace. */
export const settings = {
  account,
  invitations,
  members,
  recordings,
  plan,
  workspace,
};
