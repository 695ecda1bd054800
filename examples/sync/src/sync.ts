import { mkdir, readdir, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type MeClient, type MeetingListItem, MinutesError, paginate } from "@minutes/client";
import { toFileName, toMarkdown } from "./markdown.js";

/**
 * Mirrors one's meetings to Markdown files, one each. What is there already is not fetched again, so a run that was
 * cut short goes on where it stopped, and the next one fetches only what is new. Files of meetings that are gone, or
 * were renamed, are removed; other files are left alone.
 */
export async function sync(client: MeClient, folder: string): Promise<{ written: number; removed: number }> {
  await mkdir(folder, { recursive: true });
  const present = new Set((await readdir(folder)).filter((name) => /^\d{4}-\d\d-\d\d .*\.md$/.test(name)));
  const wanted = new Set<string>();
  let written = 0;
  for await (const meeting of paginate(client.meetings.list, { limit: 100 })) {
    const name = toFileName(meeting);
    if (!present.has(name)) {
      if (!(await save(client, meeting, join(folder, name)))) continue;
      written++;
    }
    wanted.add(name);
  }
  const gone = [...present].filter((name) => !wanted.has(name));
  for (const name of gone) await rm(join(folder, name));
  return { written, removed: gone.length };
}

/** Writes one file. @returns false when the meeting was deleted since it was listed. */
async function save(client: MeClient, { id }: MeetingListItem, path: string): Promise<boolean> {
  try {
    const meeting = await client.meetings.get.query({ meetingId: id });
    // In one step: a file that is there is a whole one.
    await writeFile(`${path}.part`, toMarkdown(meeting));
    await rename(`${path}.part`, path);
    return true;
  } catch (error) {
    if (error instanceof MinutesError && error.code === "not_found") return false;
    throw error;
  }
}
