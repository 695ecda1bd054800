import { type Database, schema, writeArray } from "@minutes/db";
import { type SQL, type SQLWrapper, sql } from "drizzle-orm";

const { people, personEmails } = schema;

/** What a person is known by. */
export interface Sought {
  /** In lower case. */
  readonly emails: readonly string[];
  /** Person IDs, with those merged into one another. */
  readonly personIds: readonly string[];
}

/** Finds what a person is known by: the address itself, or for a person ID all IDs and addresses of that person. */
export async function findSought(db: Database, emailOrId: string): Promise<Sought> {
  if (emailOrId.includes("@")) return { emails: [emailOrId.toLowerCase()], personIds: [] };
  const head = sql`coalesce((select r.merged_into from ${people} r where r.id = ${emailOrId}), ${emailOrId})`;
  const known = await db
    .select({ id: people.id })
    .from(people)
    .where(sql`${people.id} = ${head} or ${people.mergedInto} = ${head}`)
    .orderBy(people.id);
  // A speaker of one meeting has an ID without a row.
  const personIds = [...new Set([emailOrId, ...known.map(({ id }) => id)])];
  const addresses = await db
    .select({ email: personEmails.email })
    .from(personEmails)
    .where(sql`${personEmails.personId} = any(${toTexts(personIds)})`)
    .orderBy(personEmails.email);
  return { emails: addresses.map(({ email }) => email), personIds };
}

/** Writes texts as an array. */
export const toTexts = (texts: readonly string[]): SQL => sql`${writeArray(texts)}::text::text[]`;

/** Builds the condition that a column has one of the addresses, ignoring case: meetings store them as they were sent. */
export const isAddress = (column: SQLWrapper, { emails }: Sought): SQL =>
  sql`lower(${column}) = any(${toTexts(emails)})`;

/** Builds the condition that a row of a meeting names the person, by address or ID. */
export const isSought = (email: SQLWrapper, personId: SQLWrapper, sought: Sought): SQL =>
  sql`(${isAddress(email, sought)} or ${personId} = any(${toTexts(sought.personIds)}))`;

/** Builds the condition that a text contains one of some others, in lower case. */
export const containsAny = (text: SQLWrapper, parts: readonly string[]): SQL =>
  sql`exists (select from unnest(${toTexts(parts)}) part(t) where strpos(lower(${text}), part.t) > 0)`;
