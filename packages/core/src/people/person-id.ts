import { schema } from "@minutes/db";
import { type SQL, sql } from "drizzle-orm";

const { people } = schema;

/** Follows the merge of a person: selects the ID that stands for `person`, a column; null if it is null. */
const followMerge = (person: SQL): SQL =>
  sql`coalesce((select r.merged_into from ${people} r where r.id = ${person}), ${person})`;

/**
 * The ID of participant `p` outside: the person, or the recorder's label until the background job has identified them.
 * Every statement that answers with a speaker's ID uses it.
 */
export const participantId: SQL = sql`coalesce(${followMerge(sql`p.person_id`)}, p.id)`;

/** The ID of the assignee of task `k` outside, as `participantId`; null if there is neither person nor label. */
export const assigneeId: SQL = sql`coalesce(${followMerge(sql`k.assignee_person_id`)}, k.assignee_id)`;
