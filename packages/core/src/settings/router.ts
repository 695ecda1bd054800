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
import { settingsRoutes, signedIn } from "../trpc/index.js";
import { addTerm, removeTerm, vocabularyOf } from "../vocabulary/index.js";
import { colleague, leaveWorkspace, listMembers, setRole } from "../workspaces/index.js";
import { actor, done } from "./actor.js";
import { webhooks } from "./webhooks.js";

const createKey = { personal: createPersonalKey, workspace: createWorkspaceKey, ingest: createIngestKey };

const members = {
  list: signedIn.input(NoInput).query(async ({ ctx }) => ({
    members: await listMembers(ctx.db, ctx.user.workspaceId),
  })),
  setRole: signedIn.input(SettingsInput.memberRole).mutation(async ({ ctx, input }) => {
    await colleague(ctx.db, ctx.user.workspaceId, { userId: input.userId });
    await setRole(ctx.db, actor(ctx), input.userId, input.role);
    return done;
  }),
  remove: signedIn.input(SettingsInput.user).mutation(async ({ ctx, input }) => {
    await colleague(ctx.db, ctx.user.workspaceId, input);
    await leaveWorkspace(ctx.db, actor(ctx), input.userId);
    return done;
  }),
};

const shares = {
  /** With whom the caller shares a meeting. */
  list: signedIn.input(SettingsInput.meeting).query(async ({ ctx, input }) => ({
    shares: await listMeetingShares(ctx.db, actor(ctx), input.meetingId),
  })),
};

const meetings = {
  share: signedIn.input(SettingsInput.meetingShare).mutation(async ({ ctx, input }) => {
    const { userId } = await colleague(ctx.db, ctx.user.workspaceId, input);
    await shareMeeting(ctx.db, actor(ctx), input.meetingId, userId);
    return done;
  }),
  unshare: signedIn.input(SettingsInput.meetingShare).mutation(async ({ ctx, input }) => {
    const { userId } = await colleague(ctx.db, ctx.user.workspaceId, input);
    await unshareMeeting(ctx.db, actor(ctx), input.meetingId, userId);
    return done;
  }),
  tag: signedIn.input(SettingsInput.meetingTag).mutation(async ({ ctx, input }) => {
    await tagMeeting(ctx.db, actor(ctx), input.meetingId, input.name);
    return done;
  }),
  untag: signedIn.input(SettingsInput.meetingUntag).mutation(async ({ ctx, input }) => {
    await untagMeeting(ctx.db, actor(ctx), input.meetingId, input.tagId);
    return done;
  }),
};

const tags = {
  list: signedIn.input(NoInput).query(async ({ ctx }) => ({
    tags: await listOwnTags(ctx.db, ctx.user.userId),
  })),
  share: signedIn.input(SettingsInput.tagShare).mutation(async ({ ctx, input }) => {
    const { userId } = await colleague(ctx.db, ctx.user.workspaceId, input);
    await shareTag(ctx.db, actor(ctx), input.tagId, userId);
    return done;
  }),
  unshare: signedIn.input(SettingsInput.tagShare).mutation(async ({ ctx, input }) => {
    const { userId } = await colleague(ctx.db, ctx.user.workspaceId, input);
    await unshareTag(ctx.db, actor(ctx), input.tagId, userId);
    return done;
  }),
  delete: signedIn.input(SettingsInput.tag).mutation(async ({ ctx, input }) => {
    await deleteTag(ctx.db, actor(ctx), input.tagId);
    return done;
  }),
};

const vocabulary = {
  list: signedIn.input(NoInput).query(({ ctx }) => vocabularyOf(ctx.db, ctx.user)),
  add: signedIn.input(SettingsInput.term).mutation(async ({ ctx, input }) => {
    await addTerm(ctx.db, actor(ctx), ctx.user.userId, input.list, input.term);
    return done;
  }),
  remove: signedIn.input(SettingsInput.term).mutation(async ({ ctx, input }) => {
    await removeTerm(ctx.db, actor(ctx), ctx.user.userId, input.list, input.term);
    return done;
  }),
};

const plan = {
  get: signedIn.input(NoInput).query(({ ctx }) => usageOf(ctx.db, ctx.user)),
};

const keys = {
  list: signedIn.input(NoInput).query(async ({ ctx }) => ({
    personal: await listKeys(ctx.db, { userId: ctx.user.userId }),
  })),
  listWorkspace: signedIn.input(NoInput).query(async ({ ctx }) => ({
    workspace: await listWorkspaceKeys(ctx.db, actor(ctx), ctx.user.workspaceId),
    ingest: await listIngestKeys(ctx.db, actor(ctx), ctx.user.workspaceId),
  })),
  create: signedIn
    .input(SettingsInput.newKey)
    .mutation(({ ctx, input }) => createKey[input.kind](ctx.db, ctx.user.userId, input.name)),
  regenerate: signedIn
    .input(SettingsInput.key)
    .mutation(({ ctx, input }) => regenerateKey(ctx.db, actor(ctx), input.keyId)),
  disable: signedIn.input(SettingsInput.key).mutation(async ({ ctx, input }) => {
    await disableKey(ctx.db, actor(ctx), input.keyId);
    return done;
  }),
  enable: signedIn.input(SettingsInput.key).mutation(async ({ ctx, input }) => {
    await enableKey(ctx.db, actor(ctx), input.keyId);
    return done;
  }),
  revoke: signedIn.input(SettingsInput.key).mutation(async ({ ctx, input }) => {
    await revokeKey(ctx.db, actor(ctx), input.keyId);
    return done;
  }),
  revokeIngest: signedIn.input(SettingsInput.key).mutation(async ({ ctx, input }) => {
    await revokeIngestKey(ctx.db, actor(ctx), input.keyId);
    return done;
  }),
};

/** The owner's side, `/settings/v1/*`: what the command line does for the operator, by a signed-in user for himself. */
export const settingsRouter = settingsRoutes({
  members,
  meetings,
  shares,
  tags,
  vocabulary,
  plan,
  keys,
  webhooks,
});
