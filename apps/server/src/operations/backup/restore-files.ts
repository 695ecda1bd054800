import { createHash } from "node:crypto";
import { createWriteStream } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { pipeline } from "node:stream/promises";
import { connectEmbedded, ExplainedError } from "@minutes/db";
import { countRows } from "../archive/catalog.js";
import { CONTENTS_ENTRY, FilesContents, parseEntry, TEXT_LIMIT } from "../archive/format.js";
import { type ArchiveEntry, readText } from "../archive/read-entries.js";
import { countWaitingDeliveries, type RestoredRows, requireSameFiles } from "./compare.js";
import { DATABASE } from "./snapshot.js";

/**
 * Restores an archive in the earlier layout, with the embedded database's files: opening them replays the log.
 * @throws ExplainedError if a checksum or row count is wrong
 */
export async function restoreFiles(
  file: string,
  entries: AsyncIterable<ArchiveEntry>,
  directory: string,
): Promise<RestoredRows> {
  const contents = await writeFiles(file, entries, directory);
  await writeFile(join(directory, DATABASE, "backup_label"), contents.label, { mode: 0o600 });
  const { db, close } = await connectEmbedded({ dataDir: directory, migrate: false }).catch(
    (error: Error) => {
      throw new ExplainedError(`${file} can't be opened: ${error.message}`);
    },
  );
  try {
    const rows: Record<string, number> = {};
    for (const table of Object.keys(contents.rows)) rows[table] = await countRows(db, [{ name: table }]);
    const differing = Object.keys(rows).filter((table) => rows[table] !== contents.rows[table]);
    if (differing.length > 0)
      throw new ExplainedError(
        `${file} is incomplete: the rows of ${differing.join(", ")} differ from those counted.`,
      );
    return { rows, waitingDeliveries: await countWaitingDeliveries(db) };
  } finally {
    await close();
  }
}

/** Writes the archive's files and compares their checksums. */
async function writeFiles(
  file: string,
  entries: AsyncIterable<ArchiveEntry>,
  directory: string,
): Promise<FilesContents> {
  let contents: FilesContents | null = null;
  const found: Record<string, string> = {};
  for await (const entry of entries) {
    const { name, isDirectory, content } = entry;
    if (name === CONTENTS_ENTRY) {
      contents = parseEntry(FilesContents, await readText(entry, TEXT_LIMIT, file), file);
      continue;
    }
    const path = join(directory, requireInside(name, file));
    await mkdir(isDirectory ? path : dirname(path), { recursive: true, mode: 0o700 });
    if (isDirectory) for await (const _ of content);
    else found[name] = await writeEntry(path, content);
  }
  if (!contents) throw new ExplainedError(`${file} is damaged or incomplete.`);
  requireSameFiles(file, contents.files, found);
  return contents;
}

async function writeEntry(path: string, content: AsyncIterable<Uint8Array>): Promise<string> {
  const hash = createHash("sha256");
  await pipeline(
    content,
    async function* (chunks: AsyncIterable<Uint8Array>) {
      for await (const chunk of chunks) {
        hash.update(chunk);
        yield chunk;
      }
    },
    createWriteStream(path, { mode: 0o600 }),
  );
  return hash.digest("hex");
}

/** Returns the name of an entry. @throws ExplainedError if it points outside of the directory */
function requireInside(name: string, file: string): string {
  if (name.startsWith("/") || name.split("/").includes(".."))
    throw new ExplainedError(`${file} is not a Minutes backup.`);
  return name;
}
