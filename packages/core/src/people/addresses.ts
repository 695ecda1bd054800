import { type Database, schema, writeArray } from "@minutes/db";
import { sql } from "drizzle-orm";
import { generateId } from "../lib/ids.js";
import { isPersonIn } from "./person-id.js";

const { people, personEmails } = schema;

/** An address, in lower case, and the name to give a new person. */
export interface NamedAddress {
  readonly email: string;
  readonly name: string;
  /** The ID of a new person; a random one if absent. */
  readonly personId?: string;
}

/** The person who has an address. */
export interface KnownPerson {
  readonly email: string;
  readonly personId: string;
  /** The revision and name of the directory; the recorder's name counts while the revision is 0. */
  readonly revision: number;
  readonly name: string;
}

/**
 * Finds the people who have these addresses in a workspace, and adds those who are missing. They stay until the
 * transaction ends. Merges are not followed, so that each address keeps its person when a merge is undone.
 */
export async function ensurePeople(
  tx: Database,
  workspaceId: string,
  addresses: readonly NamedAddress[],
): Promise<Map<string, KnownPerson>> {
  const wanted = new Map(addresses.map((address) => [address.email, address]));
  // Sorted, so that concurrent imports lock in one order.
  const sorted = [...wanted.keys()].sort();
  const found = await findPeople(tx, workspaceId, sorted);
  const missing = sorted.filter((email) => !found.has(email));
  if (missing.length === 0) return found;
  await tx.execute(sql`
    with added as (
      insert into ${personEmails} (workspace_id, email, person_id)
      select ${workspaceId}, a.email, a.id
      from unnest(${writeArray(missing)}::text::text[], ${writeArray(missing.map((email) => wanted.get(email)?.personId ?? generateId("per")))}::text::text[])
        as a(email, id)
      order by a.email
      on conflict do nothing returning person_id, email
    )
    insert into ${people} (id, workspace_id, name)
    select added.person_id, ${workspaceId}, n.name
    from added join unnest(${writeArray(missing)}::text::text[],
      ${writeArray(missing.map((email) => wanted.get(email)?.name ?? email))}::text::text[]) as n(email, name)
      on n.email = added.email`);
  // Another transaction may have added some of them: a new statement sees those.
  const rest = await findPeople(tx, workspaceId, missing);
  return new Map([...found, ...rest]);
}

const isHead = isPersonIn(sql`h`, sql`${people.mergedInto}`, sql`${people.workspaceId}`);

async function findPeople(
  tx: Database,
  workspaceId: string,
  emails: readonly string[],
): Promise<Map<string, KnownPerson>> {
  if (emails.length === 0) return new Map();
  const rows = await tx
    .select({
      email: personEmails.email,
      personId: people.id,
      revision: sql<number>`coalesce((select h.revision from ${people} h where ${isHead}), ${people.revision})`,
      name: sql<string>`coalesce((select h.name from ${people} h where ${isHead}), ${people.name})`,
    })
    // A join, because a condition on a list compares each address with each row where the planner expects few.
    .from(sql`unnest(${sql.placeholder("emails")}::text::text[]) a (email)`)
    .innerJoin(
      personEmails,
      sql`${personEmails.workspaceId} = ${sql.placeholder("workspaceId")} and ${personEmails.email} = a.email`,
    )
    .innerJoin(
      people,
      isPersonIn(sql`${people}`, sql`${personEmails.personId}`, sql`${personEmails.workspaceId}`),
    )
    .orderBy(people.id)
    .for("key share", { of: people })
    .prepare("find_people")
    .execute({ workspaceId, emails: writeArray(emails) });
  return new Map(rows.map((row) => [row.email, row]));
}
