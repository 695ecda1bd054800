import { z } from "zod";
import { Day, type Instant, parseInstant } from "./instants.js";
import { LIMITS } from "./limits.js";
import { Id } from "./text.js";

/** A position in a list sorted newest first. Rows after it are older, or have the same time and a smaller id. */
export interface Position {
  readonly time: Instant;
  /** Null once every row with this time was returned. */
  readonly id: string | null;
}

/** A position in a list of tasks. In a list by due date, `due` is the row's date, or null if it has none. */
export interface TaskPosition extends Position {
  readonly due?: string | null;
}

const SEPARATOR = "::";

function parsePosition(createCursorSchema: string): Position | null {
  const at = createCursorSchema.indexOf(SEPARATOR);
  const time = parseInstant(at < 0 ? createCursorSchema : createCursorSchema.slice(0, at));
  if (time === null) return null;
  if (at < 0) return { time, id: null };
  const id = Id.safeParse(createCursorSchema.slice(at + SEPARATOR.length));
  return id.success ? { time, id: id.data } : null;
}

const UNDATED = "none";

/** Parses a position in either order. By due date, it is `<due date or none>::<position>`. */
function parseTaskPosition(text: string): TaskPosition | null {
  const [, due, rest] = /^(none|\d{4}-\d\d-\d\d)::(.+)$/.exec(text) ?? [];
  if (due === undefined || rest === undefined) return parsePosition(text);
  const position = parsePosition(rest);
  if (!position?.id || !(due === UNDATED || Day.safeParse(due).success)) return null;
  return { ...position, due: due === UNDATED ? null : due };
}

const cursor = <Parsed>(parse: (text: string) => Parsed | null) =>
  z
    .string()
    .max(LIMITS.cursorMax)
    .transform((text, context): Parsed => {
      const position = parse(text);
      if (position) return position;
      context.addIssue({ code: "custom" });
      return z.NEVER;
    });

/** `<ISO 8601 timestamp>::<meeting_id>`. @see docs/specification.md#pagination-list-operations */
export const MeetingCursor = cursor((text) => {
  const position = parsePosition(text);
  return position?.id ? position : null;
});
/** `<ISO 8601 timestamp>`, or `<ISO 8601 timestamp>::<task_id>` when several tasks have that time. */
export const TaskCursor = cursor(parsePosition);
/** A `TaskCursor`, or `<due date or none>::<ISO 8601 timestamp>::<task_id>` in a list by due date. */
export const TaskCursorOfOrder = cursor(parseTaskPosition);

/** Formats the cursor of a position. */
export const formatCursor = (time: Instant, id: string | null): string =>
  id === null ? time : `${time}${SEPARATOR}${id}`;

/** Formats the cursor of a position in a list by due date. */
export const formatDueCursor = (due: string | null, time: Instant, id: string): string =>
  [due ?? UNDATED, time, id].join(SEPARATOR);
