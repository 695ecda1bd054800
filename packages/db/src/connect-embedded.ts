import { type Connection, type Database, TIMESTAMPTZ } from "./database.js";
import type { Engine, EngineEvent } from "./embedded/engine.js";
import { FairLimit, HEAVY } from "./fair-limit.js";
import { createSchema, migrateEmbedded } from "./migrate.js";
import { toInstant } from "./schema/types.js";
import { enableStatements } from "./statement.js";

export interface EmbeddedOptions {
  /** Data directory, whose lock the caller holds. Absent: in memory. */
  readonly dataDir?: string;
  /** A dump of an embedded database to start from. */
  readonly from?: Blob;
  /** False skips migrations. A number creates the schema of that version, as `createSchema` does. */
  readonly migrate?: boolean | number;
  /** Called when the engine aborts, for example because the disk is full, and when it works again. */
  readonly onEvent?: (event: EngineEvent) => void;
}

/**
 * Opens the embedded database and migrates it.
 * @throws SchemaNewerError if a newer version wrote the schema, ExplainedError if the files are not a database
 */
export async function connectEmbedded(
  options: EmbeddedOptions = {},
): Promise<Connection & { client: Engine }> {
  // Imported lazily: a process on PostgreSQL needs neither.
  const [{ drizzle }, { openEngine }] = await Promise.all([
    import("drizzle-orm/pglite"),
    import("./embedded/engine.js"),
  ]);
  const client = await openEngine(options);
  try {
    const embedded = drizzle(client as never);
    if (typeof options.migrate === "number") await createSchema(embedded, options.migrate);
    else if (options.migrate !== false) await migrateEmbedded(embedded);
    await client.markComplete();
    const db = embedded as unknown as Database;
    const parsers = { [TIMESTAMPTZ]: toInstant };
    const run = async ({ query }: Engine, text: string, values: unknown[]) =>
      (await query(text, values, { parsers })).rows;
    // One heavy statement and one costly call at a time, so that others get their turn in between.
    const createLimit = () => new FairLimit({ ...HEAVY, total: 1, perHolder: 1 });
    enableStatements(db, client, run, { run, statements: createLimit(), calls: createLimit() });
    return {
      engine: "embedded",
      db,
      background: db,
      client,
      listen: (channel, onNotify) => client.listen(channel, onNotify),
      close: () => client.close(),
    };
  } catch (error) {
    await client.close();
    throw error;
  }
}
