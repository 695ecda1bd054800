import { sql } from "drizzle-orm";
import { customType } from "drizzle-orm/pg-core";

/**
 * A point in time with millisecond precision. In code it is always in wire format, `YYYY-MM-DDTHH:mm:ss.sssZ`. Sessions
 * run in UTC, so the driver's text only needs reformatting.
 */
export const instant = customType<{ data: string; driverData: string }>({
  dataType: () => "timestamp (3) with time zone",
  fromDriver: toInstant,
});

/** The start of the transaction, on the database's clock. */
export const now = sql`now()`;

/**
 * Converts `2025-01-06 09:30:00.5+00`, the output of a UTC session, to `2025-01-06T09:30:00.500Z`. The latter stays
 * unchanged.
 */
export function toInstant(text: string): string {
  if (text.endsWith("Z")) return text;
  const fraction = text.length > 22 ? text.slice(20, -3).padEnd(3, "0") : "000";
  return `${text.slice(0, 10)}T${text.slice(11, 19)}.${fraction}Z`;
}

/** Text sorted by code point on every engine and locale, so that list order is always the same. */
export const id = customType<{ data: string }>({ dataType: () => 'text COLLATE "C"' });

export const bytes = customType<{ data: Uint8Array }>({ dataType: () => "bytea" });
