import { createReadStream } from "node:fs";
import { createInterface } from "node:readline";
import { ExportRecord, toInputSentence } from "@minutes/contract";
import { ApiError } from "@minutes/core";
import type { Operator } from "../operator/client.js";
import { toRefusal } from "../operator/refusal.js";
import type { Outcome } from "./outcome.js";

const HEAD = '{"kind":"minutes-export"';

/** Tells whether a text is what `minutes export` wrote. */
export const isExportText = (text: string): boolean => text.startsWith(HEAD);

async function* readLines(file: string): AsyncGenerator<{ line: number; content: string }> {
  let line = 0;
  const lines = createInterface({
    input: createReadStream(file, "utf8"),
    crlfDelay: Number.POSITIVE_INFINITY,
  });
  for await (const content of lines) yield { line: ++line, content };
}

/** Returns whether `minutes export` wrote the file. */
export async function isExportFile(file: string): Promise<boolean> {
  if (!file.toLowerCase().endsWith(".jsonl")) return false;
  try {
    for await (const { content } of readLines(file)) return isExportText(content);
  } catch {
    // The next reader reports what is wrong with it.
  }
  return false;
}

/**
 * Restores an export line by line and yields what became of each meeting and of each refused line. Stops when the first
 * line is refused, because the database is not empty. Without `operator` the lines are checked, and nothing is stored.
 */
export async function* restoreFile(operator: Operator | null, file: string): AsyncGenerator<Outcome> {
  for await (const { line, content } of readLines(file)) {
    if (content.trim() === "") continue;
    try {
      const record = ExportRecord.safeParse(JSON.parse(content));
      if (!record.success) throw new ApiError("BAD_REQUEST", toInputSentence(record.error.issues));
      const stored = await operator?.restore.record.mutate(record.data);
      if (record.data.kind !== "meeting") continue;
      yield stored ? (stored.created ? "created" : "unchanged") : "valid";
    } catch (error) {
      const refusal = toRefusal(error);
      if (!refusal && !(error instanceof SyntaxError)) throw error;
      const message = refusal?.message ?? "not valid JSON.";
      yield { file, index: null, line, error: message };
      if (line === 1) return;
    }
  }
}
