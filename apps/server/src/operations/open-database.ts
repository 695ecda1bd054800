import { resolve } from "node:path";
import { OPERATOR } from "@minutes/core";
import { type Connection, connectEmbedded, connectPostgres, lockDataDir } from "@minutes/db";
import pino from "pino";
import { type Config, toAnswerModel } from "../config/config.js";
import { createPublicUrl } from "../config/public-url.js";
import { createWebhookSettings } from "../config/webhook-settings.js";
import { createSimilaritySearch, getFixedModel, isModelReady } from "../search/similarity.js";
import { createOnlineBackups } from "./backup/online-backup.js";
import { createMailer } from "./deliver.js";
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
export const openDatabase = (config: Config, options: OpenOptions = {}): Promise<OpenDatabase> =>
  config.DATABASE_URL === undefined
    ? openEmbedded(config, options)
    : openPostgres(config, config.DATABASE_URL, options);

async function openPostgres(config: Config, url: string, options: OpenOptions): Promise<OpenDatabase> {
  const connection = await connectPostgres({
    poolSize: config.DATABASE_POOL,
    ...options,
    ...toPostgresOptions(config, url),
  });
  return {
    ...(await describeInstallation(config, connection, null, options)),
    lock: null,
    maintenance: null,
    backups: null,
    close: () => connection.close(),
  };
}

async function openEmbedded(config: Config, options: OpenOptions): Promise<OpenDatabase> {
  const dataDir = resolve(config.DATA_DIR);
  const lock = await lockDataDir(dataDir);
  try {
    const connection = await connectEmbedded({ dataDir, ...options });
    const installation = await describeInstallation(config, connection, dataDir, options);
    const backups = createOnlineBackups(connection.client);
    const maintenance = startMaintenance(connection.db, {
      mustKeepWriteAheadLog: backups.mustKeepWriteAheadLog,
    });
    const close = async () => {
      await maintenance.stop();
      await connection.close();
      await lock.release();
    };
    return { ...installation, lock, maintenance, backups, close };
  } catch (error) {
    await lock.release();
    throw error;
  }
}

/** Returns what both engines have. */
export const describeInstallation = async (
  config: Config,
  connection: Connection,
  dataDir: string | null,
  { onMailFault }: OpenOptions = {},
) => ({
  connection,
  db: connection.db,
  caller: OPERATOR,
  dataDir,
  webhooks: await createWebhookSettings(config, dataDir),
  publicUrl: createPublicUrl(config),
  mailer: createMailer(config, onMailFault),
  // A server looks at the queue every few seconds.
  summaries: { enabled: config.SUMMARISER_URL !== undefined, wake: () => {} },
  model: toAnswerModel(config),
  embeddings: {
    setting: getFixedModel(config),
    isReady: (model: string) => isModelReady(config, model),
    load: () => createSimilaritySearch(config, connection, pino({ level: "silent" })),
  },
});
