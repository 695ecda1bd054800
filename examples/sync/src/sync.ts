import { mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type Change, type MeClient, MinutesError } from "@minutes/client";
import { toFileName, toMarkdown } from "./markdown.js";

/** Name of the file with the cursor; in the folder itself, so that both are kept or lost together. */
const CURSOR_FILE = ".cursor";

/** Returns the id of the meeting that a file of the mirror holds; null for any other file. */
const getMeetingId = (name: string): string | null => {
  const [, id] = /^\d{4}-\d\d-\d\d .*\(([^()]+)\)\.md$/.exec(name) ?? [];
  return id === undefined ? null : decodeURIComponent(id);
};

/**
 * Mirrors one's meetings to Markdown files, one each, by the change feed: the first run writes all, the next ones what
 * changed since. Files of meetings that are gone are removed; other files are left alone. A run that was cut short is
 * repeated from its last complete page.
 */
export async function sync(client: MeClient, folder: string): Promise<{ written: number; removed: number }> {
  await mkdir(folder, { recursive: true });
  const count = { written: 0, removed: 0 };
  try {
    await readChanges(client, folder, await readCursor(folder), count);
  } catch (error) {
    if (!(error instanceof MinutesError) || error.code !== "gone") throw error;
    // The cursor leads nowhere any more: a new copy.
    const names = await readdir(folder);
    for (const name of names.filter((name) => getMeetingId(name) !== null)) await rm(join(folder, name));
    await readChanges(client, folder, null, count);
  }
  return count;
}

async function readChanges(
  client: MeClient,
  folder: string,
  cursor: string | null,
  count: { written: number; removed: number },
): Promise<void> {
  const names = (await readdir(folder)).filter((name) => getMeetingId(name) !== null);
  const files = new Map(names.map((name) => [getMeetingId(name), name]));
  const remove = async (id: string) => {
    const name = files.get(id);
    if (name !== undefined) await rm(join(folder, name));
    files.delete(id);
    return name !== undefined;
  };
  const onChange = async (change: Change) => {
    if (change.type !== "meeting") return;
    if (change.op === "removed") {
      if (await remove(change.id)) count.removed++;
      return;
    }
    const name = toFileName(change.data);
    if (files.get(change.id) !== name) await remove(change.id);
    await save(join(folder, name), toMarkdown(change.data));
    files.set(change.id, name);
    count.written++;
  };
  const onCursor = (next: string) => save(join(folder, CURSOR_FILE), next);
  await client.sync({ cursor, detail: true, follow: false, onChange, onCursor });
}

const readCursor = (folder: string): Promise<string | null> =>
  readFile(join(folder, CURSOR_FILE), "utf8").catch(() => null);

/** Writes a file in one step: one that is there is a whole one. */
async function save(path: string, text: string): Promise<void> {
  await writeFile(`${path}.part`, text);
  await rename(`${path}.part`, path);
}
