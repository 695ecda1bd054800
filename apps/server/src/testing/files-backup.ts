import { createHash } from "node:crypto";
import { createWriteStream } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import { pack } from "tar-stream";
import { copyFiles } from "../operations/backup/copy-files.js";
import type { BackupSteps } from "../operations/backup/online-backup.js";
import { temporaryDir } from "./process.js";

/** Writes a backup in the earlier layout, with the database's files. */
export async function writeFilesBackup(
  backups: BackupSteps,
  dataDir: string,
  file: string,
  rows: Readonly<Record<string, number>>,
): Promise<void> {
  const copy = await temporaryDir();
  await copyFiles(backups, dataDir, copy);
  const entries = pack();
  const written = pipeline(entries, createGzip(), createWriteStream(file));
  const info = { format: 1, minutes: "0.1.0", engine: "18.0", createdAt: new Date().toISOString() };
  entries.entry({ name: "backup.json" }, JSON.stringify(info));
  const files: Record<string, string> = {};
  let label = "";
  const add = async (name: string, path: string) => {
    const content = await readFile(path);
    files[name] = createHash("sha256").update(content).digest("hex");
    entries.entry({ name }, content);
  };
  for (const entry of await readdir(copy, { withFileTypes: true, recursive: true })) {
    const path = join(entry.parentPath, entry.name);
    const name = relative(copy, path);
    if (entry.isDirectory()) entries.entry({ name, type: "directory" });
    else if (name === "db/backup_label") label = await readFile(path, "utf8");
    else await add(name, path);
  }
  await add("secrets.key", join(dataDir, "secrets.key"));
  entries.entry({ name: "contents.json" }, JSON.stringify({ files, label, rows }));
  entries.finalize();
  await written;
}
