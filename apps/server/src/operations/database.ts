import { schemaState } from "@minutes/db";
import { sql } from "drizzle-orm";
import { z } from "zod";
import { operation } from "./operation.js";

export const databaseOperations = {
  /** What `doctor` asks a database. `now` is its clock in Unix milliseconds. */
  "database.inspect": operation(z.strictObject({}), async ({ db }) => {
    const [row] = await db
      .select({
        version: sql<number>`current_setting('server_version_num')::int`,
        now: sql<number>`(extract(epoch from clock_timestamp()) * 1000)::float8`,
        vector: sql<string | null>`(select extversion from pg_extension where extname = 'vector')`,
      })
      .from(sql`(values (1)) one`);
    if (!row) throw new Error("The database did not answer.");
    return { ...row, schema: await schemaState(db) };
  }),
};
