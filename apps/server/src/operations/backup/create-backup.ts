import { stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { connectEmbedded } from "@minutes/db";
import { dumpDatabase, type OnProgress } from "../archive/dump.js";
import { type ArchiveContents, CONTENTS_ENTRY, OTHER_FILES } from "../archive/format.js";
import { writeEntries } from "../archive/write-entries.js";
import { countSecretsOfOtherKeys } from "../move/secrets.js";
import { removeAbandonedParts, withCopy } from "../temporary-files.js";
import { copyFiles } from "./copy-files.js";
import type { BackupSteps } from "./online-backup.js";

export interface BackupOptions {
  readonly dataDir: string;
  /** Null: the archive is not encrypted. */
  readonly passphrase: string | null;
  /** The version of Minutes. */
  readonly version: string;
  readonly onProgress: OnProgress;
}

export interface BackupSummary {
  readonly file: string;
  readonly bytes: number;
  readonly rows: Readonly<Record<string, number>>;
  readonly encrypted: boolean;
  /** True: it contains the key that decrypts webhook secrets. */
  readonly secretsKey: boolean;
  /** Number of secrets that this key doesn't decrypt: after a restore, they need `SECRETS_KEY`. */
  readonly secretsOfOtherKeys: number;
}

/**
 * Backs up the embedded database into a new file while the server runs: copies the database's files, opens the copy,
 * writes its rows and removes it.
 * @throws ExplainedError if the file exists; ApiError 409 if the backup was interrupted
 * @see docs/decisions/0258-backups.md
 */
export async function createBackup(
  backups: BackupSteps,
  file: string,
  { dataDir, passphrase, version, onProgress }: BackupOptions,
): Promise<BackupSummary> {
  await removeAbandonedParts(dirname(file));
  let secretsOfOtherKeys = 0;
  const { tables, files } = await writeEntries(file, passphrase, async (entries) => {
    const dumped = await withCopy(dataDir, async (directory) => {
      await copyFiles(backups, dataDir, directory);
      const createdAt = new Date();
      const copy = await connectEmbedded({ dataDir: directory, migrate: false });
      try {
        secretsOfOtherKeys = await countSecretsOfOtherKeys(copy.db, dataDir);
        return await dumpDatabase(copy.db, entries, { version, createdAt, onProgress });
      } finally {
        await copy.close();
      }
    });
    const files: Record<string, string> = {};
    for (const name of OTHER_FILES) {
      const checksum = await entries.addFile(name, join(dataDir, name));
      if (checksum !== null) files[name] = checksum;
    }
    const contents: ArchiveContents = { ...dumped, files };
    await entries.addText(CONTENTS_ENTRY, JSON.stringify(contents));
    return contents;
  });
  const rows = Object.fromEntries(Object.entries(tables).map(([name, { rows }]) => [name, rows]));
  const { size: bytes } = await stat(file);
  const [encrypted, secretsKey] = [passphrase !== null, "secrets.key" in files];
  return { file, bytes, rows, encrypted, secretsKey, secretsOfOtherKeys };
}
