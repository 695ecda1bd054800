import { ApiError } from "@minutes/core";
import { schema } from "@minutes/db";
import { desc, eq, or } from "drizzle-orm";
import { z } from "zod";
import { NAMED } from "../cli/named.js";
import { operatorProcedure } from "../operator/procedures.js";

const TABLES = {
  tag: schema.tags,
  key: schema.apiKeys,
  ingestKey: schema.ingestKeys,
  webhook: schema.webhooks,
};

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
        .where(or(eq(table.id, idOrName), eq(table.name, idOrName)))
        .orderBy(desc(eq(table.id, idOrName)))
        .limit(6);
      const [id = idOrName, ...others] = found.map((row) => row.id);
      if (id === idOrName || others.length === 0) return id;
      throw new ApiError("CONFLICT", `Several have this name. Use an ID: ${[id, ...others].join(", ")}.`);
    }),
};
