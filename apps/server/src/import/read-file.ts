import { readFile, stat } from "node:fs/promises";
import { toFailure } from "../cli/failure.js";
import type { CheckedMeeting, Failure, ImportOptions, TextFile } from "./outcome.js";
import { parseMeetings } from "./parse-file.js";

/** Reads the meetings of a file on disk and checks each. */
export async function readMeetings(
  path: string,
  options: ImportOptions,
): Promise<(CheckedMeeting | Failure)[]> {
  let file: TextFile;
  try {
    const text = await readFile(path, "utf8");
    file = { name: path, text, modifiedAt: (await stat(path)).mtime.toISOString() };
  } catch (error) {
    return [{ file: path, index: null, line: null, error: describeUnreadable(error) }];
  }
  return parseMeetings(file, options);
}

function describeUnreadable(error: unknown): string {
  const code = (error as NodeJS.ErrnoException).code;
  if (code === "EISDIR") return "there is no meeting in this folder.";
  return code === "ENOENT" ? "no such file." : toFailure(error).message;
}
