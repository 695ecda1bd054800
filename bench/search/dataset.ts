import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join, resolve } from "node:path";

/** A meeting of the benchmark. */
export interface BenchMeeting {
  readonly id: string;
  readonly title: string;
  readonly date: string;
  readonly segments: readonly { readonly speaker: string; readonly text: string }[];
}

export interface Split {
  readonly meetings: readonly BenchMeeting[];
  readonly queries: readonly { readonly id: string; readonly text: string }[];
  /** The relevant meetings of each query. */
  readonly relevant: ReadonlyMap<string, readonly string[]>;
}

/** Returns the path of a split's evaluator, next to its directory. */
export const getEvaluatorPath = (directory: string): string => join(resolve(directory), "..", "evaluate.mjs");

/** Copies every nth meeting of a split into a new directory, with the queries that these meetings answer. */
export function writeSample(
  directory: string,
  target: string,
  { every, queries }: { readonly every: number; readonly queries: readonly string[] },
): void {
  mkdirSync(join(target, "meetings"), { recursive: true });
  const files = readdirSync(join(directory, "meetings")).sort();
  const taken = files.filter((_, at) => at % every === 0);
  for (const file of taken) cpSync(join(directory, "meetings", file), join(target, "meetings", file));
  const meetings = new Set(taken.map((file) => basename(file, ".json")));
  const write = (file: string, lines: readonly object[]) =>
    writeFileSync(join(target, file), lines.map((line) => JSON.stringify(line)).join("\n"));
  const judged = readLines<{ queryId: string; meetingId: string }>(join(directory, "qrels.jsonl")).filter(
    ({ meetingId }) => meetings.has(meetingId),
  );
  write("qrels.jsonl", judged);
  const answered = new Set(judged.map(({ queryId }) => queryId));
  for (const file of queries)
    write(
      file,
      readLines<{ id: string }>(join(directory, file)).filter(({ id }) => answered.has(id)),
    );
}

/** Reads the meetings of a split. */
export const readMeetings = (directory: string): BenchMeeting[] =>
  readdirSync(join(directory, "meetings"))
    .filter((file) => file.endsWith(".json"))
    .map((file) => JSON.parse(readFileSync(join(directory, "meetings", file), "utf8")));

const readLines = <Line>(file: string): Line[] =>
  readFileSync(file, "utf8")
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line));

/**
 * Reads a split as described in the benchmark's README.
 * @param queries the file of the queries; `queries.para.jsonl` has paraphrases
 */
export function readSplit(directory: string, queries = "queries.jsonl"): Split {
  const relevant = new Map<string, string[]>();
  for (const { queryId, meetingId } of readLines<{ queryId: string; meetingId: string }>(
    join(directory, "qrels.jsonl"),
  ))
    relevant.set(queryId, [...(relevant.get(queryId) ?? []), meetingId]);
  return {
    meetings: readMeetings(directory),
    queries: readLines(join(directory, queries)),
    relevant,
  };
}
