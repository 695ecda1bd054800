import { SettingsInput } from "@minutes/contract";
import {
  listMeetingShares,
  listOwnTags,
  shareMeeting,
  shareTag,
  toSuccess,
  unshareMeeting,
  unshareTag,
} from "@minutes/core";
import type { OperatorCommand } from "./cli/command.js";
import { printDone, printTable } from "./cli/output.js";
import { operatorProcedure, UserRef, userProcedure } from "./operator/procedures.js";

const { meeting, meetingShare, tagShare } = SettingsInput;

/** Sharing of one meeting. */
export const meetings = {
  share: userProcedure
    .input(meetingShare)
    .mutation(({ ctx, input }) =>
      toSuccess(shareMeeting(ctx.db, ctx.actor, input.meetingId, ctx.user.userId)),
    ),
  unshare: userProcedure
    .input(meetingShare)
    .mutation(({ ctx, input }) =>
      toSuccess(unshareMeeting(ctx.db, ctx.actor, input.meetingId, ctx.user.userId)),
    ),
};

export const shares = {
  /** Lists members with a direct share of a meeting, excluding shares through tags. */
  list: operatorProcedure
    .input(meeting)
    .query(({ ctx, input }) => listMeetingShares(ctx.db, ctx.actor, input.meetingId)),
};

export const tags = {
  /** A user's own tags. */
  list: userProcedure.input(UserRef).query(({ ctx }) => listOwnTags(ctx.db, ctx.user.userId)),
  share: userProcedure
    .input(tagShare)
    .mutation(({ ctx, input }) => toSuccess(shareTag(ctx.db, ctx.actor, input.tagId, ctx.user.userId))),
  unshare: userProcedure
    .input(tagShare)
    .mutation(({ ctx, input }) => toSuccess(unshareTag(ctx.db, ctx.actor, input.tagId, ctx.user.userId))),
};

type Sharing = { meetings: typeof meetings; shares: typeof shares; tags: typeof tags };

/** Adds `minutes tags …`. */
export function addTagsCommands(program: OperatorCommand<{ tags: typeof tags }>): void {
  const commands = program.command("tags").description("the tags of users' meetings");

  commands
    .add("list <email>", "list a user's tags and the members each is shared with")
    .run(async ({ tags }, email, options) =>
      printTable(options, await tags.list.query({ email }), {
        ID: ({ id }) => id,
        NAME: ({ name }) => name,
        MEETINGS: ({ meetings }) => meetings,
        "SHARED WITH": ({ sharedWith }) => sharedWith.map((reader) => reader.email).join(", ") || null,
      }),
    );
}

/** Adds `minutes share …` and `minutes unshare …`. */
export function addSharesCommands(program: OperatorCommand<Sharing>): void {
  const share = program
    .command("share")
    .description("share a meeting, or all meetings with a tag, with another member of the workspace");
  const unshare = program
    .command("unshare")
    .description("stop sharing a meeting, or a tag and its meetings, with a member");

  for (const [parent, name, end, meetingText, tagText] of [
    [
      share,
      "share",
      "is shared with",
      "share one meeting with a member",
      "share all current and future meetings with a tag with a member",
    ],
    [
      unshare,
      "unshare",
      "is no longer shared with",
      "stop sharing one meeting with a member",
      "stop sharing a tag and its meetings with a member",
    ],
  ] as const) {
    parent
      .add("meeting <meetingId> <email>", meetingText)
      .run(async ({ meetings }, meetingId, email, options) => {
        await meetings[name].mutate({ meetingId, email });
        printDone(options, { id: meetingId, with: email }, `${meetingId} ${end} ${email}.`);
      });

    parent.add("tag <tagId> <email>", tagText).run(async ({ tags }, tagId, email, options) => {
      await tags[name].mutate({ tagId, email });
      printDone(options, { id: tagId, with: email }, `${tagId} ${end} ${email}.`);
    });
  }

  share
    .add("list <meetingId>", "list the members a meeting is shared with, except through tags")
    .run(async ({ shares }, meetingId, options) =>
      printTable(options, await shares.list.query({ meetingId }), {
        ID: ({ userId }) => userId,
        EMAIL: ({ email }) => email,
        NAME: ({ name }) => name,
      }),
    );
}
