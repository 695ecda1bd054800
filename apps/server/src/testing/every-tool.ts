import { type Database, schema } from "@minutes/db";
import type { Person } from "@minutes/testing";
import type { TestServer } from "./server.js";

/** The structured answer of a tool, whose fields the test knows. */
// biome-ignore lint/suspicious/noExplicitAny: each tool answers with other fields.
export type ToolAnswer = any;

/** Calls a tool. */
type Use = (
  name: string,
  args?: Readonly<Record<string, string | number | boolean | readonly string[]>>,
) => Promise<ToolAnswer>;

/** Calls every tool of a personal key with one of the person's meetings: those that read, then those that write. */
export async function useEveryTool(person: Person, server: Pick<TestServer, "db" | "given">, use: Use) {
  const said = { speakerId: "s1", speakerName: "Anna", speakerEmail: person.email };
  const { meetingId, taskIds } = await server.given.meeting(person, {
    tasks: [{ text: "Oil the turbine" }],
    transcript: [
      { ...said, text: "The turbine needs oil." },
      { ...said, text: "Somebody should buy some before the end of the week." },
    ],
  });
  for (const name of [
    "list_meetings",
    "find_meetings",
    "recent",
    "list_tasks",
    "list_tags",
    "list_changes",
    "whoami",
  ])
    await use(name);
  for (const name of ["search_meetings", "search"]) await use(name, { query: "turbine" });
  for (const name of ["get_transcript", "get_turns", "list_versions", "list_speakers"])
    await use(name, { meetingId });
  await use("ask", { question: "What needs oil?" });
  await use("fetch", { id: meetingId });
  await addCalendarEvent(server.db, person.userId);
  const { events } = await use("list_upcoming");
  await use("prepare_event", { eventId: events[0].id });
  const { people } = await use("list_people");
  await use("get_person", { personId: people[0].id });
  const { version } = await use("get_meeting", { meetingId });
  let baseVersion = version;
  const write = async (name: string, args: Parameters<Use>[1]) => {
    const answer = await use(name, { ...args, baseVersion });
    baseVersion = answer.version ?? baseVersion;
    return answer;
  };
  await write("update_meeting", { meetingId, title: "Turbines" });
  await write("update_turn", { meetingId, turn: 0, spokenText: "It needs oil." });
  await write("name_speaker", { meetingId, speakerLabel: "s1", name: "Anna B." });
  const { taskId } = await write("create_task", { meetingId, text: "Buy oil" });
  await write("update_meeting_task", { meetingId, taskId, due: "2027-01-31" });
  await write("restore_version", { meetingId, version });
  await use("update_meeting_tags", { meetingId, add: ["Oil"] });
  await use("summarize_meeting", { meetingId, language: "German" });
  await use("update_task", { taskId: taskIds[0] ?? "", completed: true });
  await use("delete_meeting", { meetingId });
}

/** Gives a user a calendar with an event of tomorrow, unless they have one. */
export async function addCalendarEvent(db: Database, userId: string): Promise<void> {
  const unread = { secret: Buffer.from(""), secretKeyId: "", dueAt: "2999-01-01T00:00:00.000Z" };
  await db
    .insert(schema.calendars)
    .values({ userId, host: "calendar.example.com", ...unread })
    .onConflictDoNothing();
  const tomorrow = (hours: number) => new Date(Date.now() + (24 + hours) * 3_600_000).toISOString();
  const event = { userId, id: "cev_1", uid: "event", title: "Weekly", allDay: false, attendees: "[]" };
  await db
    .insert(schema.calendarEntries)
    .values({ ...event, startTime: tomorrow(0), endTime: tomorrow(1) })
    .onConflictDoNothing();
}
