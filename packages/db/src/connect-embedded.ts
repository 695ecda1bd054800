import { setTimeout as sleep } from "node:timers/promises";
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
    let begun = 0;
    const run = async ({ query }: Engine, text: string, values: unknown[]) => {
      begun++;
      return (await query(text, values, { parsers })).rows;
    };
    // One heavy statement and one costly call at a time, so that others get their turn in between.
    const createLimit = () => new FairLimit({ ...HEAVY, total: 1, perHolder: 1 });
    let latestDuration = 0;
    const runHeavy: typeof run = async (...statement) => {
      await waitForQuiet(() => begun, latestDuration / 2);
      const started = performance.now();
      try {
        return await run(...statement);
      } finally {
        latestDuration = performance.now() - started;
      }
    };
    enableStatements(db, client, run, { run: runHeavy, statements: createLimit(), calls: createLimit() });
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

/** Time in ms without a new statement after which calls are done. */
const QUIET = 2;

/**
 * Waits until calls that consist of several statements, such as a key check and a list, are done: otherwise each of their
 * statements would wait for a heavy one.
 * @param timeout in ms: half of the time that the latest heavy statement took, so that heavy work gets two thirds
 */
async function waitForQuiet(countBegun: () => number, timeout: number): Promise<void> {
  const end = performance.now() + timeout;
  for (let seen = -1; seen !== countBegun() && performance.now() < end; ) {
    seen = countBegun();
    await sleep(QUIET);
  }
}
