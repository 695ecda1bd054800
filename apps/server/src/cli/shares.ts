import type { Command } from "commander";
import { formatTable, print, printDone } from "./output.js";
import { addCommand, withOperator } from "./run.js";

/** Adds `minutes share …` and `minutes unshare …`. */
export function addSharesCommands(program: Command): void {
  addShare(program);
  addUnshare(program);
}

function addShare(program: Command): void {
  const share = program
    .command("share")
    .description("share a meeting, or all meetings with a tag, with another member of the workspace");

  addCommand(share, "meeting <meetingId> <email>", "share one meeting with a member").action(
    async (meetingId, email, options) => {
      await withOperator(({ meetings }) => meetings.share.mutate({ meetingId, email }));
      printDone(options, { id: meetingId, with: email }, `${meetingId} is shared with ${email}.`);
    },
  );

  addCommand(
    share,
    "tag <tagId> <email>",
    "share all meetings with a tag, now and later, with a member",
  ).action(async (tagId, email, options) => {
    await withOperator(({ tags }) => tags.share.mutate({ tagId, email }));
    printDone(options, { id: tagId, with: email }, `${tagId} is shared with ${email}.`);
  });

  addCommand(
    share,
    "list <meetingId>",
    "list the members with whom a meeting is shared, except through tags",
  ).action(async (meetingId, options) => {
    const list = await withOperator(({ shares }) => shares.list.query({ meetingId }));
    print(
      options,
      list,
      formatTable(list, {
        ID: ({ userId }) => userId,
        EMAIL: ({ email }) => email,
        NAME: ({ name }) => name,
      }),
    );
  });
}

function addUnshare(program: Command): void {
  const unshare = program
    .command("unshare")
    .description("stop sharing a meeting, or a tag and its meetings, with a member");

  addCommand(unshare, "meeting <meetingId> <email>", "stop sharing one meeting with a member").action(
    async (meetingId, email, options) => {
      await withOperator(({ meetings }) => meetings.unshare.mutate({ meetingId, email }));
      printDone(options, { id: meetingId, with: email }, `${meetingId} is no longer shared with ${email}.`);
    },
  );

  addCommand(unshare, "tag <tagId> <email>", "stop sharing a tag and its meetings with a member").action(
    async (tagId, email, options) => {
      await withOperator(({ tags }) => tags.unshare.mutate({ tagId, email }));
      printDone(options, { id: tagId, with: email }, `${tagId} is no longer shared with ${email}.`);
    },
  );
}
