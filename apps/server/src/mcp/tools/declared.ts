import { LIMITS, type Operation } from "@minutes/contract";
import { z } from "zod";
import { COMPLETIONS } from "./completed.js";
import { type Arguments, defineTool, type ToolDefinition, type ToolHelp } from "./definition.js";
import { Everything, keepFirst, type List, listPage, PageLimit, shorten } from "./size.js";

/** Number of items on a page when `limit` is absent. */
const PAGE = 20;

/** Formats a field such as `recentMeetings` as `recent meetings`. */
const toWords = (field: string): string => field.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);

const has = (schema: z.ZodType, field: string): boolean => {
  const object = schema instanceof z.ZodPrefault ? schema.unwrap() : schema;
  return object instanceof z.ZodObject && field in object.shape;
};

/** Builds the tool that an operation declares: pages and lists that fit, and everything else as it is. */
export function fromDeclaration(operation: Operation): ToolDefinition | undefined {
  const { tool } = operation;
  if (!tool) return;
  const { name, title, description, list: key } = tool;
  const about = { name, title, description, operation };
  const complete = COMPLETIONS.get(name) ?? ((call: () => Promise<Arguments>) => call());
  if (key === undefined)
    return defineTool({
      ...{ ...about, own: z.object({}) },
      call: (args, _, help) => complete(() => help.run(args) as Promise<Arguments>, args, help),
    });
  const list: List = { key, what: toWords(key), most: PAGE };
  if (has(operation.output, "nextCursor"))
    return defineTool({
      ...{ ...about, own: z.object({ limit: PageLimit }) },
      call: (args, own, help) => complete(() => listPage(help, { ...args, ...own }, list), args, help),
    });
  const isLimited = has(operation.input, "limit");
  return defineTool({
    ...about,
    own: z.object({ everything: Everything, ...(isLimited ? { limit: PageLimit } : {}) }),
    call: (args, { everything, ...own }, help) => {
      const { limit } = own as { limit?: number };
      const whole = { ...list, most: limit ?? (isLimited && !everything ? PAGE : Infinity) };
      return complete(
        () => readList(args, whole, isLimited, everything || limit !== undefined, help),
        args,
        help,
      );
    },
  });
}

/** Reads a list without pages, as much as the operation returns, and keeps what fits or was asked for. */
async function readList(
  args: Arguments,
  list: List,
  isLimited: boolean,
  isLong: boolean,
  { run }: ToolHelp,
): Promise<Arguments> {
  const most = LIMITS.pageSizeMax;
  const found = (await run(isLimited ? { ...args, limit: most } : args)) as Arguments;
  const more = isLimited && (found[list.key] as readonly unknown[]).length === most;
  return isLong
    ? keepFirst(found, list, "There can be more.", { more })
    : shorten(found, list, "Set everything to true for all.", more);
}
