import { ApiError, isUnconfirmed, listUnusedTags } from "@minutes/core";
import { type Database, schema } from "@minutes/db";
import { desc, eq, or, type SQL, sql } from "drizzle-orm";
import type { PgTable } from "drizzle-orm/pg-core";
import { z } from "zod";
import { NAMED } from "../cli/named.js";
import { operatorProcedure } from "../operator/procedures.js";

const { apiKeys, ingestKeys, meetings, participants, people, personEmails, tags, webhooks } = schema;

type NamedTable = typeof tags | typeof apiKeys | typeof ingestKeys | typeof webhooks | typeof people;

/** Tables of the objects of each kind. */
const TABLES: Readonly<Record<(typeof NAMED)[number], readonly NamedTable[]>> = {
  tag: [tags],
  key: [apiKeys, ingestKeys],
  webhook: [webhooks],
  person: [people],
};

/** Builds the condition that a row has a name. People have addresses as well, and those merged into others are no rows. */
const isCalled = (table: NamedTable, name: string): SQL =>
  table === people
    ? sql`(${people.name} = ${name} or ${people.id} in (
        select coalesce(p.merged_into, p.id) from ${personEmails} e join ${people} p on p.id = e.person_id
        where e.email = ${name.toLowerCase()})) and ${people.mergedInto} is null`
    : sql`${table.name} = ${name}`;

/** Finds the people who are known only by a name, one per workspace: any ID of a speaker with the name stands for them. */
async function findUnconfirmed(db: Database, name: string): Promise<string[]> {
  const found = await db
    .select({ id: sql<string>`min(p.person_id)` })
    .from(sql`${participants} p join ${meetings} m on m.id = p.meeting_id`)
    .where(sql`p.name = ${name} and ${isUnconfirmed}`)
    .groupBy(sql`m.workspace_id`)
    .limit(6);
  return found.map(({ id }) => id);
}

/** Finds the IDs of objects that a command names. */
export const names = {
  /**
   * Finds an ID by itself or by a name.
   * @returns the text itself if nothing has that ID or name
   * @throws ApiError 409 if several have the name
   */
  find: operatorProcedure
    .input(z.strictObject({ kind: z.enum(NAMED), idOrName: z.string() }))
    .query(async ({ ctx, input: { kind, idOrName } }) => {
      const found: string[] = [];
      for (const table of TABLES[kind]) {
        const rows = await ctx.db
          .select({ id: table.id })
          .from(table as PgTable)
          .where(or(eq(table.id, idOrName), isCalled(table, idOrName)))
          .orderBy(desc(eq(table.id, idOrName)))
          .limit(6);
        found.push(...rows.map(({ id }) => id));
      }
      if (kind === "person" && found.length === 0) found.push(...(await findUnconfirmed(ctx.db, idOrName)));
      const [id = idOrName, ...others] = found.includes(idOrName) ? [idOrName] : found;
      if (id === idOrName || others.length === 0) return id;
      throw new ApiError("CONFLICT", `Several have this name. Use an ID: ${[id, ...others].join(", ")}.`);
    }),
  /** Lists tags that a webhook names and its user doesn't have; for a workspace webhook, those that no member has. */
  listUnusedTags: operatorProcedure
    .input(z.strictObject({ webhookId: z.string() }))
    .query(async ({ ctx: { db }, input }) => {
      const [webhook] = await db.select().from(webhooks).where(eq(webhooks.id, input.webhookId));
      const { userId = null, workspaceId = null, tags: named = [] } = webhook ?? {};
      if (workspaceId !== null) return listUnusedTags(db, { workspaceId }, named);
      return userId === null ? [] : listUnusedTags(db, { userId }, named);
    }),
};
