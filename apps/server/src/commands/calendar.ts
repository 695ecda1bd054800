import type { CalendarState, UpcomingEvent } from "@minutes/contract";
import type { operations, operatorManagement } from "@minutes/core";
import { actAs, type OperatorCommand } from "./cli/command.js";
import {
  type Columns,
  type CommonOptions,
  confirm,
  print,
  printDone,
  printTable,
  readSecret,
} from "./cli/output.js";

type Operations = Pick<typeof operatorManagement, "calendar"> & Pick<typeof operations, "upcoming">;

/** Adds `minutes calendar …` and `minutes upcoming`. */
export function addCalendarCommands(program: OperatorCommand<Operations>): void {
  const commands = program.command("calendar").description("the calendar that a user subscribed to");

  commands
    .add("show <user>", "show its host, and whether it can be read; never its address")
    .run(async ({ calendar }, user, options) =>
      printState(options, await calendar.get.query({}, actAs({ user }))),
    );
  commands
    .add("set <user>", "subscribe a user to a calendar by its secret address in iCal format, from stdin")
    .run(async ({ calendar }, user, options) => {
      const url = await readSecret("Secret address");
      printState(options, await calendar.set.mutate({ url }, actAs({ user })));
    });
  commands
    .add("refresh <user>", "read it within seconds")
    .run(async ({ calendar }, user, options) =>
      printState(options, await calendar.refresh.mutate({}, actAs({ user }))),
    );
  commands
    .add("unlink <meeting>", "remove the event that the calendar filled, for good")
    .run(async ({ calendar }, meetingId, options) => {
      await calendar.unlink.mutate({ meetingId });
      printDone(options, { meetingId }, `${meetingId} has no event of the calendar.`);
    });
  commands
    .add("remove <user>", "delete its address and its events; meetings keep theirs")
    .option("--yes", "don't ask")
    .run(async ({ calendar }, user, { yes, ...options }) => {
      await confirm(`Remove the calendar of ${user}?`, yes);
      await calendar.delete.mutate({}, actAs({ user }));
      printDone(options, { user }, `${user} has no calendar.`);
    });

  program
    .add("upcoming <user>", "list the next events of a user's calendar")
    .run(async ({ upcoming }, user, options) => {
      const { events } = await upcoming.list.query({}, actAs({ user }));
      printTable(options, events, COLUMNS);
    });
}

function printState(options: CommonOptions, state: CalendarState): void {
  const { available, calendar } = state;
  const read = calendar && [
    `host    ${calendar.host}`,
    `read    ${calendar.syncedAt ?? "never"}`,
    `fault   ${calendar.fault ?? "none"}`,
    `next    ${calendar.dueAt}`,
    `events  ${calendar.events}`,
  ];
  const notes = available ? [] : ["SECRETS_KEY is not set: calendars are off."];
  print(options, state, read ?? [], calendar ? notes : ["No calendar.", ...notes]);
}

const COLUMNS: Columns<UpcomingEvent> = {
  ID: ({ id }) => id,
  START: ({ startTime, allDay }) => (allDay ? startTime.slice(0, 10) : startTime),
  END: ({ endTime, allDay }) => (allDay ? null : endTime),
  TITLE: ({ title }) => title,
  PEOPLE: ({ attendeesCount }) => attendeesCount,
};
