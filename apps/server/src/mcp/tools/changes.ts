import { ListChanges } from "@minutes/contract";
import type { ToolDefinition } from "./definition.js";
import { refuseOthers } from "./definition.js";

/** Default number of changes in a page. */
const CHANGES = 20;

const input = ListChanges.unwrap().omit({ wait: true, include: true });

/** Tools that keep an assistant up to date. */
export const CHANGE_TOOLS: readonly ToolDefinition[] = [
  {
    name: "list_changes",
    title: "List changes since the last look",
    description:
      `Returns what changed since a cursor, ${CHANGES} changes per page: meetings and tasks that are new, changed or gone. Without a cursor it starts ` +
      "with everything. Save nextCursor for the next look, and continue at once while hasMore is true. For what happened since a date, use recent.",
    procedure: "changes.list",
    input,
    call: ({ limit = CHANGES, ...args }, { run }) => {
      refuseOthers(args, Object.keys(input.shape));
      return run({ limit, ...args });
    },
  },
];
