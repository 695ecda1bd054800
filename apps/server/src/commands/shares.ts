import { Id, SettingsInput } from "@minutes/contract";
import { listMeetingShares, shareMeeting, shareTag, unshareMeeting, unshareTag } from "@minutes/core";
import { z } from "zod";
import type { OperatorCommand } from "./cli/command.js";
import { printDone, printTable } from "./cli/output.js";
import { toUser } from "./membership.js";
import { operatorProcedure, userProcedure } from "./operator/procedures.js";

/** A meeting or a tag, by id, and a member. */
const Share = z.strictObject({ id: Id, user: z.string() });

const isTag = (id: string): boolean => id.startsWith("tag_");

/** Shares of meetings and tags with members of the same workspace. */
export const shares = {
  /** Lists members with a direct share of a meeting, excluding shares through tags. */
  list: operatorProcedure
    .input(SettingsInput.meeting)
    .query(async ({ ctx, input }) =>
      (await listMeetingShares(ctx.db, ctx.actor, input.meetingId)).map(toUser),
    ),
  create: userProcedure.input(Share).mutation(async ({ ctx: { db, actor, user }, input: { id } }) => {
    await (isTag(id) ? shareTag : shareMeeting)(db, actor, id, user.userId);
    return { id, with: user.email };
  }),
  delete: userProcedure.input(Share).mutation(async ({ ctx: { db, actor, user }, input: { id } }) => {
    await (isTag(id) ? unshareTag : unshareMeeting)(db, actor, id, user.userId);
    return { id, with: user.email };
  }),
};

/** Adds `minutes shares …`. */
export function addSharesCommands(program: OperatorCommand<{ shares: typeof shares }>): void {
  const commands = program
    .command("shares")
    .description("shares of a meeting, or of a tag and all its meetings, with members of the workspace");

  commands
    .add("list <meetingId>", "list the members a meeting is shared with, except through tags")
    .run(async ({ shares }, meetingId, options) =>
      printTable(options, await shares.list.query({ meetingId }), {
        ID: ({ id }) => id,
        EMAIL: ({ email }) => email,
        NAME: ({ name }) => name,
      }),
    );

  for (const [name, description, end] of [
    [
      "create",
      "share a meeting, or all current and future meetings with a tag, with a member",
      "is shared with",
    ],
    [
      "delete",
      "stop sharing a meeting, or a tag and its meetings, with a member",
      "is no longer shared with",
    ],
  ] as const) {
    commands
      .add(`${name} <meetingId|tagId> <user>`, description)
      .run(async ({ shares }, id, user, options) => {
        const share = await shares[name].mutate({ id, user });
        printDone(options, share, `${id} ${end} ${share.with}.`);
      });
  }
}
