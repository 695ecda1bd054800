import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { BenchMeeting, Split } from "./dataset.js";
import type { Service } from "./service.js";

/** What was answered, in the evaluator's form. */
export interface Runs {
  readonly everywhere: readonly string[];
  readonly within: readonly string[];
}

/**
 * Asks every query through the public API: once over all meetings, and once within each meeting that it is about.
 * @returns the answers, and how many milliseconds each call over all meetings took.
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
  const everywhere: string[] = [];
  const within: string[] = [];
  for (const { id, text } of split.queries) {
    const began = performance.now();
    const results = await service.search(key, text, first, last);
    times.push(performance.now() - began);
    everywhere.push(JSON.stringify({ queryId: id, results }));
  }
  for (const { id, text } of split.queries)
    for (const meetingId of split.relevant.get(id) ?? []) {
      const day = dayOf.get(meetingId) ?? "";
      const results = await service.search(key, text, day, day);
      within.push(JSON.stringify({ queryId: `${id}@${meetingId}`, results }));
    }
  return { everywhere, within, times };
}

/** Writes the answers into a directory. @returns the evaluator's arguments that name them */
export function writeRuns(directory: string, { everywhere, within }: Runs): string[] {
  writeFileSync(join(directory, "run.jsonl"), everywhere.join("\n"));
  writeFileSync(join(directory, "within.jsonl"), within.join("\n"));
  return ["--run", join(directory, "run.jsonl"), "--run3", join(directory, "within.jsonl")];
}
