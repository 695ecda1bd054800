import { type Connection, TIMESTAMPTZ } from "./connection.js";
import type { Database } from "./database.js";
import type { Engine, EngineEvent } from "./embedded/engine.js";
import { migrateEmbedded } from "./migrate.js";
import { toInstant } from "./schema/types.js";
import { enableStatements } from "./statement.js";

export interface EmbeddedOptions {
  /** Directory that holds the data; absent keeps everything in memory. The caller holds its lock. */
  readonly dataDir?: string;
  /** A dump of an embedded database to start from. */
  readonly from?: Blob;
  /** False leaves the schema as it is. */
  readonly migrate?: boolean;
  /** Is told when the engine aborts, as it does when the disk is full, and when it works again. */
  readonly onEvent?: (event: EngineEvent) => void;
}

/**
 * Opens the embedded database and brings its schema up to date.
 * @throws SchemaNewerError when a newer version wrote the schema, DataDirError when the files are no database.
 */
export async function connectEmbedded(
  options: EmbeddedOptions = {},
): Promise<Connection & { client: Engine }> {
  // Loaded here, because a process on PostgreSQL needs neither.
  const [{ drizzle }, { openEngine }] = await Promise.all([
    import("drizzle-orm/pglite"),
    import("./embedded/engine.js"),
  ]);
  const client = await openEngine(options);
  try {
    const embedded = drizzle(client as never);
    if (options.migrate !== false) await migrateEmbedded(embedded);
    await client.markComplete();
    const db = embedded as unknown as Database;
    const parsers = { [TIMESTAMPTZ]: toInstant };
    enableStatements(db, async (text, values) => (await client.query(text, values, { parsers })).rows);
    return {
      engine: "embedded",
      db,
      client,
      listen: (channel, onNotify) => client.listen(channel, onNotify),
      close: () => client.close(),
    };
  } catch (error) {
    await client.close();
    throw error;
  }
}
