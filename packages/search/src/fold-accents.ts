import { type SQL, sql } from "drizzle-orm";

/** A run of other characters than ASCII that is no word: PostgreSQL sorts its accents in quadratic time. */
const ENDLESS = sql.raw("'[^\\u0001-\\u007f]{100}'");

/**
 * Removes accents from a text whose words are read in a language in which they decide no ending: people type Padraig for
 * Pádraig. Stemmers of other languages need them.
 */
export const foldAccents = (text: SQL, language: SQL): SQL => sql`
  case when ${language} not in ('english', 'simple') or octet_length(${text}) = length(${text}) or ${text} ~ ${ENDLESS} then ${text}
    else normalize(regexp_replace(normalize(${text}, NFD), '[\u0300-\u036f]', '', 'g'), NFC) end`;
