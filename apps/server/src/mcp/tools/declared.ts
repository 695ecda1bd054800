import type { Operation } from "@minutes/contract";
import { z } from "zod";
import { defineTool, type ToolDefinition } from "./definition.js";
import { Everything, type List, listPage, PageLimit, shorten } from "./size.js";

/** Number of items on a page when `limit` is absent. */
const PAGE = 20;

/** Formats a field such as `recentMeetings` as `recent meetings`. */
const toWords = (field: string): string => field.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);

/** Builds the tool that an operation declares: pages and lists that fit, and everything else as it is. */
export function fromDeclaration(operation: Operation): ToolDefinition | undefined {
  const { tool } = operation;
  if (!tool) return;
  const { name, title, description, list: key } = tool;
  const about = { name, title, description, operation };
  if (key === undefined)
    return defineTool({ ...about, own: z.object({}), call: (args, _, { run }) => run(args) });
  const list: List = { key, what: toWords(key), most: PAGE };
  const isPaged = operation.output instanceof z.ZodObject && "nextCursor" in operation.output.shape;
  return isPaged
    ? defineTool({
        ...{ ...about, own: z.object({ limit: PageLimit }) },
        call: (args, own, help) => listPage(help, { ...args, ...own }, list),
      })
    : defineTool({
        ...{ ...about, own: z.object({ everything: Everything }) },
        call: async (args, { everything }, help) => {
          const found = (await help.run(args)) as Record<string, unknown>;
          return everything ? found : shorten(found, list, "Set everything to true for all.");
        },
      });
}
