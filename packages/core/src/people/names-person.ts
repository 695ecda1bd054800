import { type SQL, type SQLWrapper, sql } from "drizzle-orm";

/** Removes accents and case, because people type Jose for José and Lukasz for Łukasz. */
export const foldName = (name: SQL): SQL =>
  sql`translate(lower(regexp_replace(normalize(${name}, NFD), '[\u0300-\u036f]', '', 'g')), 'łøđð', 'lodd')`;

/** Matches a person by a part of the name, without accents, or by the whole e-mail address. */
export const namesPerson = (
  text: SQLWrapper,
  person: { readonly name: SQL; readonly email: SQL },
): SQL => sql`
  (lower(${person.email}) = lower(${text}::text) or position(${foldName(sql`${text}::text`)} in ${foldName(person.name)}) > 0)`;
