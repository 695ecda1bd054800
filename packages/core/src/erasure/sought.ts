import { type Database, schema, writeArray } from "@minutes/db";
import { type SQL, type SQLWrapper, sql } from "drizzle-orm";
import { ERASED_NAME } from "../lib/erased.js";
import { isUnconfirmed } from "../people/directory/index.js";

const { calendarAttendees, meetings, participants, people, personEmails, tasks, users } = schema;

/** What a person is known by. */
export interface Sought {
  /** In lower case. */
  readonly emails: readonly string[];
  /** Person IDs, with those merged into one another. Rows that name them are the person's under whatever address. */
  readonly personIds: readonly string[];
  /**
   * IDs of people who have one of the addresses, in any workspace. They may be merged with somebody else, so a row that names
   * them with another address is not the person's.
   */
  readonly addressIds: readonly string[];
  /** Names of the person, in lower case. The report searches them; nothing is replaced because of them. */
  readonly names: readonly string[];
  /** True: an unconfirmed person. The IDs are those of everybody in the workspace known by exactly this name only. */
  readonly isGuess: boolean;
}

/** What decides whether a row is the person's. */
type Identity = Pick<Sought, "emails" | "personIds" | "addressIds" | "isGuess">;

/** Finds what a person is known by: the address itself, or for a person ID all IDs and addresses of that person. */
export async function findSought(db: Database, emailOrId: string): Promise<Sought> {
  const { personIds, isGuess } = emailOrId.includes("@")
    ? { personIds: [], isGuess: false }
    : await findGroup(db, emailOrId);
  const emails = emailOrId.includes("@") ? [emailOrId.toLowerCase()] : await findAddresses(db, personIds);
  const known = await db
    .select({ id: personEmails.personId })
    .from(personEmails)
    .where(isAddress(personEmails.email, { emails }))
    .orderBy(personEmails.personId);
  const addressIds = known.map(({ id }) => id).filter((id) => !personIds.includes(id));
  const names = await findNames(db, { emails, personIds, addressIds, isGuess });
  return { emails, personIds, addressIds, names, isGuess };
}

/** Finds the IDs of a person: for one who is known by name only, those that the directory shows as one entry. */
async function findGroup(db: Database, id: string): Promise<Pick<Sought, "personIds" | "isGuess">> {
  const head = sql`coalesce((select r.merged_into from ${people} r where r.id = ${id}), ${id})`;
  const known = await db
    .select({ id: people.id })
    .from(people)
    .where(sql`${people.id} = ${head} or ${people.mergedInto} = ${head}`)
    .orderBy(people.id);
  const unconfirmed = known.length > 0 ? [] : await findUnconfirmed(db, id);
  const found = [id, ...[...known, ...unconfirmed].map((person) => person.id)];
  return { personIds: [...new Set(found)], isGuess: unconfirmed.length > 0 };
}

/** Finds everybody who is one entry of the directory with an unconfirmed speaker: its newest name, in the same workspace. */
const findUnconfirmed = (db: Database, id: string): Promise<{ id: string }[]> =>
  db
    .selectDistinct({ id: sql<string>`p.person_id` })
    .from(sql`${participants} p join ${meetings} m on m.id = p.meeting_id`)
    .where(
      sql`${isUnconfirmed} and (m.workspace_id, p.name) in (
        select m.workspace_id, p.name from ${participants} p join ${meetings} m on m.id = p.meeting_id
        where p.person_id = ${id} and ${isUnconfirmed} order by m.start_time desc, m.id limit 1)`,
    )
    .orderBy(sql`p.person_id`);

async function findAddresses(db: Database, personIds: readonly string[]): Promise<string[]> {
  const rows = await db
    .selectDistinct({ email: personEmails.email })
    .from(personEmails)
    .where(sql`${personEmails.personId} = any(${toTexts(personIds)})`)
    .orderBy(personEmails.email);
  return rows.map(({ email }) => email);
}

/** Finds the names of a person, excluding names that come from someone they were merged with. */
async function findNames(db: Database, sought: Identity): Promise<string[]> {
  const ids = toTexts(listIds(sought));
  const own = sql`select d.name from ${people} d where d.id = any(${ids})`;
  const rows = await db
    .select({ name: sql<string>`name` })
    .from(
      sql`(
        select lower(n.name) as name from (
          ${own}
          union select u.name from ${users} u where ${isAddress(sql`u.email`, sought)}
          union select p.name from ${participants} p where ${isSought(sql`p.email`, sql`p.person_id`, sought)}
          union select a.name from ${calendarAttendees} a where ${isAddress(sql`a.email`, sought)}
          union select k.assignee_name from ${tasks} k
            where ${isSought(sql`k.assignee_email`, sql`k.assignee_person_id`, sought)}
        ) n
        where n.name not in ('', ${ERASED_NAME}) and (n.name in (${own}) or n.name not in (
          select h.name from ${people} d join ${people} h on h.id = d.merged_into where d.id = any(${ids})))
      ) names`,
    )
    .groupBy(sql`name`)
    .orderBy(sql`name`);
  return rows.map(({ name }) => name);
}

/** Writes texts as an array. */
export const toTexts = (texts: readonly string[]): SQL => sql`${writeArray(texts)}::text::text[]`;

/** Lists all IDs of a person. */
export const listIds = ({ personIds, addressIds }: Pick<Identity, "personIds" | "addressIds">): string[] => [
  ...personIds,
  ...addressIds,
];

/** Builds the condition that a column has one of the addresses, ignoring case: meetings store them as they were sent. */
export const isAddress = (column: SQLWrapper, { emails }: Pick<Sought, "emails">): SQL =>
  sql`lower(${column}) = any(${toTexts(emails)})`;

/** Builds the condition that a column has one of some IDs. They are hashed once: a person can have thousands. */
const isOneOf = (column: SQLWrapper, ids: readonly string[]): SQL =>
  sql`${column} in (select unnest(${toTexts(ids)}))`;

/** Builds the condition that an ID is the person's. One who is known only by name can be confirmed meanwhile: then it isn't. */
const isPerson = (personId: SQLWrapper, { personIds, isGuess }: Identity): SQL =>
  isGuess
    ? sql`(${isOneOf(personId, personIds)} and not exists (select from ${people} r where r.id = ${personId}))`
    : isOneOf(personId, personIds);

/** Builds the condition that a row of a meeting is the person's, by address or ID. */
export const isSought = (email: SQLWrapper, personId: SQLWrapper, sought: Identity): SQL =>
  sql`(${isAddress(email, sought)} or ${isPerson(personId, sought)}
    or (${email} is null and ${isOneOf(personId, sought.addressIds)}))`;

/** Builds the condition that a row of a meeting without an address has one of the person's in a name or label. */
export const isCalled = (email: SQLWrapper, called: SQLWrapper, { emails }: Identity): SQL =>
  sql`(${email} is null and ${containsAddress(called, emails)})`;

/** Builds the condition that a speaker is the person: by address or ID, or by an address as their name or label. */
export const isSoughtSpeaker = (
  { id, name, email, personId }: Readonly<Record<"id" | "name" | "email" | "personId", SQLWrapper>>,
  sought: Identity,
): SQL =>
  sql`(${isSought(email, personId, sought)} or ${isCalled(email, id, sought)} or ${isCalled(email, name, sought)})`;

/** Builds the condition that a row of a meeting names the person, also with the address of somebody merged with them. */
export const isNamed = (email: SQLWrapper, personId: SQLWrapper, sought: Identity): SQL =>
  sql`(${isAddress(email, sought)} or ${isPerson(personId, sought)} or ${isOneOf(personId, sought.addressIds)})`;

/** Builds the condition that a text contains one of some others, in lower case. */
export const containsAny = (text: SQLWrapper, parts: readonly string[]): SQL =>
  sql`exists (select from unnest(${toTexts(parts)}) part(t) where strpos(lower(${text}), part.t) > 0)`;

/** Returns a regular expression that finds an address as a whole: not `ann@x.co` in `joann@x.co` or `ann@x.com`. In lower case. */
export const toAddressPattern = (email: string): string =>
  `(?<![a-z0-9._%+'-])${email.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&")}(?![a-z0-9-]|\\.[a-z0-9])`;

/** Builds the condition that a text contains one of some addresses as a whole, in lower case. */
export const containsAddress = (text: SQLWrapper, emails: readonly string[]): SQL =>
  sql`exists (select from unnest(${toTexts(emails)}, ${toTexts(emails.map(toAddressPattern))}) part(t, pattern)
    where strpos(lower(${text}), part.t) > 0 and lower(${text}) ~ part.pattern)`;

/** Builds the condition that a text contains an address or ID of the person, ignoring case. */
export function mentions(text: SQLWrapper, sought: Identity): SQL {
  const ids = listIds(sought).map((id) => id.toLowerCase());
  const hasId = sql`exists (select from regexp_matches(${text}, 'per_[0-9a-z_]+', 'gi') found(id)
    where ${isOneOf(sql`lower(found.id[1])`, ids)}
    ${sought.isGuess ? sql`and not exists (select from ${people} r where r.id = found.id[1])` : sql``})`;
  return sql`(${containsAddress(text, sought.emails)} or ${ids.length > 0 ? hasId : sql`false`})`;
}
