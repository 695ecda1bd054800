import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Keyring } from "@minutes/core";
import { type Database, ExplainedError, getSchemaState } from "@minutes/db";
import { sql } from "drizzle-orm";
import type { Config } from "../../config/config.js";
import { loadKeyring, SECRETS_KEY_FILE } from "../../config/webhook-settings.js";
import { readRows } from "../archive/catalog.js";
import type { Place } from "./endpoint.js";

/** Number of webhook secrets, addresses of calendars and keys of kept audio that a keyring decrypts. */
export interface SecretsCheck {
  readonly secrets: number;
  readonly readable: number;
}

/** Tries to decrypt all secrets of a database. */
export async function countReadableSecrets(db: Database, keyring: Keyring | null): Promise<SecretsCheck> {
  const rows = await readRows<{ owner: string; key: string; secret: string }>(
    db,
    sql`select id as owner, secret_key_id as key, encode(secret, 'hex') as secret from webhooks where secret is not null
      union all select webhook_id, secret_key_id, encode(secret, 'hex') from webhook_old_secrets
      union all select user_id, secret_key_id, encode(secret, 'hex') from calendars
      union all select id, secret_key_id, encode(file_key, 'hex') from kept_audio`,
  );
  const readable = rows.filter(({ owner, key, secret }) => {
    try {
      return keyring?.decrypt({ secretKeyId: key, secret: Buffer.from(secret, "hex") }, owner) !== undefined;
    } catch {
      return false;
    }
  });
  return { secrets: rows.length, readable: readable.length };
}

/**
 * Counts the secrets that the key in a data directory doesn't decrypt: they need a key of `SECRETS_KEY`, which no backup has.
 * 0 for an earlier schema.
 */
export async function countSecretsOfOtherKeys(db: Database, dataDir: string): Promise<number> {
  if ((await getSchemaState(db)) !== "current") return 0;
  const { secrets, readable } = await countReadableSecrets(
    db,
    await loadKeyring({ SECRETS_KEY: undefined }, dataDir, false),
  );
  return secrets - readable;
}

/** Loads the keys of the source's settings; never creates one. @throws ExplainedError if they don't decrypt all secrets */
export async function loadSourceKeyring(
  config: Pick<Config, "SECRETS_KEY">,
  source: Place,
  db: Database,
  force: boolean,
): Promise<Keyring | null> {
  const keyring = await loadKeyring(config, source.dataDir, false);
  const { secrets, readable } = await countReadableSecrets(db, keyring);
  if (readable < secrets && !force)
    throw new ExplainedError(
      `${secrets - readable} of ${secrets} secrets can't be decrypted with the configured keys. ` +
        "Set SECRETS_KEY as on the source's servers. With --force they are moved unchanged.",
    );
  return keyring;
}

/**
 * Stores the key in the destination directory if one key decrypts everything, so that the directory needs no setting.
 * Keeps an existing key.
 * @returns true if the directory has the key
 */
export async function keepKey(
  { SECRETS_KEY = [] }: Pick<Config, "SECRETS_KEY">,
  dataDir: string,
  db: Database,
): Promise<boolean> {
  for (const key of SECRETS_KEY) {
    const keyring = await loadKeyring({ SECRETS_KEY: [key] }, null, false);
    const { secrets, readable } = await countReadableSecrets(db, keyring);
    if (readable < secrets) continue;
    const text = `${Buffer.from(key).toString("base64")}\n`;
    await writeFile(join(dataDir, SECRETS_KEY_FILE), text, { mode: 0o600, flag: "wx" }).catch(
      (error: NodeJS.ErrnoException) => {
        if (error.code !== "EEXIST") throw error;
      },
    );
    const kept = await countReadableSecrets(
      db,
      await loadKeyring({ SECRETS_KEY: undefined }, dataDir, false),
    );
    return kept.readable === kept.secrets;
  }
  return false;
}

/** Describes the setting for webhook secrets, without the keys. */
export function describeKeySetting(
  { SECRETS_KEY }: Pick<Config, "SECRETS_KEY">,
  source: Place,
  destination: Place,
  kept: boolean,
): string {
  if (destination.dataDir !== null) {
    if (kept)
      return `The key of the webhook secrets is in ${join(destination.dataDir, SECRETS_KEY_FILE)}: SECRETS_KEY is no longer needed.`;
    return SECRETS_KEY
      ? "Keep SECRETS_KEY unchanged."
      : "There was no SECRETS_KEY: the first start creates a key.";
  }
  const file = join(source.dataDir ?? "", SECRETS_KEY_FILE);
  return SECRETS_KEY
    ? `Keep SECRETS_KEY on all processes; if ${file} exists, append its content after a comma.`
    : `Set SECRETS_KEY on all processes to the content of ${file}. Without it, webhooks can't sign.`;
}
