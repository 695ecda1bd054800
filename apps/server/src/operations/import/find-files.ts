import { stat } from "node:fs/promises";
import { basename, dirname } from "node:path";
import { EXTENSIONS } from "@minutes/transcripts";
import { glob, isDynamicPattern } from "tinyglobby";
import { EXPORT_FOLDER } from "../export/write-export.js";

/** Files imported from a folder. A file given by name is read whatever its extension. */
const KINDS = `**/*.{${[...EXTENSIONS, "zip"].join(",")}}`;
/** Files about the others. */
const IGNORED = ["**/readme.*", "**/.*", "**/__MACOSX/*"];

/**
 * Finds the files for names, folders and patterns, each once, in the given order and sorted by path within each. A name
 * without files stays in the list, so that reading it reports the error.
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
    return withoutDocuments(
      await glob(KINDS, { cwd: name, absolute: true, caseSensitiveMatch: false, ignore: IGNORED }),
    );
  }
  return !kind && isDynamicPattern(name) ? glob(name) : [];
}

/** Excludes an export's readable documents, which repeat its meetings. */
function withoutDocuments(files: readonly string[]): string[] {
  const documents = files
    .filter((file) => basename(file) === EXPORT_FOLDER.lines)
    .map((file) => `${dirname(file)}/${EXPORT_FOLDER.documents}/`);
  return files.filter((file) => !documents.some((folder) => file.startsWith(folder)));
}
