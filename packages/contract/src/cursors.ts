import { z } from "zod";
import { type Instant, parseInstant } from "./instants.js";
import { LIMITS } from "./limits.js";
import { Id } from "./text.js";

/** A position in a list sorted newest first. Rows after it are older, or have the same time and a smaller id. */
export interface Position {
  readonly time: Instant;
  /** Null once every row with this time was returned. */
  readonly id: string | null;
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

const cursor = (accepts: (position: Position) => boolean) =>
  z
    .string()
    .max(LIMITS.cursorMax)
    .transform((text, context) => {
      const position = parsePosition(text);
      if (position && accepts(position)) return position;
      context.addIssue({ code: "custom" });
      return z.NEVER;
    });

/** `<ISO 8601 timestamp>::<meeting_id>`. @see docs/specification.md#pagination-list-operations */
export const MeetingCursor = cursor((position) => position.id !== null);
/** `<ISO 8601 timestamp>`, or `<ISO 8601 timestamp>::<task_id>` when several tasks have that time. */
export const TaskCursor = cursor(() => true);

/** Formats the cursor of a position. */
export const formatCursor = (time: Instant, id: string | null): string =>
  id === null ? time : `${time}${SEPARATOR}${id}`;
