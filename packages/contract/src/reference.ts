import { MEETING_PROCEDURES } from "./meetings.js";
import { SEARCH_PROCEDURES } from "./search.js";
import { TAG_PROCEDURES } from "./tags.js";
import { TASK_PROCEDURES } from "./tasks.js";

/** Every procedure of `/v1`, by path below the version. @see docs/specification.md#endpoints */
export const REFERENCE = {
  ...MEETING_PROCEDURES,
  ...SEARCH_PROCEDURES,
  ...TASK_PROCEDURES,
  ...TAG_PROCEDURES,
} as const;

/** The path of a procedure below the version, such as `me/meetings.list`. */
export type ProcedurePath = keyof typeof REFERENCE;
