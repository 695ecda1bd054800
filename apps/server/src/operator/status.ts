import { NoInput } from "@minutes/contract";
import { measureFeedDelay } from "@minutes/core";
import { getSchemaState } from "@minutes/db";
import { sql } from "drizzle-orm";
import manifest from "../../package.json" with { type: "json" };
import { readQueues } from "../watch/queues.js";
import { operatorProcedure } from "./procedures.js";

/**
 * What `minutes status` shows: versions of the process that has the database open, sizes and queues. `feedDelay` is in
 * seconds; `search` is null unless a server answers.
 */
export const status = {
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
