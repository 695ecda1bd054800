import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import {
  createAddressGuard,
  createKeyring,
  generateSecretsKey,
  type Keyring,
  parseSecretsKey,
  type WebhookSettings,
} from "@minutes/core";
import { type Env, SettingsError } from "./env.js";

/** The key that the embedded database's secrets are encrypted with, unless `SECRETS_KEY` names another. */
export const SECRETS_KEY_FILE = "secrets.key";

/** Creates what webhooks need besides the database. Without `SECRETS_KEY` an installation on PostgreSQL has no webhooks. */
export async function createWebhookSettings(env: Env, dataDir: string | null): Promise<WebhookSettings> {
  return {
    keyring: await loadKeyring(env, dataDir, env.SECRETS_KEY === undefined),
    guard: createAddressGuard({ allowedNetworks: env.WEBHOOK_ALLOWED_NETWORKS }),
  };
}

/**
 * Loads the keys of `SECRETS_KEY` and of the data directory; null when there is none.
 * @param make creates the directory's key where it is missing
 */
export async function loadKeyring(
  { SECRETS_KEY = [] }: Pick<Env, "SECRETS_KEY">,
  dataDir: string | null,
  make: boolean,
): Promise<Keyring | null> {
  const kept = dataDir === null ? null : await readOrCreateKey(join(dataDir, SECRETS_KEY_FILE), make);
  const [first, ...others] = kept ? [...SECRETS_KEY, kept] : SECRETS_KEY;
  return first ? createKeyring([first, ...others]) : null;
}

/** Reads the key in a file, and creates it where it is missing and `make` is true. The caller has locked the directory. */
async function readOrCreateKey(file: string, make: boolean): Promise<Uint8Array | null> {
  const text = await readFile(file, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return null;
    throw error;
  });
  if (text !== null) {
    const key = parseSecretsKey(text.trim());
    if (!key) throw new SettingsError(`${file} does not hold a key: restore it from a backup.`);
    return key;
  }
  if (!make) return null;
  const key = generateSecretsKey();
  await writeFile(file, `${key}\n`, { mode: 0o600, flag: "wx" });
  return parseSecretsKey(key);
}
