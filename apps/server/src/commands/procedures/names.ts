import { ApiError } from "@minutes/core";
import { schema } from "@minutes/db";
import { desc, eq, or, type SQL, sql } from "drizzle-orm";
import { z } from "zod";
import { NAMED } from "../cli/named.js";
import { operatorProcedure } from "../operator/procedures.js";

const TABLES = {
  tag: schema.tags,
  key: schema.apiKeys,
  ingestKey: schema.ingestKeys,
  webhook: schema.webhooks,
  person: schema.people,
};
const { people, personEmails } = schema;

/** Builds the condition that a row has a name. People have addresses as well, and those merged into others are no rows. */
const isCalled = (kind: keyof typeof TABLES, name: string): SQL | undefined =>
  kind === "person"
    ? sql`(${people.name} = ${name} or ${people.id} in (
        select coalesce(p.merged_into, p.id) from ${personEmails} e join ${people} p on p.id = e.person_id
        where e.email = ${name.toLowerCase()})) and ${people.mergedInto} is null`
    : eq(TABLES[kind].name, name);

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
      const table = TABLES[kind];
      const found = await ctx.db
        .select({ id: table.id })
        .from(table)
        .where(or(eq(table.id, idOrName), isCalled(kind, idOrName)))
        .orderBy(desc(eq(table.id, idOrName)))
        .limit(6);
      const [id = idOrName, ...others] = found.map((row) => row.id);
      if (id === idOrName || others.length === 0) return id;
      throw new ApiError("CONFLICT", `Several have this name. Use an ID: ${[id, ...others].join(", ")}.`);
    }),
};
