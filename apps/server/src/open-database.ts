import { resolve } from "node:path";
import { OPERATOR } from "@minutes/core";
import {
  type Connection,
  connectEmbedded,
  connectPostgres,
  type DataDirLock,
  type EngineEvent,
  lockDataDir,
} from "@minutes/db";
import pino from "pino";
import { createOnlineBackups } from "./backup/online-backup.js";
import type { Env } from "./env.js";
import { type Maintenance, startMaintenance } from "./maintenance.js";
import type { OperatorContext } from "./operator/procedures.js";
import { createPublicUrl, type PublicUrl } from "./public-url.js";
import { createSimilaritySearch, getFixedModel, isModelReady } from "./similarity.js";
import { createWebhookSettings } from "./webhook-settings.js";

export interface OpenOptions {
  /** Milliseconds after which PostgreSQL cancels a statement. */
  readonly statementTimeout?: number;
  readonly poolSize?: number;
  /** False leaves the schema as it is. */
  readonly migrate?: boolean;
  /** Is told when the embedded engine aborts, and when it works again. */
  readonly onEvent?: (event: EngineEvent) => void;
}

/** The installation's database, open in this process. */
export interface OpenDatabase extends OperatorContext {
  readonly connection: Connection;
  readonly publicUrl: PublicUrl;
  /** Held while the embedded database is open; null on PostgreSQL. */
  readonly lock: DataDirLock | null;
  /** The embedded database's; null on PostgreSQL, which looks after itself. */
  readonly maintenance: Maintenance | null;
  /** Closes the database, then lets go of its directory. */
  close(): Promise<void>;
}

/** Returns how the settings reach PostgreSQL: at an address, and past a connection pooler where there is one. */
export const toPostgresOptions = (env: Env, url: string) => ({
  url,
  directUrl: env.DATABASE_DIRECT_URL,
  unnamedStatements: env.DATABASE_STATEMENTS === "unnamed",
});

/**
 * Opens the database that the settings name, with its schema up to date.
 * @throws DataDirLockedError when another process has the embedded database open, SchemaNewerError.
 */
export async function openDatabase(env: Env, options: OpenOptions = {}): Promise<OpenDatabase> {
  const publicUrl = createPublicUrl(env);
  const describeEmbeddings = (connection: Connection) => ({
    setting: getFixedModel(env),
    isReady: (model: string) => isModelReady(env, model),
    load: () => createSimilaritySearch(env, connection, pino({ level: "silent" })),
  });
  if (env.DATABASE_URL !== undefined) {
    const connection = await connectPostgres({
      poolSize: env.DATABASE_POOL,
      ...options,
      ...toPostgresOptions(env, env.DATABASE_URL),
    });
    const close = () => connection.close();
    const webhooks = await createWebhookSettings(env, null);
    return {
      connection,
      db: connection.db,
      actor: OPERATOR,
      dataDir: null,
      lock: null,
      maintenance: null,
      backups: null,
      webhooks,
      publicUrl,
      embeddings: describeEmbeddings(connection),
      close,
    };
  }
  const dataDir = resolve(env.DATA_DIR);
  const lock = await lockDataDir(dataDir);
  try {
    const connection = await connectEmbedded({ dataDir, ...options });
    const webhooks = await createWebhookSettings(env, dataDir);
    const maintenance = startMaintenance(connection.client);
    const close = async () => {
      await maintenance.stop();
      await connection.close();
      await lock.release();
    };
    return {
      connection,
      db: connection.db,
      actor: OPERATOR,
      dataDir,
      lock,
      maintenance,
      backups: createOnlineBackups(connection.client),
      webhooks,
      publicUrl,
      embeddings: describeEmbeddings(connection),
      close,
    };
  } catch (error) {
    await lock.release();
    throw error;
  }
}
