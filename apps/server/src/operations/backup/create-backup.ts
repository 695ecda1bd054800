import { existsSync, rmSync } from "node:fs";
import { stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { connectEmbedded } from "@minutes/db";
import { dumpDatabase, type OnProgress } from "../archive/dump.js";
import { type ArchiveContents, CONTENTS_ENTRY, OTHER_FILES } from "../archive/format.js";
import { namePart, removeAbandonedParts } from "../archive/parts.js";
import { writeEntries } from "../archive/write-entries.js";
import { copyFiles } from "./copy-files.js";
import type { BackupSteps } from "./online-backup.js";
import { nameSnapshot, removeSnapshots, withSnapshot } from "./snapshot.js";

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
}

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

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
  const snapshot = nameSnapshot(dataDir);
  const stopCleaning = cleanUpOnSignal([snapshot, namePart(file)]);
  try {
    await removeAbandonedParts(dirname(file));
    await removeSnapshots(dataDir);
    const { tables, files } = await writeEntries(file, passphrase, async (entries) => {
      const dumped = await withSnapshot(snapshot, async () => {
        await copyFiles(backups, dataDir, snapshot);
        const createdAt = new Date();
        const copy = await connectEmbedded({ dataDir: snapshot, migrate: false });
        return dumpDatabase(copy.db, entries, { version, createdAt, onProgress }).finally(copy.close);
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
    return { file, bytes, rows, encrypted: passphrase !== null, secretsKey: "secrets.key" in files };
  } finally {
    stopCleaning();
  }
}

/** Pause in ms in which file operations that threads have begun come to their end. */
const SETTLE = 50;

/** Removes files when a signal ends the process. @returns a function that disables it */
function cleanUpOnSignal(paths: readonly string[]): () => void {
  const onSignal = (signal: NodeJS.Signals) => {
    // A thread may create a file or directory just after it was removed. No new operation begins in between.
    for (let attempt = 0; attempt === 0 || (attempt < 20 && paths.some(existsSync)); attempt++) {
      for (const path of paths) rmSync(path, { recursive: true, force: true, maxRetries: 5 });
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, SETTLE);
    }
    for (const name of SIGNALS) process.off(name, onSignal);
    process.kill(process.pid, signal);
  };
  for (const name of SIGNALS) process.on(name, onSignal);
  return () => {
    for (const name of SIGNALS) process.off(name, onSignal);
  };
}
