import { FACT_NAMES, type MeetingFacts } from "@minutes/contract";
import { schema } from "@minutes/db";
import { sql } from "drizzle-orm";

const { meetings } = schema;

/** Picks the facts of a meeting that was sent or stored; null where there is none. */
export const toFacts = (meeting: { readonly [Name in keyof MeetingFacts]?: string | null | undefined }) =>
  Object.fromEntries(FACT_NAMES.map((name) => [name, meeting[name] ?? null])) as MeetingFacts;

/** The columns of the facts, from the meeting `m`. */
export const factColumns = sql.join(
  FACT_NAMES.map((name) => sql`m.${sql.identifier(meetings[name].name)} as ${sql.identifier(name)}`),
  sql`, `,
);
