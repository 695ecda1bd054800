import type { OperatorCommand } from "./cli/command.js";
import { confirm, formatTable, print, printDone } from "./cli/output.js";
import type { meetings } from "./procedures/meetings.js";

/** Adds `minutes meetings …`. */
export function addMeetingsCommands(program: OperatorCommand<{ meetings: typeof meetings }>): void {
  const commands = program
    .command("meetings")
    .description("meetings; reading them is recorded in the audit log");

  commands
    .add("list <user>", "list the meetings that a user can read, newest first")
    .option("--tag <name>", "only meetings with this tag")
    .option("--from <date>", "only meetings that start on or after this day")
    .option("--to <date>", "only meetings that start on or before this day")
    .option("--limit <number>", "number of meetings, 1 to 100", Number)
    .option("--cursor <cursor>", "nextCursor of the previous page")
    .run(async ({ meetings }, user, { json, from: startDate, to: endDate, ...filters }) => {
      const page = await meetings.list.query({ user, startDate, endDate, ...filters });
      const lines = formatTable(page.meetings, {
        ID: ({ id }) => id,
        START: ({ startTime }) => startTime,
        TITLE: ({ title }) => title,
      });
      print({ json }, page, lines, page.nextCursor === null ? [] : [`More: add --cursor ${page.nextCursor}`]);
    });

  commands
    .add("show <meetingId>", "show a meeting; with --json, also its summary and transcript")
    .run(async ({ meetings }, meetingId, options) => {
      const meeting = await meetings.show.query({ meetingId });
      print(options, meeting, [
        `${meeting.id}  ${meeting.title}`,
        `${meeting.startTime}  recorded by ${meeting.user.email}`,
        ...meeting.participants.map(({ name }) => `participant  ${name}`),
        ...meeting.tags.map(({ name }) => `tag  ${name}`),
        ...meeting.tasks.map(
          ({ content, completed }) => `task  ${completed ? "completed" : "open"}  ${content}`,
        ),
      ]);
    });

  commands
    .add("delete <meetingId>", "delete a meeting with all its content")
    .option("--yes", "don't ask")
    .run(async ({ meetings }, meetingId, { yes, ...options }) => {
      await confirm(`Delete the meeting ${meetingId}?`, yes);
      printDone(options, await meetings.delete.mutate({ meetingId }), `${meetingId} is deleted.`);
    });
}
