import {
  FindMeetings,
  FoundMeetings,
  MeetingDetail,
  type MeetingPage,
  MeetingRef,
  MeetingTranscript,
  Summary,
  type TaskPage,
} from "@minutes/contract";
import { z } from "zod";
import { getTranscriptPage, PAGE_LENGTH, removeTranscript } from "../transcript.js";
import {
  integerParameter,
  omit,
  readInteger,
  readText,
  refuseOthers,
  type ToolDefinition,
  textParameter,
} from "./definition.js";

/** Default number of meetings in a page: what fits into a few kilobytes. */
const MEETINGS = 20;
/** Number of meetings and of tasks that `recent` returns. */
const RECENT = 10;
/** Number of turns around a position, on each side. */
const TURNS = 5;

const MeetingWithoutTranscript = MeetingDetail.omit({ transcript: true, summary: true }).extend({
  summary: Summary.omit({ html: true }),
  transcriptPages: z.int(),
});
const TranscriptPage = z.object({
  meetingId: z.string(),
  title: z.string(),
  page: z.int(),
  pages: z.int(),
  transcript: z.string(),
});
const Turn = MeetingTranscript.shape.segments.element.omit({ speakerLabel: true });

/** Returns the start of yesterday in UTC. */
const getYesterday = () => new Date(Date.now() - 86_400_000).toISOString().slice(0, 10);

/** Tools that find and read meetings. */
export const MEETING_TOOLS: readonly ToolDefinition[] = [
  {
    name: "list_meetings",
    title: "List meetings",
    description:
      `Lists meetings by date, latest start first, ${MEETINGS} per page: ID, title, start and end. Narrow it with startDate and endDate. ` +
      "For a topic use search_meetings; for a title or a person, find_meetings. Read a meeting with get_meeting.",
    procedure: "meetings.list",
    call: ({ limit = MEETINGS, ...args }, { run }) => run({ limit, ...args }),
  },
  {
    name: "find_meetings",
    title: "Find meetings by title or person",
    description:
      "Finds the ten newest meetings whose title, or the name of somebody who spoke, contains a text. Each has its people, tags and " +
      "number of open tasks. To find what was said, use search_meetings.",
    procedure: "meetings.search",
    input: FindMeetings,
    output: FoundMeetings,
    call: (args, { run }) => run(args, "meetings.find"),
  },
  {
    name: "get_meeting",
    title: "Read a meeting",
    description:
      "Reads a meeting: summary, participants, tasks, tags and calendar event. The transcript is not included; read it with " +
      "get_transcript, page by page up to transcriptPages. A locked summary is empty.",
    procedure: "meetings.get",
    output: MeetingWithoutTranscript,
    call: async (args, { run }) => removeTranscript(await run(args)),
  },
  {
    name: "get_transcript",
    title: "Read a transcript",
    description: `Reads the transcript of a meeting, one page of about ${PAGE_LENGTH.toLocaleString("en")} characters at a time. To read what was said around a search result, use get_turns.`,
    procedure: "meetings.get",
    extra: { page: integerParameter("Page of the transcript, from 1.", 1, 10_000, 1) },
    output: TranscriptPage,
    call: async (args, { run }) => getTranscriptPage(args.page, () => run(omit(args, "page"))),
  },
  {
    name: "get_turns",
    title: "Read what was said around a moment",
    description:
      "Reads the turns before and after a position in a meeting's transcript, with speakers and times. Take meetingId and position from a " +
      "result of search_meetings.",
    procedure: "meetings.get",
    input: MeetingRef,
    extra: {
      position: integerParameter(
        "Index of a turn, from 0: `segments[].position` of a search result.",
        0,
        1_000_000,
      ),
      turns: integerParameter("Number of turns on each side.", 0, 50, TURNS),
    },
    output: z.object({
      segments: z.array(Turn.extend({ position: z.int() })),
      count: z.int().describe("Number of turns of the transcript."),
    }),
    call: async (args, { run }) => {
      const position = readInteger(args, "position", 0, 1_000_000) ?? 0;
      const turns = readInteger(args, "turns", 0, 50) ?? TURNS;
      const input = omit(args, "position", "turns");
      const { segments } = (await run(input, "meetings.transcript")) as MeetingTranscript;
      const from = Math.max(0, position - turns);
      return {
        segments: segments
          .slice(from, position + turns + 1)
          .map(({ speakerLabel: _, ...segment }, at) => ({ position: from + at, ...segment })),
        count: segments.length,
      };
    },
  },
  {
    name: "recent",
    title: "See what is new",
    description:
      `Returns what happened since a day, by default yesterday: the ${RECENT} newest meetings that started and the ${RECENT} newest tasks that ` +
      "were created. `more` is true if there was more: use list_meetings and list_tasks then.",
    procedure: "meetings.list",
    input: z.strictObject({}),
    extra: { since: textParameter("A date (UTC) such as 2026-01-31, or an instant. Yesterday when absent.") },
    output: z.object({
      since: z.string(),
      meetings: z.array(z.looseObject({ id: z.string(), title: z.string() })),
      tasks: z.array(z.looseObject({ id: z.string(), text: z.string() })),
      more: z.boolean(),
    }),
    call: async (args, { run }) => {
      refuseOthers(args, ["since"]);
      const since = readText(args, "since") ?? getYesterday();
      const input = { startDate: since, limit: RECENT };
      const { meetings, nextCursor } = (await run(input)) as MeetingPage;
      const page = (await run(input, "tasks.list")) as TaskPage;
      return { since, meetings, tasks: page.tasks, more: nextCursor !== null || page.nextCursor !== null };
    },
  },
  {
    name: "delete_meeting",
    title: "Delete a meeting for good",
    description:
      "Permanently deletes a meeting with its summary, transcript and tasks. This can't be undone. Ask the user for confirmation first, and " +
      "name the meeting by title and date.",
    procedure: "meetings.delete",
  },
];
