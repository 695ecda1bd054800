import { createReadStream } from "node:fs";
import { createInterface } from "node:readline";
import { ExportRecord, toInputSentence } from "@minutes/contract";
import { ApiError } from "@minutes/core";
import { toRefusal } from "../refusal.js";
import type { ImportTarget, Outcome } from "./outcome.js";

const HEAD = '{"kind":"minutes-export"';

/** Returns true for text written by `minutes export`. */
export const isExportText = (text: string): boolean => text.startsWith(HEAD);

async function* readLines(file: string): AsyncGenerator<{ line: number; content: string }> {
  let line = 0;
  const lines = createInterface({
    input: createReadStream(file, "utf8"),
    crlfDelay: Number.POSITIVE_INFINITY,
  });
  for await (const content of lines) yield { line: ++line, content };
}

/** Returns true for a file written by `minutes export`. */
export async function isExportFile(file: string): Promise<boolean> {
  if (!file.toLowerCase().endsWith(".jsonl")) return false;
  try {
    for await (const { content } of readLines(file)) return isExportText(content);
  } catch {
    // The next reader reports the error.
  }
  return false;
}

/**
 * Restores an export line by line and yields the result of each meeting and each refused line. Stops if the first line
 * is refused, because the database is not empty. Without `target` the lines are only validated.
 */
export async function* restoreFile(target: ImportTarget | null, file: string): AsyncGenerator<Outcome> {
  for await (const { line, content } of readLines(file)) {
    if (content.trim() === "") continue;
    try {
      const record = ExportRecord.safeParse(JSON.parse(content));
      if (!record.success) throw new ApiError("BAD_REQUEST", toInputSentence(record.error.issues));
      const stored = await target?.restoreRecord(record.data);
      if (record.data.kind !== "meeting") continue;
      yield stored ? (stored.created ? "created" : "unchanged") : "valid";
    } catch (error) {
      const refusal = toRefusal(error);
      if (!refusal && !(error instanceof SyntaxError)) throw error;
      const message = refusal?.message ?? "Not valid JSON.";
      yield { file, index: null, line, error: message };
      if (line === 1) return;
    }
  }
}
