import { z } from "zod";

/**
 * A time on the wire: ISO 8601 in UTC with milliseconds, `YYYY-MM-DDTHH:mm:ss.sssZ`, years 0001 to 9999. Comparing such
 * strings compares the times. The databases store the same precision.
 */
export type Instant = string;

const DATE = /^(\d{4})-(\d{2})-(\d{2})$/;
const DATE_TIME =
  /^(\d{4}-\d{2}-\d{2})T([01]\d|2[0-3]):([0-5]\d)(?::([0-5]\d)(?:[.,](\d{1,9}))?)?(Z|[+-](?:[01]\d|2[0-3])(?::?[0-5]\d)?)$/;

const FIRST = Date.parse("0001-01-01T00:00:00.000Z");
const LAST = Date.parse("9999-12-31T23:59:59.999Z");

/** Returns the first millisecond of a UTC calendar day, or null if the day does not exist. */
function getDayStart(text: string): number | null {
  const match = DATE.exec(text);
  if (!match) return null;
  const time = Date.parse(`${text}T00:00:00.000Z`);
  if (Number.isNaN(time) || time < FIRST) return null;
  // Date.parse rolls 2025-02-30 over to March, so a day that changed does not exist.
  return new Date(time).toISOString().startsWith(text) ? time : null;
}

function parseOffset(zone: string): number {
  if (zone === "Z") return 0;
  const digits = zone.slice(1).replace(":", "");
  const minutes = Number(digits.slice(0, 2)) * 60 + Number(digits.slice(2) || 0);
  return zone.startsWith("-") ? -minutes : minutes;
}

/**
 * Parses a full ISO 8601 date-time with a zone. Returns null if it is malformed or outside the years 0001 to 9999.
 * Fractions below a millisecond round towards `edge`, so a range never grows.
 */
export function parseInstant(text: string, edge: "floor" | "ceil" = "floor"): Instant | null {
  const match = DATE_TIME.exec(text);
  if (!match) return null;
  const [, date = "", hour, minute, second = "0", fraction = "", zone = "Z"] = match;
  const day = getDayStart(date);
  if (day === null) return null;
  const milliseconds = Math[edge](Number(`0.${fraction || 0}`) * 1000);
  const time =
    day +
    ((Number(hour) * 60 + Number(minute) - parseOffset(zone)) * 60 + Number(second)) * 1000 +
    milliseconds;
  return time >= FIRST && time <= LAST ? new Date(time).toISOString() : null;
}

/**
 * Parses one end of a date range: a calendar day in UTC (its first millisecond for `start`, its last for `end`), or a
 * full date-time with a zone, taken as that instant. Returns null if malformed.
 */
export function parseBound(text: string, end: "start" | "end"): Instant | null {
  const day = getDayStart(text);
  if (day !== null) return new Date(end === "start" ? day : day + 86_399_999).toISOString();
  return parseInstant(text, end === "start" ? "ceil" : "floor");
}

const createBoundSchema = (end: "start" | "end") =>
  z
    .string()
    .max(64)
    .transform((text, context) => {
      const instant = parseBound(text, end);
      if (instant !== null) return instant;
      context.addIssue({ code: "custom" });
      return z.NEVER;
    });

/** `startDate`: from the start of the day, or from the given instant. */
export const StartDate = createBoundSchema("start");
/** `endDate`: through the end of the day, or through the given instant. */
export const EndDate = createBoundSchema("end");

/** A full date-time with a zone, normalized to the wire format. */
export const InstantInput = z
  .string()
  .max(64)
  .transform((text, context) => {
    const instant = parseInstant(text);
    if (instant !== null) return instant;
    context.addIssue({ code: "custom", message: "must be an ISO 8601 date-time with a zone" });
    return z.NEVER;
  });

/** A calendar day, `YYYY-MM-DD`. */
export const Day = z
  .string()
  .refine((text) => getDayStart(text) !== null, "must be a day such as 2026-03-14");

/** A time in an answer: always `YYYY-MM-DDTHH:mm:ss.sssZ`. */
export const InstantOut = z.string().meta({ format: "date-time" });
