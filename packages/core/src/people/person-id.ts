import { schema } from "@minutes/db";
import { type SQL, type SQLWrapper, sql } from "drizzle-orm";

const { people, personEmails, users } = schema;

/**
 * Builds the condition that `row` of `people` is a person that a meeting names. The reference is the person's ID with the
 * workspace of the meeting: one that has just moved still names people of the former workspace, whom nobody in the new one can
 * see or change. Every statement that joins people with the rows of meetings uses it.
 */
export const isPersonIn = (row: SQL, person: SQLWrapper, workspace: SQLWrapper): SQL =>
  sql`${row}.id = ${person} and ${row}.workspace_id = ${workspace}`;

/** Selects a column with a person; null for one whom a meeting still names and who is another workspace's. */
export const selectOwnPerson = (person: SQLWrapper, workspace: SQLWrapper): SQL<string | null> =>
  sql`case when not exists (
    select from ${people} r where r.id = ${person} and r.workspace_id <> ${workspace}) then ${person} end`;

/** Follows the merge of a person: selects the ID that stands for `person`, a column; null if it is null. */
const followMerge = (person: SQL, workspace: SQL): SQL =>
  sql`coalesce((select r.merged_into from ${people} r where ${isPersonIn(sql`r`, person, workspace)}), ${person})`;

/**
 * Builds the ID of participant `p` outside: the person, or the recorder's label until the background job has identified
 * them. Every statement that answers with a speaker's ID uses it.
 * @param workspace the workspace of the meeting, by default of `m`
 */
export const participantId = (workspace: SQL = sql`m.workspace_id`): SQL =>
  sql`coalesce(${followMerge(sql`p.person_id`, workspace)}, p.id)`;

/** The ID of the assignee of task `k` outside, as `participantId`; null if there is neither person nor label. */
export const assigneeId: SQL = sql`coalesce(${followMerge(sql`k.assignee_person_id`, sql`k.workspace_id`)}, k.assignee_id)`;

/**
 * Builds the condition that task `k` is assigned to a user: to the person who has the user's address in the workspace of the
 * meeting. A name alone decides nothing, because anybody can have it. An address counts before it is confirmed: without mail,
 * an invited person's never is, and what it grants is completing a task of a meeting that the user can read.
 */
export const isAssignedTo = (user: SQL): SQL => sql`exists (
  select from ${users} u
  join ${personEmails} e on e.email = u.email and e.workspace_id = k.workspace_id
  join ${people} d on ${isPersonIn(sql`d`, sql`e.person_id`, sql`k.workspace_id`)}
  where u.id = ${user}
    and coalesce(d.merged_into, d.id) = ${followMerge(sql`k.assignee_person_id`, sql`k.workspace_id`)})`;

/**
 * Builds the condition that task `k` is assigned to the name of a user's account, and that neither the task nor its person has
 * an address. A guess, for lists only: it grants no access.
 */
export const isNamedLike = (user: SQL): SQL => {
  const person = followMerge(sql`k.assignee_person_id`, sql`k.workspace_id`);
  return sql`(
  k.assignee_email is null and k.assignee_name = (select u.name from ${users} u where u.id = ${user}) and not exists (
    select from ${people} d join ${personEmails} e on e.person_id = d.id
    where d.workspace_id = k.workspace_id and (d.id = ${person} or d.merged_into = ${person})))`;
};

/**
 * Removes accents and case, because people type Jose for José and Lukasz for Łukasz. Most names are ASCII and need less: lists
 * fold thousands.
 */
export const foldName = (name: SQL): SQL =>
  sql`case when octet_length(${name}) = length(${name}) then lower(${name}) else translate(lower(regexp_replace(normalize(${name}, NFD), '[\u0300-\u036f]', '', 'g')), 'łøđð', 'lodd') end`;

/** Matches a person by a part of the name, without accents, or by the whole e-mail address. */
export const namesPerson = (
  text: SQLWrapper,
  person: { readonly name: SQL; readonly email: SQL },
): SQL => sql`
  (lower(${person.email}) = lower(${text}::text) or position(${foldName(sql`${text}::text`)} in ${foldName(person.name)}) > 0)`;
