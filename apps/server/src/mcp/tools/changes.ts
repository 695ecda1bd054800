import { ChangePage, ListChanges } from "@minutes/contract";
import type { ToolDefinition } from "./definition.js";
import { refuseOthers } from "./definition.js";
import { type List, limitParameter, readPage, withNote } from "./size.js";

const CHANGES: List = { key: "changes", what: "changes", most: 20 };

const input = ListChanges.unwrap().omit({ wait: true, include: true });

/** Tools that keep an assistant up to date. */
export const CHANGE_TOOLS: readonly ToolDefinition[] = [
  {
    name: "list_changes",
    title: "List changes since the last look",
    description:
      "Returns what changed since a cursor, in pages: meetings and tasks that are new, changed or gone. Without a cursor it starts " +
      "with everything. Save nextCursor for the next look, and continue at once while hasMore is true. For what happened since a date, use recent.",
    procedure: "changes.list",
    input,
    extra: { limit: limitParameter(CHANGES) },
    output: withNote(ChangePage),
    call: async (args, { run }) => {
      refuseOthers(args, Object.keys(input.shape));
      const page = await readPage(run, args, CHANGES);
      const isEmpty = (page.changes as unknown[]).length === 0;
      const since = args.cursor === undefined ? "so far" : "since this cursor";
      return isEmpty
        ? { ...page, note: `No meeting or task that this key can read changed ${since}.` }
        : page;
    },
  },
];
