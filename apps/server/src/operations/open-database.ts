import { resolve } from "node:path";
import { OPERATOR } from "@minutes/core";
import { type Connection, connectEmbedded, connectPostgres, lockDataDir } from "@minutes/db";
import pino from "pino";
import { type Config, toAnswerModel } from "../config/config.js";
import { createPublicUrl } from "../config/public-url.js";
import { createWebhookSettings } from "../config/webhook-settings.js";
import { createSimilaritySearch, getFixedModel, isModelReady } from "../search/similarity.js";
import { createOnlineBackups } from "./backup/online-backup.js";
import type { OpenDatabase, OpenOptions } from "./installation.js";
import { startMaintenance } from "./maintenance.js";

/** Returns the options for connecting to PostgreSQL, directly or around a connection pooler. */
export const toPostgresOptions = (config: Config, url: string) => ({
  url,
  directUrl: config.DATABASE_DIRECT_URL,
  unnamedStatements: config.DATABASE_STATEMENTS === "unnamed",
});

/**
 * Opens the configured database and migrates it.
 * @throws DataDirLockedError if another process has the embedded database open, SchemaNewerError
 */
export async function openDatabase(config: Config, options: OpenOptions = {}): Promise<OpenDatabase> {
  const publicUrl = createPublicUrl(config);
  const describeEmbeddings = (connection: Connection) => ({
    setting: getFixedModel(config),
    isReady: (model: string) => isModelReady(config, model),
    load: () => createSimilaritySearch(config, connection, pino({ level: "silent" })),
  });
  if (config.DATABASE_URL !== undefined) {
    const connection = await connectPostgres({
      poolSize: config.DATABASE_POOL,
      ...options,
      ...toPostgresOptions(config, config.DATABASE_URL),
    });
    const close = () => connection.close();
    const webhooks = await createWebhookSettings(config, null);
    return {
      connection,
      db: connection.db,
      caller: OPERATOR,
      dataDir: null,
      lock: null,
      maintenance: null,
      backups: null,
      webhooks,
      publicUrl,
      model: toAnswerModel(config),
      embeddings: describeEmbeddings(connection),
      close,
    };
  }
  const dataDir = resolve(config.DATA_DIR);
  const lock = await lockDataDir(dataDir);
  try {
    const connection = await connectEmbedded({ dataDir, ...options });
    const webhooks = await createWebhookSettings(config, dataDir);
    const backups = createOnlineBackups(connection.client);
    const maintenance = startMaintenance(connection.db, {
      mustKeepWriteAheadLog: backups.mustKeepWriteAheadLog,
    });
    const close = async () => {
      await maintenance.stop();
      await connection.close();
      await lock.release();
    };
    return {
      connection,
      db: connection.db,
      caller: OPERATOR,
      dataDir,
      lock,
      maintenance,
      backups,
      webhooks,
      publicUrl,
      model: toAnswerModel(config),
      embeddings: describeEmbeddings(connection),
      close,
    };
  } catch (error) {
    await lock.release();
    throw error;
  }
}
