import { type Connection, connectPostgres, type Database } from "@minutes/db";
import { copyOnCluster, dropOnCluster } from "./cluster.js";
import { takeEmbedded } from "./embedded-pool.js";
import {
  CLUSTER_TEMPLATE,
  generateName,
  runServerStatement,
  TEMPLATE_DATABASE,
  toDatabaseUrl,
} from "./template.js";

const project = process.env.TEST_ENGINE ?? "embedded";
/** The engine of this test run. */
export const engine: Connection["engine"] = project === "embedded" ? "embedded" : "postgres";
/** True if databases are distributed over several servers. */
export const onCluster = project === "citus";
/** For tests that apply only to PostgreSQL: `describe.runIf(onPostgres)`. */
export const onPostgres = engine === "postgres";

/** URL of `.ci/pgbouncer`; if set, suites connect through it. */
const POOLER_URL = process.env.TEST_POOLER_URL;
/** `unnamed` if that pooler loses prepared statements. */
const unnamedStatements = process.env.TEST_POOLER_STATEMENTS === "unnamed";

/** A migrated, empty database for one suite. */
export interface TestDatabase {
  readonly connection: Connection;
  readonly db: Database;
  /** Its direct URL on PostgreSQL, not through a pooler; null if embedded. */
  readonly url: string | null;
  /** Opens another instance's connection. The embedded engine has a single one. */
  connect(options?: { statementTimeout?: number; poolSize?: number }): Promise<Connection>;
  /** Closes all connections and removes the database. */
  close(): Promise<void>;
}

/** Creates a database for one suite; `close` it in `afterAll`. */
export const createTestDatabase = (): Promise<TestDatabase> =>
  onPostgres ? createOnServer() : createInProcess();

async function createInProcess(): Promise<TestDatabase> {
  const connection = await takeEmbedded();
  return {
    connection,
    db: connection.db,
    url: null,
    connect: async () => ({ ...connection, close: async () => {} }),
    close: () => connection.close(),
  };
}

async function createOnServer(): Promise<TestDatabase> {
  const serverUrl = process.env.TEST_DATABASE_URL;
  if (!serverUrl) throw new Error("TEST_DATABASE_URL names no PostgreSQL server.");
  const template = process.env[onCluster ? CLUSTER_TEMPLATE : TEMPLATE_DATABASE];
  const name = generateName();
  if (onCluster) await copyOnCluster(serverUrl, template ?? "", name);
  else
    await runServerStatement(serverUrl, `CREATE DATABASE ${name}${template ? ` TEMPLATE ${template}` : ""}`);
  const url = toDatabaseUrl(serverUrl, name);
  const address = POOLER_URL
    ? { url: toDatabaseUrl(POOLER_URL, name), directUrl: url, unnamedStatements }
    : { url };
  const connection = await connectPostgres({ ...address, migrate: !template });
  const others: Connection[] = [];
  return {
    connection,
    db: connection.db,
    url,
    connect: async (options = {}) => {
      const other = await connectPostgres({ ...address, migrate: false, ...options });
      others.push(other);
      return other;
    },
    close: async () => {
      await Promise.all([connection, ...others].map((open) => open.close()));
      if (onCluster) await dropOnCluster(serverUrl, name);
      else await runServerStatement(serverUrl, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
    },
  };
}
