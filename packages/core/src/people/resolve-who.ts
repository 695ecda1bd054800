import { MESSAGES, type Who } from "@minutes/contract";
import { type Database, schema } from "@minutes/db";
import { and, eq, type SQL, sql } from "drizzle-orm";
import { buildScopeCondition, type Scope } from "../access/index.js";
import { ApiError } from "../lib/errors.js";
import { generateId } from "../lib/ids.js";
import { ensurePeople } from "./addresses.js";
import { isPersonIn } from "./person-id.js";
import { addPerson } from "./reidentify.js";

const { meetings, members, participants, people, peopleWork, personEmails, tasks, users } = schema;

/** A person as the row of a speaker or task has them. */
export interface KnownAs {
  readonly personId: string;
  readonly personRevision: number | null;
  readonly name: string;
  readonly email: string | null;
}

/**
 * Finds or adds the person that a caller names: by ID if they can read one of the person's meetings in this workspace, by
 * address, or a new one by name.
 * @param own the speaker's ID until now; a new person takes it if nobody is known by it
 * @throws ApiError 404 for a person the caller can't see, 400 without a name if they can see nobody with the address
 */
export async function resolveWho(
  tx: Database,
  {
    workspaceId,
    scope,
    own,
  }: { readonly workspaceId: string; readonly scope: Scope; readonly own: string | null },
  { personId, name: given, email }: Who,
): Promise<KnownAs> {
  const place = { workspaceId, scope };
  if (personId !== undefined) return findVisible(tx, place, personId, given);
  if (given === undefined && email === undefined) throw new ApiError("BAD_REQUEST", MESSAGES.whoIsMissing);
  const name = given ?? (await findNameOf(tx, place, email ?? ""));
  if (name === undefined) throw new ApiError("BAD_REQUEST", MESSAGES.whoIsUnknown);
  if (email === undefined) {
    const isFree =
      own !== null &&
      (await tx.$count(people, eq(people.id, own))) === 0 &&
      (await addPerson(tx, workspaceId, own, name));
    const id = isFree ? own : generateId("per");
    if (!isFree) await addPerson(tx, workspaceId, id, name);
    return { personId: id, personRevision: null, name, email: null };
  }
  const known = (await ensurePeople(tx, workspaceId, [{ email, name }])).get(email);
  if (!known) throw new Error("The person is missing.");
  const { personId: id, revision } = known;
  return revision > 0
    ? { personId: id, personRevision: revision, name: known.name, email }
    : { personId: id, personRevision: null, name, email };
}

/** Looks up the name for an e-mail address: a member of the workspace, or a person in a meeting in the scope. */
async function findNameOf(
  tx: Database,
  { workspaceId, scope }: { readonly workspaceId: string; readonly scope: Scope },
  email: string,
): Promise<string | undefined> {
  const [member] = await tx
    .select({ name: users.name })
    .from(members)
    .innerJoin(users, eq(users.id, members.userId))
    .where(and(eq(members.workspaceId, workspaceId), eq(users.email, email)));
  if (member) return member.name;
  const [person] = await tx
    .select({ id: personEmails.personId })
    .from(personEmails)
    .where(and(eq(personEmails.workspaceId, workspaceId), eq(personEmails.email, email)));
  if (!person) return undefined;
  const [found] = await tx
    .select({ name: sql<string>`name` })
    .from(sql`(${selectVisible(scope)}) found`)
    .prepare(`visible_name_${scope.name}`)
    .execute({ ...scope.values, personId: person.id, workspaceId });
  return found?.name;
}

async function findVisible(
  tx: Database,
  { workspaceId, scope }: { readonly workspaceId: string; readonly scope: Scope },
  personId: string,
  name: string | undefined,
): Promise<KnownAs> {
  const [found] = await tx
    .select({ head: sql<string>`head`, name: sql<string>`name`, email: sql<string | null>`email` })
    .from(sql`(${selectVisible(scope)}) found`)
    .prepare(`visible_person_${scope.name}`)
    .execute({ ...scope.values, personId, workspaceId });
  if (!found || !(await addPerson(tx, workspaceId, found.head, found.name)))
    throw new ApiError("NOT_FOUND", MESSAGES.personNotFound);
  // Kept until the transaction ends.
  const [row] = await tx
    .select({ revision: people.revision })
    .from(people)
    .where(eq(people.id, found.head))
    .for("key share");
  const revision = row?.revision ?? 0;
  return {
    personId: found.head,
    personRevision: revision > 0 ? revision : null,
    name: name ?? found.name,
    email: found.email,
  };
}

/**
 * Selects how a person is called in the newest meeting in the scope, preferably one that has their address. Meetings that
 * still name people of a former workspace don't count.
 */
const selectVisible = (scope: Scope): SQL => sql`
  with head as materialized (
    select coalesce((select r.merged_into from ${people} r
        where ${isPersonIn(sql`r`, sql.placeholder("personId"), sql.placeholder("workspaceId"))}),
      ${sql.placeholder("personId")}::text) as id
  ), all_ids as materialized (
    select h.id from head h
    union select g.id from ${people} g, head h
      where g.merged_into = h.id and g.workspace_id = ${sql.placeholder("workspaceId")}
  ), seen as (
    select p.meeting_id, p.name, p.email from ${participants} p where p.person_id in (select a.id from all_ids a)
    union all
    select k.meeting_id, k.assignee_name, k.assignee_email from ${tasks} k
    where k.assignee_person_id in (select a.id from all_ids a) and k.assignee_name is not null
  )
  select (select h.id from head h) as head, s.name, s.email
  from seen s join ${meetings} m on m.id = s.meeting_id
  where m.workspace_id = ${sql.placeholder("workspaceId")} and ${buildScopeCondition(scope)}
    and not exists (select from ${peopleWork} w where w.meeting_id = m.id)
  order by s.email is null, m.start_time desc, m.id limit 1`;
