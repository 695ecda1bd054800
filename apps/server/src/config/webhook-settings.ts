import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import {
  createKeyring,
  createTargetPolicy,
  generateSecretsKey,
  type Keyring,
  parseSecretsKey,
  type WebhookServices,
} from "@minutes/core";
import { type Config, SettingsError } from "./config.js";

/** Key for the embedded database's secrets, unless `SECRETS_KEY` is set. */
export const SECRETS_KEY_FILE = "secrets.key";

/** Creates the dependencies of webhooks except the database. On PostgreSQL, webhooks require `SECRETS_KEY`. */
export async function createWebhookSettings(
  config: Config,
  dataDir: string | null,
): Promise<WebhookServices> {
  return {
    keyring: await loadKeyring(config, dataDir, config.SECRETS_KEY === undefined),
    targetPolicy: createTargetPolicy({ allowedNetworks: config.WEBHOOK_ALLOWED_NETWORKS }),
  };
}

/**
 * Loads the keys of `SECRETS_KEY` and of the data directory; null if there are none.
 * @param make creates the directory's key if it is missing
 */
export async function loadKeyring(
  { SECRETS_KEY = [] }: Pick<Config, "SECRETS_KEY">,
  dataDir: string | null,
  make: boolean,
): Promise<Keyring | null> {
  const kept = dataDir === null ? null : await readOrCreateKey(join(dataDir, SECRETS_KEY_FILE), make);
  const [first, ...others] = kept ? [...SECRETS_KEY, kept] : SECRETS_KEY;
  return first ? createKeyring([first, ...others]) : null;
}

/**
 * Reads the key from a file, and creates it if it is missing and `make` is true. The caller has locked the directory.
 */
async function readOrCreateKey(file: string, make: boolean): Promise<Uint8Array | null> {
  const text = await readFile(file, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return null;
    throw error;
  });
  if (text !== null) {
    const key = parseSecretsKey(text.trim());
    if (!key) throw new SettingsError(`${file} does not contain a key: restore it from a backup.`);
    return key;
  }
  if (!make) return null;
  const key = generateSecretsKey();
  await writeFile(file, `${key}\n`, { mode: 0o600, flag: "wx" });
  return parseSecretsKey(key);
}
