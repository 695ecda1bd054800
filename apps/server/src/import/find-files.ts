import { stat } from "node:fs/promises";
import { basename, dirname } from "node:path";
import { glob, isDynamicPattern } from "tinyglobby";
import { EXPORT_FOLDER } from "../export/export-folder.js";

/** The files that an import reads from a folder. A file that is named itself is read whatever its ending. */
const KINDS = "**/*.{json,jsonl,vtt,srt,txt}";

/**
 * Finds the files that names, folders and patterns stand for, each once, in the order of the names and by path within
 * each. A name without files stays in the list, so that reading it reports that.
 */
export async function findFiles(names: readonly string[]): Promise<string[]> {
  const found = new Set<string>();
  for (const name of names) {
    const files = await listFiles(name);
    for (const file of files.length > 0 ? files.sort() : [name]) found.add(file);
  }
  return [...found];
}

async function listFiles(name: string): Promise<string[]> {
  const kind = await stat(name).catch(() => null);
  if (kind?.isDirectory()) {
    return withoutDocuments(await glob(KINDS, { cwd: name, absolute: true, caseSensitiveMatch: false }));
  }
  return !kind && isDynamicPattern(name) ? glob(name) : [];
}

/** Leaves out the documents that an export writes for readers: they repeat its meetings. */
function withoutDocuments(files: readonly string[]): string[] {
  const documents = files
    .filter((file) => basename(file) === EXPORT_FOLDER.lines)
    .map((file) => `${dirname(file)}/${EXPORT_FOLDER.documents}/`);
  return files.filter((file) => !documents.some((folder) => file.startsWith(folder)));
}
