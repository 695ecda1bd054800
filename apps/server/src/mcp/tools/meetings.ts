import {
  findMeetings,
  getMeeting,
  getTranscript,
  LIMITS,
  listVersions,
  type MeetingTranscript,
  type MeetingWithFacts,
  type TaskListItem,
  type TaskPage,
} from "@minutes/contract";
import { z } from "zod";
import { explainEmptySummary } from "../documents.js";
import { getTranscriptPage, withoutTranscriptAndHtml } from "../transcript.js";
import { type Arguments, defineTool, type ToolDefinition, type ToolHelp } from "./definition.js";
import { pickTask, shortenMeeting } from "./short-meeting.js";
import { noteSeveral } from "./similar-names.js";
import {
  ANSWER_BYTES,
  addNote,
  Everything,
  getSize,
  keepFirst,
  type List,
  noteIfEmpty,
  noteTag,
  PageLimit,
  shorten,
} from "./size.js";

const MEETINGS: List = { key: "meetings", what: "meetings", most: 10 };
/** Maximum number of statements that read all meetings or tasks. */
const ROUNDS = 10;
/** Number of turns around a position, on each side. */
const TURNS = 5;

interface Found {
  readonly meetings: readonly { readonly id: string; readonly startTime: string }[];
}

/** Finds meetings in rounds, each beginning where the last one ended. `more` is true if there may be others. */
async function findInRounds({ run, toUrl }: ToolHelp, args: Arguments, rounds: number) {
  const limit = LIMITS.pageSizeMax;
  const found = new Map<string, object>();
  let range = {};
  let more = true;
  for (let round = 0; round < rounds && more; round++) {
    const { meetings } = (await run({ ...args, ...range, limit })) as Found;
    for (const meeting of meetings) found.set(meeting.id, { ...meeting, url: toUrl(meeting.id) });
    more = meetings.length === limit;
    const bound = meetings.at(-1)?.startTime;
    range = args.order === "oldest" ? { startDate: bound } : { endDate: bound };
  }
  return { meetings: [...found.values()], more };
}

/** Reads the newest tasks of a meeting, or all of them. */
async function readTasks(run: ToolHelp["run"], meetingId: string, all: boolean): Promise<TaskListItem[]> {
  const tasks: TaskListItem[] = [];
  let cursor: string | null | undefined;
  for (let round = 0; round < (all ? ROUNDS : 1) && cursor !== null; round++) {
    const input = { meetingId, limit: LIMITS.pageSizeMax, ...(cursor === undefined ? {} : { cursor }) };
    const page = (await run(input, "tasks.list")) as TaskPage;
    tasks.push(...page.tasks);
    cursor = page.nextCursor;
  }
  return tasks;
}

/** Tools that find and read meetings. */
export const MEETING_TOOLS: readonly ToolDefinition[] = [
  defineTool({
    name: "find_meetings",
    title: "Find meetings by title, person, tag or date",
    description:
      "Finds up to ten meetings of all time by a text in the title, a person who spoke, a tag and dates, with their people, tags and number of " +
      "open tasks. To find what was said, use search_meetings.",
    operation: findMeetings,
    own: z.object({ limit: PageLimit, everything: Everything }),
    call: async (args, { limit, everything }, help) => {
      const { meetings, more } = await findInRounds(help, args, everything ? ROUNDS : 1);
      const tags = [await noteTag(help, args), await noteSeveral(help, args)].filter(Boolean).join(" ");
      const answer = addNote({ meetings }, tags);
      const how = ["Compared with titles and names; search_meetings searches what was said.", tags]
        .filter(Boolean)
        .join(" ");
      if (meetings.length === 0) return noteIfEmpty(answer, MEETINGS, help, args, how);
      if (everything && limit === undefined)
        return keepFirst(answer, { ...MEETINGS, most: Infinity }, "Narrow the dates for the rest.", { more });
      const remedy = everything
        ? "Narrow it, or omit limit."
        : `Narrow it, or set everything to true${limit === undefined || !more ? "" : " for the exact number"}.`;
      return limit === undefined
        ? shorten(answer, MEETINGS, remedy, more)
        : keepFirst(answer, { ...MEETINGS, most: limit }, remedy, { more });
    },
  }),
  defineTool({
    name: "get_meeting",
    title: "Read a meeting",
    description:
      "Reads a meeting's summary, participants, tasks, tags and calendar event. For the transcript, call get_transcript with pages up to " +
      "transcriptPages. A locked summary is empty.",
    operation: getMeeting,
    own: z.object({ everything: Everything }),
    call: async (args, { everything }, { kind, run, toUrl }) => {
      // Before the content: an edit in between makes the version stale, and never the content.
      const { version } = kind === "workspace" ? ((await run(args, listVersions.name)) as Arguments) : {};
      const meeting = await withoutTranscriptAndHtml((await run(args)) as MeetingWithFacts);
      // The meeting's own tasks have no IDs.
      const tasks = await readTasks(run, meeting.id, everything);
      const texts = meeting.tasks.map(({ content }) => content);
      const inOrder = tasks.toSorted((a, b) => texts.indexOf(a.text) - texts.indexOf(b.text));
      const url = toUrl(meeting.id);
      const note = `${explainEmptySummary(meeting)}: read its transcript with get_transcript.`;
      const read = {
        ...{ ...meeting, url, ...(version ? { version } : {}), tasks: inOrder.map(pickTask) },
        ...(meeting.summary.markdown === "" ? { note } : {}),
      };
      return everything ? read : shortenMeeting(read, texts.length);
    },
  }),
  defineTool({
    name: "get_transcript",
    title: "Read a transcript",
    description:
      "Reads the transcript of a meeting, one page of up to 6 KB at a time, without times. For times, or turns around a search result, use get_turns.",
    operation: getMeeting,
    own: z.object({
      page: z
        .int("must be an integer from 1.")
        .min(1, "must be an integer from 1.")
        .default(1)
        .describe("Page of the transcript, from 1."),
    }),
    call: (args, { page }, { run }) => getTranscriptPage(page, () => run(args)),
  }),
  defineTool({
    name: "get_turns",
    title: "Read what was said around a moment",
    description:
      "Reads the turns before and after a position in a meeting's transcript, with speakers and times.",
    operation: getTranscript,
    own: z.object({
      position: z
        .int()
        .min(0)
        .max(1_000_000)
        .default(0)
        .describe("Index of a turn, from 0: `segments[].position` of a search result."),
      turns: z
        .int()
        .min(0)
        .max(50)
        .optional()
        .describe(`Number of turns on each side. When absent, as many as fit into 6 KB, at most ${TURNS}.`),
    }),
    call: async (args, { position, turns: wanted }, { run, toUrl }) => {
      const { segments } = (await run(args)) as MeetingTranscript;
      const read = (turns: number) => {
        const from = Math.max(0, position - turns);
        const around = segments.slice(from, position + turns + 1);
        return {
          segments: around.map(({ speakerId: _, ...segment }, at) => ({ position: from + at, ...segment })),
          count: segments.length,
          link: `${toUrl(String(args.meetingId))}?at=${position}`,
        };
      };
      let turns = wanted ?? TURNS;
      while (wanted === undefined && turns > 0 && getSize(read(turns)) > ANSWER_BYTES) turns--;
      const none = `The transcript has ${segments.length} turns, and none at position ${position}.`;
      return addNote(read(turns), position < segments.length ? "" : none);
    },
  }),
];
