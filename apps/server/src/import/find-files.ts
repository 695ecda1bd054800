import { stat } from "node:fs/promises";
import { basename, dirname } from "node:path";
import { glob, isDynamicPattern } from "tinyglobby";
import { EXPORT_FOLDER } from "../export/export-folder.js";

/** What an import takes out of a folder: transcripts and meetings. A file that is named is taken whatever it is called. */
const KINDS = "**/*.{json,jsonl,vtt,srt,txt}";

/**
 * The files that names, folders and patterns stand for, each once, in the order of the names and by path within
 * each. A name that leads to none stays, for its reader to say so.
 */
export async function findFiles(names: readonly string[]): Promise<string[]> {
  const found = new Set<string>();
  for (const name of names) {
    const files = await filesOf(name);
    for (const file of files.length > 0 ? files.sort() : [name]) found.add(file);
  }
  return [...found];
}

async function filesOf(name: string): Promise<string[]> {
  const kind = await stat(name).catch(() => null);
  if (kind?.isDirectory()) {
    return withoutDocuments(await glob(KINDS, { cwd: name, absolute: true, caseSensitiveMatch: false }));
  }
  return !kind && isDynamicPattern(name) ? glob(name) : [];
}

/** Without what an export holds only to be read: they are its meetings once more. */
function withoutDocuments(files: readonly string[]): string[] {
  const documents = files
    .filter((file) => basename(file) === EXPORT_FOLDER.lines)
    .map((file) => `${dirname(file)}/${EXPORT_FOLDER.documents}/`);
  return files.filter((file) => !documents.some((folder) => file.startsWith(folder)));
}
