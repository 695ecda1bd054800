import { MESSAGES, NoInput } from "@minutes/contract";
import { ApiError } from "@minutes/core";
import { getSchemaState } from "@minutes/db";
import { countOutdated, reindexSome, setSearchLanguage } from "@minutes/search";
import { sql } from "drizzle-orm";
import { z } from "zod";
import { operatorProcedure } from "./procedures.js";

export const database = {
  /**
   * What `minutes doctor` asks. `version` is `server_version_num`; `now` is the database's clock in
   * Unix milliseconds; `connections` counts other connections of Minutes; `port` is null unless a server answers.
   */
  inspect: operatorProcedure.input(NoInput).query(async ({ ctx: { db, port = null } }) => {
    const [row] = await db
      .select({
        version: sql<number>`current_setting('server_version_num')::int`,
        now: sql<number>`(extract(epoch from clock_timestamp()) * 1000)::float8`,
        vector: sql<string | null>`(select extversion from pg_extension where extname = 'vector')`,
        connections: sql<number>`(select count(*)::int from pg_stat_activity
          where datname = current_database() and application_name = 'minutes' and pid <> pg_backend_pid())`,
      })
      .from(sql`(values (1)) one`);
    if (!row) throw new Error("The database did not answer.");
    return { ...row, port, schema: await getSchemaState(db) };
  }),
};

/** Meetings per step of reindexing: few, so that progress shows and requests get their turn in between. */
const STEP = 5;

export const search = {
  /** Sets the search language where one is given, then counts the meetings that have to be indexed again. */
  prepareReindex: operatorProcedure
    .input(z.strictObject({ language: z.string().optional() }))
    .mutation(async ({ ctx: { db }, input: { language } }) => {
      if (language !== undefined && !(await setSearchLanguage(db, language)))
        throw new ApiError("BAD_REQUEST", MESSAGES.unknownSearchLanguage);
      return { outdated: await countOutdated(db) };
    }),
  /** Indexes a few of those meetings; `done` is 0 when none is left. */
  reindex: operatorProcedure
    .input(NoInput)
    .mutation(async ({ ctx }) => ({ done: await reindexSome(ctx.db, STEP) })),
};
