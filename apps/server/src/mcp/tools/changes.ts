import {
  ListChanges,
  listChanges,
  listMyMeetings,
  type MeetingPage,
  StartDate,
  type TaskPage,
} from "@minutes/contract";
import { ApiError } from "@minutes/core";
import { z } from "zod";
import { defineTool, type ToolDefinition } from "./definition.js";
import { ANSWER_BYTES, getSize, type List, noteIfEmpty, PageLimit, readPage, TextParameter } from "./size.js";

const CHANGES: List = { key: "changes", what: "changes", most: 20 };
/** Number of meetings and of tasks that `recent` returns. */
const RECENT = 10;

const NO_DATE = "since must be a day such as 2026-03-14, or an instant with a zone.";

/** Returns the start of yesterday in UTC. */
const getYesterday = () => new Date(Date.now() - 86_400_000).toISOString().slice(0, 10);

/** Tools that keep an assistant up to date. */
export const CHANGE_TOOLS: readonly ToolDefinition[] = [
  defineTool({
    name: "recent",
    title: "See what is new",
    description:
      `Returns the ${RECENT} newest meetings that started and the ${RECENT} newest tasks that were created since a day, by default ` +
      "yesterday. If `more` is true, use list_meetings and list_tasks.",
    operation: listMyMeetings,
    callers: ["user", "workspace"],
    input: z.strictObject({}),
    own: z.object({
      since: TextParameter.optional().describe(
        "A date (UTC) such as 2026-01-31, or an instant. Yesterday when absent.",
      ),
    }),
    call: async (_, { since = getYesterday() }, help) => {
      if (!StartDate.safeParse(since).success) throw new ApiError("BAD_REQUEST", NO_DATE);
      const input = { startDate: since, limit: RECENT };
      const { meetings, nextCursor } = (await help.run(input)) as MeetingPage;
      const page = (await help.run(input, "tasks.list")) as TaskPage;
      const answer = {
        ...{ since, meetings, tasks: page.tasks },
        more: nextCursor !== null || page.nextCursor !== null,
      };
      while (getSize(answer) > ANSWER_BYTES && answer.meetings.length + answer.tasks.length > 2) {
        if (getSize(answer.meetings) > getSize(answer.tasks)) answer.meetings = answer.meetings.slice(0, -1);
        else answer.tasks = answer.tasks.slice(0, -1);
        answer.more = true;
      }
      // Tasks without meetings are new tasks of earlier meetings.
      return page.tasks.length > 0
        ? answer
        : noteIfEmpty(answer, { key: "meetings", what: "meetings and tasks" }, help, { since });
    },
  }),
  defineTool({
    name: "list_changes",
    title: "List changes since the last look",
    description:
      "Returns meetings and tasks that are new, changed or gone since a cursor, in pages; without a cursor, everything. Save nextCursor " +
      "for the next look, and continue at once while hasMore is true. For what happened since a date, use recent.",
    operation: listChanges,
    input: ListChanges.unwrap().omit({ wait: true, include: true }),
    own: z.object({ limit: PageLimit }),
    call: async (args, { limit }, { run }) => {
      const page = await readPage(run, { ...args, limit }, CHANGES);
      const isEmpty = (page.changes as unknown[]).length === 0;
      const since = args.cursor === undefined ? "so far" : "since this cursor";
      return isEmpty
        ? { ...page, note: `No meeting or task that this key can read changed ${since}.` }
        : page;
    },
  }),
];
