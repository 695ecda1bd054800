import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import type { BenchMeeting, Split } from "./dataset.js";
import type { Service } from "./service.js";

/** The answers in the evaluator's format. */
export interface Runs {
  readonly everywhere: readonly string[];
  readonly within: readonly string[];
}

/** Delay before a failed model is called again, in ms. */
const MODEL_REST = 10_000;

/**
 * Runs every query through the public API: over all meetings, and within each relevant meeting.
 * @returns the answers, and the duration of each call over all meetings in ms
 */
export async function askAllQueries(
  service: Service,
  key: string,
  split: Split,
  others: readonly BenchMeeting[] = [],
): Promise<Runs & { times: readonly number[] }> {
  const days = [...split.meetings, ...others].map((meeting) => meeting.date).sort();
  const [first, last] = [days[0] ?? "", days.at(-1) ?? ""];
  const dayOf = new Map(split.meetings.map((meeting) => [meeting.id, meeting.date]));
  const times: number[] = [];
  // A lexical answer, because the model was late on a busy machine, says nothing about the model.
  const search = async (text: string, from: string, to: string) => {
    for (;;) {
      const began = performance.now();
      const results = await service.search(key, text, from, to);
      if (!service.isModelFailing()) return { results, milliseconds: performance.now() - began };
      await setTimeout(MODEL_REST);
    }
  };
  const everywhere: string[] = [];
  const within: string[] = [];
  for (const { id, text } of split.queries) {
    const { results, milliseconds } = await search(text, first, last);
    times.push(milliseconds);
    everywhere.push(JSON.stringify({ queryId: id, results }));
  }
  for (const { id, text } of split.queries)
    for (const meetingId of split.relevant.get(id) ?? []) {
      const day = dayOf.get(meetingId) ?? "";
      const { results } = await search(text, day, day);
      within.push(JSON.stringify({ queryId: `${id}@${meetingId}`, results }));
    }
  return { everywhere, within, times };
}

/** Writes the answers into a directory. @returns the evaluator's arguments for them */
export function writeRuns(directory: string, { everywhere, within }: Runs): string[] {
  writeFileSync(join(directory, "run.jsonl"), everywhere.join("\n"));
  writeFileSync(join(directory, "within.jsonl"), within.join("\n"));
  return ["--run", join(directory, "run.jsonl"), "--run3", join(directory, "within.jsonl")];
}
