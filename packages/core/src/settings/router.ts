import { NoInput, SettingsInput } from "@minutes/contract";
import {
  createIngestKey,
  createPersonalKey,
  createWorkspaceKey,
  disableKey,
  enableKey,
  listIngestKeys,
  listKeys,
  listWorkspaceKeys,
  regenerateKey,
  revokeIngestKey,
  revokeKey,
} from "../keys/index.js";
import { listMeetingShares, shareMeeting, unshareMeeting } from "../meetings/index.js";
import { usageOf } from "../plans/index.js";
import { deleteTag, listOwnTags, shareTag, tagMeeting, unshareTag, untagMeeting } from "../tags/index.js";
import { addTerm, removeTerm, vocabularyOf } from "../vocabulary/index.js";
import { colleague, leaveWorkspace, listMembers, setRole } from "../workspaces/index.js";
import { createSettingsRouter, SUCCESS, settingsProcedure, toActor } from "./procedures.js";
import { webhooks } from "./webhooks.js";

const createKey = { personal: createPersonalKey, workspace: createWorkspaceKey, ingest: createIngestKey };

const members = {
  list: settingsProcedure.input(NoInput).query(async ({ ctx }) => ({
    members: await listMembers(ctx.db, ctx.user.workspaceId),
  })),
  setRole: settingsProcedure.input(SettingsInput.memberRole).mutation(async ({ ctx, input }) => {
    await colleague(ctx.db, ctx.user.workspaceId, { userId: input.userId });
    await setRole(ctx.db, toActor(ctx), input.userId, input.role);
    return SUCCESS;
  }),
  remove: settingsProcedure.input(SettingsInput.user).mutation(async ({ ctx, input }) => {
    await colleague(ctx.db, ctx.user.workspaceId, input);
    await leaveWorkspace(ctx.db, toActor(ctx), input.userId);
    return SUCCESS;
  }),
};

const shares = {
  /** With whom the caller shares a meeting. */
  list: settingsProcedure.input(SettingsInput.meeting).query(async ({ ctx, input }) => ({
    shares: await listMeetingShares(ctx.db, toActor(ctx), input.meetingId),
  })),
};

const meetings = {
  share: settingsProcedure.input(SettingsInput.meetingShare).mutation(async ({ ctx, input }) => {
    const { userId } = await colleague(ctx.db, ctx.user.workspaceId, input);
    await shareMeeting(ctx.db, toActor(ctx), input.meetingId, userId);
    return SUCCESS;
  }),
  unshare: settingsProcedure.input(SettingsInput.meetingShare).mutation(async ({ ctx, input }) => {
    const { userId } = await colleague(ctx.db, ctx.user.workspaceId, input);
    await unshareMeeting(ctx.db, toActor(ctx), input.meetingId, userId);
    return SUCCESS;
  }),
  tag: settingsProcedure.input(SettingsInput.meetingTag).mutation(async ({ ctx, input }) => {
    await tagMeeting(ctx.db, toActor(ctx), input.meetingId, input.name);
    return SUCCESS;
  }),
  untag: settingsProcedure.input(SettingsInput.meetingUntag).mutation(async ({ ctx, input }) => {
    await untagMeeting(ctx.db, toActor(ctx), input.meetingId, input.tagId);
    return SUCCESS;
  }),
};

const tags = {
  list: settingsProcedure.input(NoInput).query(async ({ ctx }) => ({
    tags: await listOwnTags(ctx.db, ctx.user.userId),
  })),
  share: settingsProcedure.input(SettingsInput.tagShare).mutation(async ({ ctx, input }) => {
    const { userId } = await colleague(ctx.db, ctx.user.workspaceId, input);
    await shareTag(ctx.db, toActor(ctx), input.tagId, userId);
    return SUCCESS;
  }),
  unshare: settingsProcedure.input(SettingsInput.tagShare).mutation(async ({ ctx, input }) => {
    const { userId } = await colleague(ctx.db, ctx.user.workspaceId, input);
    await unshareTag(ctx.db, toActor(ctx), input.tagId, userId);
    return SUCCESS;
  }),
  delete: settingsProcedure.input(SettingsInput.tag).mutation(async ({ ctx, input }) => {
    await deleteTag(ctx.db, toActor(ctx), input.tagId);
    return SUCCESS;
  }),
};

const vocabulary = {
  list: settingsProcedure.input(NoInput).query(({ ctx }) => vocabularyOf(ctx.db, ctx.user)),
  add: settingsProcedure.input(SettingsInput.term).mutation(async ({ ctx, input }) => {
    await addTerm(ctx.db, toActor(ctx), ctx.user.userId, input.list, input.term);
    return SUCCESS;
  }),
  remove: settingsProcedure.input(SettingsInput.term).mutation(async ({ ctx, input }) => {
    await removeTerm(ctx.db, toActor(ctx), ctx.user.userId, input.list, input.term);
    return SUCCESS;
  }),
};

const plan = {
  get: settingsProcedure.input(NoInput).query(({ ctx }) => usageOf(ctx.db, ctx.user)),
};

const keys = {
  list: settingsProcedure.input(NoInput).query(async ({ ctx }) => ({
    personal: await listKeys(ctx.db, { userId: ctx.user.userId }),
  })),
  listWorkspace: settingsProcedure.input(NoInput).query(async ({ ctx }) => ({
    workspace: await listWorkspaceKeys(ctx.db, toActor(ctx), ctx.user.workspaceId),
    ingest: await listIngestKeys(ctx.db, toActor(ctx), ctx.user.workspaceId),
  })),
  create: settingsProcedure
    .input(SettingsInput.newKey)
    .mutation(({ ctx, input }) => createKey[input.kind](ctx.db, ctx.user.userId, input.name)),
  regenerate: settingsProcedure
    .input(SettingsInput.key)
    .mutation(({ ctx, input }) => regenerateKey(ctx.db, toActor(ctx), input.keyId)),
  disable: settingsProcedure.input(SettingsInput.key).mutation(async ({ ctx, input }) => {
    await disableKey(ctx.db, toActor(ctx), input.keyId);
    return SUCCESS;
  }),
  enable: settingsProcedure.input(SettingsInput.key).mutation(async ({ ctx, input }) => {
    await enableKey(ctx.db, toActor(ctx), input.keyId);
    return SUCCESS;
  }),
  revoke: settingsProcedure.input(SettingsInput.key).mutation(async ({ ctx, input }) => {
    await revokeKey(ctx.db, toActor(ctx), input.keyId);
    return SUCCESS;
  }),
  revokeIngest: settingsProcedure.input(SettingsInput.key).mutation(async ({ ctx, input }) => {
    await revokeIngestKey(ctx.db, toActor(ctx), input.keyId);
    return SUCCESS;
  }),
};

/** The owner's side, `/settings/v1/*`: what the command line does for the operator, by a signed-in user for himself. */
export const settingsRouter = createSettingsRouter({
  members,
  meetings,
  shares,
  tags,
  vocabulary,
  plan,
  keys,
  webhooks,
});
