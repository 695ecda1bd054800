import { stat } from "node:fs/promises";
import { basename, dirname, relative } from "node:path";
import { hasKnownExtension } from "@minutes/transcripts";
import { glob, isDynamicPattern } from "tinyglobby";
import { EXPORT_FOLDER } from "../export/write-export.js";
import { isIgnored } from "./ignored-files.js";

export interface FoundFiles {
  /** Files to import. */
  readonly files: string[];
  /** Files in folders whose extension is not that of a known format. */
  readonly skipped: string[];
}

/**
 * Finds the files for names, folders and patterns, each once, in the given order and sorted by path within each. A file
 * given by name or pattern is read whatever its extension. A name without files stays in the list, so that reading it
 * reports the error.
 */
export async function findFiles(names: readonly string[]): Promise<FoundFiles> {
  const found = new Set<string>();
  const unknown = new Set<string>();
  for (const name of names) {
    const { files, skipped } = await listFiles(name);
    for (const file of files.length > 0 ? files.sort() : [name]) found.add(file);
    for (const file of skipped.sort()) unknown.add(file);
  }
  return { files: [...found], skipped: [...unknown].filter((file) => !found.has(file)) };
}

async function listFiles(name: string): Promise<FoundFiles> {
  const kind = await stat(name).catch(() => null);
  if (kind?.isDirectory()) {
    const found = await glob("**/*", { cwd: name, absolute: true });
    const all = found.filter((file) => !isIgnored(relative(name, file)));
    const isKnown = (file: string) => hasKnownExtension(file) || /\.zip$/i.test(file);
    return {
      files: withoutDocuments(all.filter(isKnown)),
      skipped: all.filter((file) => !isKnown(file)),
    };
  }
  const matched = !kind && isDynamicPattern(name) ? await glob(name) : [];
  return { files: matched.filter((file) => !isLock(file)), skipped: [] };
}

/** Returns true for what Word leaves beside an open document: `*.docx` matches it, too. */
const isLock = (file: string): boolean => basename(file).startsWith("~$");

/** Excludes an export's readable documents, which repeat its meetings. */
function withoutDocuments(files: readonly string[]): string[] {
  const documents = files
    .filter((file) => basename(file) === EXPORT_FOLDER.lines)
    .map((file) => `${dirname(file)}/${EXPORT_FOLDER.documents}/`);
  return files.filter((file) => !documents.some((folder) => file.startsWith(folder)));
}
