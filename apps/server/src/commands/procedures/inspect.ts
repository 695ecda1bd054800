import { NoInput } from "@minutes/contract";
import { countUnreadable, measureFeedDelay } from "@minutes/core";
import { compareAudio, createKeptFiles } from "@minutes/core/kept-audio";
import { type Database, findMove, getSchemaState, readLayout, schema as tables } from "@minutes/db";
import { countAllWaiting, hasSearchLanguage, type SimilarityState } from "@minutes/search";
import { sql } from "drizzle-orm";
import { z } from "zod";
import manifest from "../../../package.json" with { type: "json" };
import { readQueues } from "../../operations/watch/queues.js";
import { type OperatorContext, operatorProcedure } from "../operator/procedures.js";

/** Reads the server's search mode, and how many meetings its model has not encoded yet. */
async function readSearch(
  db: Database,
  search: OperatorContext["search"],
): Promise<(SimilarityState & { waiting: number }) | null> {
  if (!search) return null;
  const state = search.state();
  return { ...state, waiting: state.mode === "words" ? 0 : await countAllWaiting(db, state.name) };
}

/** Compares kept audio with its files. `unreadable` if this process can't read the directory. */
async function readKeptAudio(db: Database, directory: string | null) {
  let unreadable = false;
  const list = async () => {
    if (directory === null) return [];
    return createKeptFiles(directory)
      .list()
      .catch(() => {
        unreadable = true;
        return [];
      });
  };
  return { directory, ...(await compareAudio({ db, files: { list } })), unreadable };
}

/** Lists workspaces that lost their last admin: nobody's erasure waits for a successor. */
async function listWithoutAdmin(db: Database): Promise<string[]> {
  const { members } = tables;
  const found = await db
    .select({ id: members.workspaceId })
    .from(members)
    .groupBy(members.workspaceId)
    .having(sql`not bool_or(${members.role} = 'admin')`)
    .orderBy(members.workspaceId)
    .limit(10);
  return found.map(({ id }) => id);
}

/** Settings whose values depend on the database. `audioDirectory` is null if there is none. */
const SettingsToInspect = z.strictObject({
  searchLanguage: z.string().optional(),
  audioDirectory: z.string().nullable(),
});

export const database = {
  /**
   * Data for `minutes doctor`. `version` is `server_version_num`; `now` is the database's clock in Unix ms;
   * `connections` counts other Minutes connections; `url` is null unless a server answers; `feedDelay` and
   * `retentionOverdue` are in seconds; `moved` says where the data went, null if nowhere; `unreadableSecrets` counts rows by kind; `languageKnown` is false if the database lacks the search language; `keptAudio` is null for another schema; `layout` is null unless tables are distributed; `search` is null unless a
   * server answers, and its `waiting` counts meetings without vectors of the current model; `withoutAdmin` has the IDs
   * of workspaces whose last admin was erased, ten at most.
   */
  inspect: operatorProcedure.input(SettingsToInspect).query(async ({ ctx, input }) => {
    const { db, webhooks, search, url = null } = ctx;
    const [row] = await db
      .select({
        version: sql<number>`current_setting('server_version_num')::int`,
        now: sql<number>`(extract(epoch from clock_timestamp()) * 1000)::float8`,
        encoding: sql<string>`current_setting('server_encoding')`,
        vector: sql<string | null>`(select extversion from pg_extension where extname = 'vector')`,
        connections: sql<number>`(select count(*)::int from pg_stat_activity
          where datname = current_database() and application_name = 'minutes' and pid <> pg_backend_pid())`,
      })
      .from(sql`(values (1)) one`);
    if (!row) throw new Error("The database did not answer.");
    const schema = await getSchemaState(db);
    const unreadableSecrets = schema === "current" ? await countUnreadable(db, webhooks.keyring) : null;
    const feedDelay = await measureFeedDelay(db);
    const layout = await readLayout(db);
    const retentionOverdue = schema === "current" ? (await readQueues(db)).retentionOverdue : 0;
    return {
      ...row,
      url,
      moved: (await findMove(db))?.message ?? null,
      feedDelay,
      retentionOverdue,
      schema,
      unreadableSecrets,
      languageKnown:
        input.searchLanguage === undefined || (await hasSearchLanguage(db, input.searchLanguage)),
      keptAudio: schema === "current" ? await readKeptAudio(db, input.audioDirectory) : null,
      layout,
      search: await readSearch(db, search),
      withoutAdmin: schema === "current" ? await listWithoutAdmin(db) : [],
    };
  }),
};

export const status = {
  /** URL of the API in the process that has the database open; null unless it serves it. */
  address: operatorProcedure.input(NoInput).query(({ ctx: { url = null } }) => ({ url })),
  /**
   * Data for `minutes status`: versions of the process that has the database open, sizes and queues. `feedDelay` is in
   * seconds; `search` is null unless a server answers, and its `waiting` counts meetings without vectors of the current
   * model.
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
      search: await readSearch(db, search),
    };
  }),
};
