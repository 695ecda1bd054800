import { NoInput } from "@minutes/contract";
import { countUnreadableSecrets, measureFeedDelay } from "@minutes/core";
import { getSchemaState, readLayout } from "@minutes/db";
import { sql } from "drizzle-orm";
import manifest from "../../../package.json" with { type: "json" };
import { readQueues } from "../../operations/watch/queues.js";
import { operatorProcedure } from "../operator/procedures.js";

export const database = {
  /**
   * Data for `minutes doctor`. `version` is `server_version_num`; `now` is the database's clock in Unix ms;
   * `connections` counts other Minutes connections; `url` is null unless a server answers; `feedDelay` is in seconds;
   * `unreadableSecrets` counts webhooks; `layout` is null unless tables are distributed.
   */
  inspect: operatorProcedure.input(NoInput).query(async ({ ctx: { db, webhooks, url = null } }) => {
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
    const schema = await getSchemaState(db);
    const unreadableSecrets = schema === "current" ? await countUnreadableSecrets(db, webhooks.keyring) : 0;
    const feedDelay = await measureFeedDelay(db);
    return { ...row, url, feedDelay, schema, unreadableSecrets, layout: await readLayout(db) };
  }),
};

export const status = {
  /** URL of the API in the process that has the database open; null unless it serves it. */
  address: operatorProcedure.input(NoInput).query(({ ctx: { url = null } }) => ({ url })),
  /**
   * Data for `minutes status`: versions of the process that has the database open, sizes and queues. `feedDelay` is in
   * seconds; `search` is null unless a server answers.
   */
  read: operatorProcedure.input(NoInput).query(async ({ ctx: { db, dataDir, search } }) => {
    const [row] = await db
      .select({ version: sql<string>`current_setting('server_version')` })
      .from(sql`(values (1)) one`);
    if (!row) throw new Error("The database did not answer.");
    const { databaseBytes, connectionsActive, connectionsIdle, connectionsInTransaction, ...queues } =
      await readQueues(db);
    return {
      version: manifest.version,
      node: process.versions.node,
      engine: dataDir === null ? "postgres" : "embedded",
      postgresVersion: row.version,
      schema: await getSchemaState(db),
      databaseBytes,
      connections: connectionsActive + connectionsIdle + connectionsInTransaction,
      queues,
      feedDelay: await measureFeedDelay(db),
      search: search?.state() ?? null,
    };
  }),
};
