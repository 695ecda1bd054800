import {
  type Connection,
  connectEmbedded,
  connectPostgres,
  type Database,
  updateSqlFunctions,
} from "@minutes/db";
import { createTestDatabase, onPostgres } from "@minutes/testing";
import { sql } from "drizzle-orm";
import type { Release } from "./files.js";

/** A database as left by a released version. */
export interface RestoredRelease {
  /** Its URL on PostgreSQL; null if embedded. */
  readonly url: string | null;
  /** Connects as a process of the release does, without migrating. PostgreSQL only. */
  connectOld(): Promise<Connection>;
  /** Connects as a new process does, which migrates the schema. */
  connectNew(): Promise<Connection>;
  /** Closes the connections and removes the database. */
  remove(): Promise<void>;
}

/** Restores the dump of a release on the engine of this run. */
export const restoreRelease = ({ sql }: Pick<Release, "sql">): Promise<RestoredRelease> =>
  onPostgres ? restoreOnServer(sql) : restoreInProcess(sql);

async function restoreInProcess(statements: string): Promise<RestoredRelease> {
  const empty = await connectEmbedded({ migrate: false });
  await empty.client.exec(statements);
  const from = await empty.client.dumpDataDir("none");
  await empty.close();
  const opened: Connection[] = [];
  return {
    url: null,
    connectOld: () => Promise.reject(new Error("The embedded engine has one process.")),
    connectNew: async () => {
      const connection = await connectEmbedded({ from });
      opened.push(connection);
      return connection;
    },
    remove: async () => {
      for (const connection of opened) await connection.close();
    },
  };
}

async function restoreOnServer(statements: string): Promise<RestoredRelease> {
  const database = await createTestDatabase();
  const url = database.url ?? "";
  await dropEverything(database.db);
  await database.db.execute(sql.raw(statements));
  await database.connection.close(); // the dump has changed its session's settings
  const opened: Connection[] = [];
  const connect = async (migrate: boolean) => {
    const connection = await connectPostgres({ url, migrate });
    opened.push(connection);
    return connection;
  };
  return {
    url,
    connectOld: async () => {
      const connection = await connect(false);
      // The process runs this version's code, which reads through functions created at startup.
      await updateSqlFunctions(connection.db);
      return connection;
    },
    connectNew: () => connect(true),
    remove: async () => {
      for (const connection of opened) await connection.close();
      await database.close();
    },
  };
}

async function dropEverything(db: Database): Promise<void> {
  await db.execute(sql`drop extension if exists vector cascade`);
  await db.execute(sql`drop schema if exists drizzle cascade`);
  await db.execute(sql`drop schema public cascade`);
  await db.execute(sql`create schema public`);
}
