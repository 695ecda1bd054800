import { ListWorkspaceAudit, NoInput, SettingsInput } from "@minutes/contract";
import { listAudit } from "../audit-log/index.js";
import { changeMembership, listCreatedCredentials } from "../credentials/index.js";
import { signOutMember } from "../identity/index.js";
import {
  createIngestKey,
  createPersonalKey,
  createWorkspaceKey,
  listIngestKeys,
  listKeys,
  listWorkspaceKeys,
} from "../keys/index.js";
import { countLockedSummaries, getUsage, listCreditsByMonth } from "../plans/index.js";
import { listUnfinishedRecordings } from "../recordings/index.js";
import { listMeetingShares, shareMeeting, shareTag, unshareMeeting, unshareTag } from "../sharing/index.js";
import { deleteTag, listOwnTags, tagMeeting, untagMeeting } from "../tags/index.js";
import { addTerm, listVocabulary, removeTerm } from "../vocabulary/index.js";
import { findMember, leaveWorkspace, listMembers, requireAdmin, setRole } from "../workspaces/index.js";
import { account, invitations } from "./account.js";
import { managedKeys } from "./managed-keys.js";
import { managedRecordings } from "./managed-recordings.js";
import { createSettingsRouter, settingsProcedure, toSuccess } from "./procedures.js";
import { webhooks } from "./webhooks.js";

const createKey = { personal: createPersonalKey, workspace: createWorkspaceKey };

const members = {
  list: settingsProcedure.input(NoInput).query(async ({ ctx }) => ({
    members: await listMembers(ctx.db, ctx.user.workspaceId),
  })),
  setRole: settingsProcedure.input(SettingsInput.memberRole).mutation(async ({ ctx, input }) => {
    await findMember(ctx.db, ctx.user.workspaceId, { userId: input.userId });
    const change = { ...input, workspaceId: ctx.user.workspaceId };
    return toSuccess(
      changeMembership(ctx.db, ctx.actor, change, (tx) => setRole(tx, ctx.actor, input.userId, input.role)),
    );
  }),
  /** What a member created for the workspace and what would work on without them. */
  credentials: settingsProcedure.input(SettingsInput.user).query(async ({ ctx, input }) => ({
    credentials: await listCreatedCredentials(ctx.db, ctx.actor, ctx.user.workspaceId, input.userId),
  })),
  remove: settingsProcedure.input(SettingsInput.memberRemoval).mutation(async ({ ctx, input }) => {
    await findMember(ctx.db, ctx.user.workspaceId, { userId: input.userId });
    const change = { ...input, workspaceId: ctx.user.workspaceId };
    return toSuccess(
      changeMembership(ctx.db, ctx.actor, change, (tx) => leaveWorkspace(tx, ctx.actor, input.userId)),
    );
  }),
  /** Ends all of a member's sessions. */
  signOut: settingsProcedure
    .input(SettingsInput.user)
    .mutation(({ ctx, input }) =>
      toSuccess(signOutMember(ctx.db, ctx.actor, ctx.user.workspaceId, input.userId)),
    ),
};

const shares = {
  /** With whom the caller shares a meeting. */
  list: settingsProcedure.input(SettingsInput.meeting).query(async ({ ctx, input }) => ({
    shares: await listMeetingShares(ctx.db, ctx.actor, input.meetingId),
  })),
};

const meetings = {
  share: settingsProcedure.input(SettingsInput.meetingShare).mutation(async ({ ctx, input }) => {
    const { userId } = await findMember(ctx.db, ctx.user.workspaceId, input);
    return toSuccess(shareMeeting(ctx.db, ctx.actor, input.meetingId, userId));
  }),
  unshare: settingsProcedure.input(SettingsInput.meetingShare).mutation(async ({ ctx, input }) => {
    const { userId } = await findMember(ctx.db, ctx.user.workspaceId, input);
    return toSuccess(unshareMeeting(ctx.db, ctx.actor, input.meetingId, userId));
  }),
  tag: settingsProcedure
    .input(SettingsInput.meetingTag)
    .mutation(({ ctx, input }) => toSuccess(tagMeeting(ctx.db, ctx.actor, input.meetingId, input.name))),
  untag: settingsProcedure
    .input(SettingsInput.meetingUntag)
    .mutation(({ ctx, input }) => toSuccess(untagMeeting(ctx.db, ctx.actor, input.meetingId, input.tagId))),
};

const tags = {
  list: settingsProcedure.input(NoInput).query(async ({ ctx }) => ({
    tags: await listOwnTags(ctx.db, ctx.user.userId),
  })),
  share: settingsProcedure.input(SettingsInput.tagShare).mutation(async ({ ctx, input }) => {
    const { userId } = await findMember(ctx.db, ctx.user.workspaceId, input);
    return toSuccess(shareTag(ctx.db, ctx.actor, input.tagId, userId));
  }),
  unshare: settingsProcedure.input(SettingsInput.tagShare).mutation(async ({ ctx, input }) => {
    const { userId } = await findMember(ctx.db, ctx.user.workspaceId, input);
    return toSuccess(unshareTag(ctx.db, ctx.actor, input.tagId, userId));
  }),
  delete: settingsProcedure
    .input(SettingsInput.tag)
    .mutation(({ ctx, input }) => toSuccess(deleteTag(ctx.db, ctx.actor, input.tagId))),
};

const recordings = {
  ...managedRecordings,
  /** The caller's recordings that are not completed. */
  list: settingsProcedure.input(NoInput).query(async ({ ctx }) => ({
    recordings: await listUnfinishedRecordings(ctx.db, ctx.actor, { userId: ctx.user.userId }),
  })),
  /** Those of all members of the workspace, for its admins. */
  listWorkspace: settingsProcedure.input(NoInput).query(async ({ ctx }) => ({
    recordings: await listUnfinishedRecordings(ctx.db, ctx.actor, { workspaceId: ctx.user.workspaceId }),
  })),
};

const vocabulary = {
  list: settingsProcedure.input(NoInput).query(({ ctx }) => listVocabulary(ctx.db, ctx.user)),
  add: settingsProcedure
    .input(SettingsInput.term)
    .mutation(({ ctx, input }) =>
      toSuccess(addTerm(ctx.db, ctx.actor, ctx.user.userId, input.list, input.term)),
    ),
  remove: settingsProcedure
    .input(SettingsInput.term)
    .mutation(({ ctx, input }) =>
      toSuccess(removeTerm(ctx.db, ctx.actor, ctx.user.userId, input.list, input.term)),
    ),
};

const plan = {
  get: settingsProcedure.input(NoInput).query(({ ctx }) => getUsage(ctx.db, ctx.user)),
  /**
   * The caller's credits by month and locked summaries, and the requests of the last hour by minute: with their own keys,
   * and for admins with the workspace's.
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

const audit = {
  /** Who did what in the workspace, newest first; for its admins. */
  list: settingsProcedure.input(ListWorkspaceAudit).query(async ({ ctx, input }) => {
    const { workspaceId } = ctx.user;
    await requireAdmin(ctx.db, ctx.actor, workspaceId);
    return listAudit(ctx.db, { ...input, shownIn: workspaceId });
  }),
};

const keys = {
  ...managedKeys,
  list: settingsProcedure.input(NoInput).query(async ({ ctx }) => ({
    personal: await listKeys(ctx.db, { userId: ctx.user.userId }),
  })),
  listWorkspace: settingsProcedure.input(NoInput).query(async ({ ctx }) => ({
    workspace: await listWorkspaceKeys(ctx.db, ctx.actor, ctx.user.workspaceId),
    ingest: await listIngestKeys(ctx.db, ctx.actor, ctx.user.workspaceId),
  })),
  create: settingsProcedure
    .input(SettingsInput.newKey)
    .mutation(({ ctx: { db, user }, input }) =>
      input.kind === "ingest"
        ? createIngestKey(db, user.userId, input.name)
        : createKey[input.kind](db, user.userId, input.name, undefined, input),
    ),
};

/** `/settings/v1/*`: what a signed-in user does for themselves, as the operator does by the command line. */
export const settingsRouter = createSettingsRouter({
  account,
  audit,
  invitations,
  members,
  meetings,
  shares,
  recordings,
  tags,
  vocabulary,
  plan,
  keys,
  webhooks,
});
export type SettingsRouter = typeof settingsRouter;
