import {
  FindMeetings,
  FoundMeetings,
  MeetingPage,
  MeetingRef,
  MeetingTranscript,
  type MeetingWithFacts,
  type TaskPage,
} from "@minutes/contract";
import { z } from "zod";
import { getTranscriptPage, withoutTranscriptAndHtml } from "../transcript.js";
import {
  type Arguments,
  integerParameter,
  omit,
  readFlag,
  readInteger,
  readText,
  refuseOthers,
  type ToolDefinition,
  textParameter,
} from "./definition.js";
import { ReadMeeting, ReadTask, shortenMeeting } from "./short-meeting.js";
import {
  ANSWER_BYTES,
  everythingParameter,
  getSize,
  type List,
  limitParameter,
  listPage,
  noteIfEmpty,
  shorten,
  withNote,
} from "./size.js";

const MEETINGS: List = { key: "meetings", what: "meetings", most: 20 };
/** Number of meetings and of tasks that `recent` returns. */
const RECENT = 10;
/** Number of tasks that `get_meeting` returns. */
const TASKS = 100;
/** Number of turns around a position, on each side. */
const TURNS = 5;

const TranscriptPage = z.object({
  meetingId: z.string(),
  title: z.string(),
  page: z.int(),
  pages: z.int(),
  transcript: z.string(),
});
const Turn = MeetingTranscript.shape.segments.element.omit({ speakerId: true });

/** Returns the start of yesterday in UTC. */
const getYesterday = () => new Date(Date.now() - 86_400_000).toISOString().slice(0, 10);

/** Tools that find and read meetings. */
export const MEETING_TOOLS: readonly ToolDefinition[] = [
  {
    name: "list_meetings",
    title: "List meetings",
    description:
      "Lists meetings by date, latest start first, in pages: ID, title, start and end. Narrow it with startDate and endDate. " +
      "For a topic use search_meetings; for a title or a person, find_meetings. Read a meeting with get_meeting.",
    procedure: "meetings.list",
    extra: { limit: limitParameter(MEETINGS) },
    output: withNote(MeetingPage),
    call: (args, help) => listPage(help, args, MEETINGS),
  },
  {
    name: "find_meetings",
    title: "Find meetings by title, person, tag or date",
    description:
      "Finds up to ten meetings by a text in the title, a person who spoke, a tag and dates, of all time; newest first, or oldest first " +
      "with order. Each has its people, tags and number of open tasks. To find what was said, use search_meetings.",
    procedure: "meetings.search",
    input: FindMeetings,
    extra: { everything: everythingParameter },
    output: withNote(FoundMeetings),
    call: async (args, help) => {
      const everything = readFlag(args, "everything");
      const input = omit(args, "everything");
      const found = (await help.run(input, "meetings.find")) as Arguments;
      const kept = everything ? found : shorten(found, MEETINGS, "Narrow it, or set everything to true.");
      return noteIfEmpty(
        kept,
        MEETINGS,
        help,
        input,
        "Compared with titles and names, not with what was said.",
      );
    },
  },
  {
    name: "get_meeting",
    title: "Read a meeting",
    description:
      "Reads a meeting: summary, participants, tasks, tags and calendar event. The transcript is not included; read it with " +
      "get_transcript, page by page up to transcriptPages. A locked summary is empty.",
    procedure: "meetings.get",
    extra: { everything: everythingParameter },
    output: ReadMeeting,
    call: async (args, { run }) => {
      const everything = readFlag(args, "everything");
      const meeting = withoutTranscriptAndHtml((await run(omit(args, "everything"))) as MeetingWithFacts);
      // The meeting's own tasks have no IDs.
      const { tasks } = (await run({ meetingId: meeting.id, limit: TASKS }, "tasks.list")) as TaskPage;
      const texts = meeting.tasks.map(({ content }) => content);
      const inOrder = tasks.toSorted((a, b) => texts.indexOf(a.text) - texts.indexOf(b.text));
      const read = { ...meeting, tasks: inOrder.map((task) => ReadTask.parse(task)) };
      return everything ? read : shortenMeeting(read);
    },
  },
  {
    name: "get_transcript",
    title: "Read a transcript",
    description:
      "Reads the transcript of a meeting, one page of up to 6 KB at a time. To read what was said around a search result, use get_turns.",
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
      turns: integerParameter(
        `Number of turns on each side, also beyond 6 KB. When absent, as many as fit into 6 KB, at most ${TURNS}.`,
        0,
        50,
      ),
    },
    output: withNote(
      z.object({
        segments: z.array(Turn.extend({ position: z.int() })),
        count: z.int().describe("Number of turns of the transcript."),
      }),
    ),
    call: async (args, { run }) => {
      const position = readInteger(args, "position", 0, 1_000_000) ?? 0;
      const wanted = readInteger(args, "turns", 0, 50);
      const input = omit(args, "position", "turns");
      const { segments } = (await run(input, "meetings.transcript")) as MeetingTranscript;
      const read = (turns: number) => {
        const from = Math.max(0, position - turns);
        const around = segments.slice(from, position + turns + 1);
        return {
          segments: around.map(({ speakerId: _, ...segment }, at) => ({ position: from + at, ...segment })),
          count: segments.length,
        };
      };
      if (wanted !== undefined) return read(wanted);
      let turns = TURNS;
      while (turns > 0 && getSize(read(turns)) > ANSWER_BYTES) turns--;
      const answer = read(turns);
      return answer.segments.length > 0
        ? answer
        : {
            ...answer,
            note: `The transcript has ${segments.length} turns, and none at position ${position}.`,
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
    output: withNote(
      z.object({
        since: z.string(),
        meetings: z.array(z.looseObject({ id: z.string(), title: z.string() })),
        tasks: z.array(z.looseObject({ id: z.string(), text: z.string() })),
        more: z.boolean(),
      }),
    ),
    call: async (args, help) => {
      const { run } = help;
      refuseOthers(args, ["since"]);
      const since = readText(args, "since") ?? getYesterday();
      const input = { startDate: since, limit: RECENT };
      const { meetings, nextCursor } = (await run(input)) as MeetingPage;
      const page = (await run(input, "tasks.list")) as TaskPage;
      const answer = {
        since,
        meetings,
        tasks: page.tasks,
        more: nextCursor !== null || page.nextCursor !== null,
      };
      while (getSize(answer) > ANSWER_BYTES && answer.meetings.length + answer.tasks.length > 2) {
        const { length } = answer.meetings;
        if (getSize(answer.meetings) > getSize(answer.tasks))
          answer.meetings = answer.meetings.slice(0, length - 1);
        else answer.tasks = answer.tasks.slice(0, answer.tasks.length - 1);
        answer.more = true;
      }
      // Tasks without meetings are new tasks of earlier meetings.
      return page.tasks.length > 0
        ? answer
        : noteIfEmpty(answer, { ...MEETINGS, what: "meetings and tasks" }, help, { since });
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
