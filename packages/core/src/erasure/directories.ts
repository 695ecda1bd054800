import { type Database, schema, writeArray } from "@minutes/db";
import { and, eq, sql } from "drizzle-orm";
import { isAddress, listIds, type Sought, toTexts } from "./sought.js";

const { people, personEmails } = schema;

/** What an erasure changed in the directories of people. */
export interface ErasedFromDirectories {
  /** IDs of the people who are gone. */
  readonly personIds: readonly string[];
  /** IDs of people who were merged into one of them, and now have a name of their own. Their meetings follow. */
  readonly renamedIds: readonly string[];
}

/**
 * Takes a person out of the directories, with their addresses and names. Whoever was merged with them stays: if they stood for
 * others, the one with the first address does now, under the name from before the merge.
 *
 * Waits for transactions that use the person, such as imports, whose meetings a repeated search then finds.
 */
export async function eraseFromDirectories(db: Database, sought: Sought): Promise<ErasedFromDirectories> {
  // Somebody known only by name has no entry. One that was added meanwhile is a person who was confirmed.
  if (sought.isGuess) return { personIds: [], renamedIds: [] };
  return db.transaction(async (tx) => {
    const group = await lockGroups(tx, sought);
    const gone = new Set(group.filter((one) => one.isSought).map(({ id }) => id));
    const renamedIds: string[] = [];
    for (const head of group) {
      if (!gone.has(head.id) || head.mergedInto !== null) continue;
      const [next, ...others] = group.filter((one) => one.mergedInto === head.id && !gone.has(one.id));
      if (!next) continue;
      await tx
        .update(people)
        .set({ mergedInto: null, revision: head.revision + 1, updatedAt: sql`now()` })
        .where(eq(people.id, next.id));
      await tx
        .update(people)
        .set({ mergedInto: next.id, updatedAt: sql`now()` })
        .where(sql`${people.id} = any(${toTexts(others.map(({ id }) => id))})`);
      renamedIds.push(next.id);
    }
    // Their addresses go with them.
    await tx.delete(people).where(sql`${people.id} = any(${writeArray([...gone])}::text::text[])`);
    return { personIds: [...gone], renamedIds };
  });
}

/** Locks the people who are sought, and those merged with them, in the order in which they stand in for each other. */
async function lockGroups(tx: Database, sought: Sought) {
  const isSought = sql`(g.id = any(${toTexts(listIds(sought))})
    or exists (select from ${personEmails} where ${personEmails.personId} = g.id and ${isAddress(personEmails.email, sought)}))`;
  const isInGroup = sql`coalesce(${people.mergedInto}, ${people.id}) in (
    select coalesce(g.merged_into, g.id) from ${people} g where ${isSought})`;
  await tx.select({ id: people.id }).from(people).where(isInGroup).orderBy(people.id).for("update");
  // A new statement sees what the transactions that held the locks have changed.
  const email = sql`(select min(${personEmails.email}) from ${personEmails} where ${personEmails.personId} = ${people.id})`;
  return tx
    .select({
      id: people.id,
      mergedInto: people.mergedInto,
      revision: people.revision,
      isSought: sql<boolean>`exists (select from ${people} g where ${and(sql`g.id = ${people.id}`, isSought)})`,
    })
    .from(people)
    .where(isInGroup)
    .orderBy(sql`${email} nulls last`, people.id);
}
