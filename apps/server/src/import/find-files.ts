import { stat } from "node:fs/promises";
import { glob, isDynamicPattern } from "tinyglobby";

/** What an import takes out of a folder: transcripts and meetings. A file that is named is taken whatever it is called. */
const KINDS = "**/*.{json,jsonl,vtt,srt,txt}";

/**
 * The files that names, folders and patterns stand for, each once, in the order of the names and by path within
 * each. A name that leads nowhere stays.
 */
export async function findFiles(names: readonly string[]): Promise<string[]> {
  const found = new Set<string>();
  for (const name of names) {
    const kind = await stat(name).catch(() => null);
    if (kind?.isDirectory()) {
      const files = await glob(KINDS, { cwd: name, absolute: true, caseSensitiveMatch: false });
      for (const file of files.sort()) found.add(file);
    } else if (!kind && isDynamicPattern(name)) {
      for (const file of (await glob(name)).sort()) found.add(file);
    } else found.add(name);
  }
  return [...found];
}
