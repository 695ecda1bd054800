import { readFile } from "node:fs/promises";
import type { operations, operatorManagement } from "@minutes/core";
import { actAs, type OperatorCommand, toWholeNumber } from "./cli/command.js";
import { confirm, formatTable, note, print, printDone } from "./cli/output.js";

type Meetings = Pick<typeof operations, "meetings"> & Pick<typeof operatorManagement, "retention">;

/** Adds `minutes meetings …`. */
export function addMeetingsCommands(program: OperatorCommand<Meetings>): void {
  const commands = program
    .command("meetings")
    .description("meetings; reading them is recorded in the audit log");

  commands
    .add("list <user>", "list the meetings that a user can read, newest first")
    .option("--tag <name>", "only meetings with this tag")
    .option("--from <date>", "only meetings that start on or after this day")
    .option("--to <date>", "only meetings that start on or before this day")
    .option("--limit <number>", "number of meetings, 1 to 100", toWholeNumber(1, 100))
    .option("--cursor <cursor>", "nextCursor of the previous page")
    .run(async ({ meetings }, user, { json, from: startDate, to: endDate, ...filters }) => {
      const page = await meetings.list.query({ startDate, endDate, ...filters }, actAs({ user }));
      if (filters.tag !== undefined && page.meetings.length === 0)
        note(`--tag finds only tags that ${user} owns or that are shared with them.`);
      const lines = formatTable(page.meetings, {
        ID: ({ id }) => id,
        START: ({ startTime }) => startTime,
        TITLE: ({ title }) => title,
      });
      print({ json }, page, lines, page.nextCursor === null ? [] : [`More: add --cursor ${page.nextCursor}`]);
    });

  commands
    .add("get <meetingId>", "show a meeting; with --json, also its summary and transcript")
    .run(async ({ meetings }, meetingId, options) => {
      const meeting = await meetings.get.query({ meetingId });
      print(options, meeting, [
        `${meeting.id}  ${meeting.title}`,
        `${meeting.startTime}  recorded by ${meeting.user.email}`,
        ...meeting.participants.map(({ name }) => `participant  ${name}`),
        ...meeting.tags.map(({ name }) => `tag  ${name}`),
        ...meeting.tasks.map(
          ({ content, completed, assignee }) =>
            `task  ${completed ? "completed" : "open"}  ${content}${assignee ? ` (${assignee.name})` : ""}`,
        ),
      ]);
    });

  commands
    .add("update <meetingId>", "change a meeting's title, times or summary")
    .option("--title <text>", "new title")
    .option("--start <time>", "new start, such as 2026-03-14T09:30:00Z")
    .option("--end <time>", "new end")
    .option("--summary <file>", "file with the new summary in Markdown")
    .option("--base-version <number>", "refuse if the meeting is no longer at this version", toWholeNumber(1))
    .run(async ({ meetings }, meetingId, { title, start, end, summary: file, baseVersion, ...options }) => {
      const edited = await meetings.update.mutate({
        meetingId,
        baseVersion: baseVersion ?? (await meetings.listVersions.query({ meetingId })).version,
        ...(title === undefined ? {} : { title }),
        ...(start === undefined ? {} : { startTime: start }),
        ...(end === undefined ? {} : { endTime: end }),
        ...(file === undefined ? {} : { summary: { markdown: await readFile(file, "utf8") } }),
      });
      printDone(options, edited, `${meetingId} is at version ${edited.version}.`);
    });

  addSummarize(commands);
  addVersions(commands);
  addRemoval(commands);
}

function addSummarize(commands: OperatorCommand<Meetings>): void {
  commands
    .add("summarize <meetingId>", "have the summary written again; the present one stays as a version")
    .option(
      "--instruction <name>",
      "name or ID of a summary instruction (default: chosen as for a new meeting)",
    )
    .option("--no-instruction", "write without an instruction")
    .option("--language <language>", "such as de or German (default: the instruction's)")
    .option("--no-language", "write as spoken")
    .run(async ({ meetings }, meetingId, { instruction, language, ...options }) => {
      const asked = await meetings.summarize.mutate({
        meetingId,
        ...(instruction === undefined ? {} : { instruction: instruction === false ? null : instruction }),
        ...(language === undefined ? {} : { language: language === false ? null : language }),
      });
      const how = [
        asked.instruction === null ? [] : [`as "${asked.instruction}" says`],
        asked.language === null ? [] : [`in ${asked.language}`],
      ].flat();
      const sentence = ["The summary will be written again", how.join(", ")].filter((part) => part !== "");
      printDone(options, asked, `${sentence.join(" ")}.`);
    });
}

function addVersions(commands: OperatorCommand<Meetings>): void {
  commands
    .add("list-versions <meetingId>", "list who changed a meeting, when and what, newest first")
    .run(async ({ meetings }, meetingId, options) => {
      const { version, versions } = await meetings.listVersions.query({ meetingId });
      const lines = formatTable(versions, {
        VERSION: ({ version }) => String(version),
        AT: ({ at }) => at ?? "",
        BY: ({ actor }) => actor ?? "",
        ACTION: ({ action }) => action ?? "",
        CHANGED: ({ fields }) => fields.join(", "),
      });
      print(options, { version, versions }, lines);
    });

  commands
    .add("restore-version <meetingId> <version>", "restore a meeting's content at an earlier version")
    .option("--base-version <number>", "refuse if the meeting is no longer at this version", toWholeNumber(1))
    .run(async ({ meetings }, meetingId, version, { baseVersion, ...options }) => {
      const restored = await meetings.restoreVersion.mutate({
        meetingId,
        version: Number(version),
        baseVersion: baseVersion ?? (await meetings.listVersions.query({ meetingId })).version,
      });
      printDone(options, restored, `${meetingId} is at version ${restored.version}.`);
    });
}

function addRemoval(commands: OperatorCommand<Meetings>): void {
  commands
    .add("hold <meetingId>", "keep a meeting whatever the retention rules say")
    .run(async ({ retention }, meetingId, options) => {
      await retention.hold.mutate({ meetingId });
      printDone(options, { id: meetingId }, `${meetingId} is on hold.`);
    });

  commands
    .add("release <meetingId>", "end the hold of a meeting")
    .run(async ({ retention }, meetingId, options) => {
      await retention.release.mutate({ meetingId });
      printDone(options, { id: meetingId }, `${meetingId} is released.`);
    });

  commands
    .add("delete <meetingId>", "delete a meeting with all its content")
    .option("--yes", "don't ask")
    .run(async ({ meetings }, meetingId, { yes, ...options }) => {
      await confirm(`Delete the meeting ${meetingId}?`, yes);
      printDone(options, await meetings.delete.mutate({ meetingId }), `${meetingId} is deleted.`);
    });
}
