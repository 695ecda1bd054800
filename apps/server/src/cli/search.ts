import type { Command } from "commander";
import type { OperatorOutputs } from "../operator/router.js";
import { formatTable, note, print } from "./output.js";
import { addCommand, withOperator } from "./run.js";

type Chunk = OperatorOutputs["search"]["explain"]["chunks"][number];

/** Characters of a result's text in a table. */
const TEXT_SHOWN = 60;

const DIGITS = 2;
const COLUMNS = {
  DATE: ({ startTime }: Chunk) => startTime.slice(0, 10),
  MEETING: ({ meetingTitle }: Chunk) => meetingTitle,
  TEXT: ({ text }: Chunk) => text.replace(/\s+/g, " ").slice(0, TEXT_SHOWN),
};
const PARTS = {
  SCORE: ({ score }: Chunk) => score.toFixed(DIGITS),
  WORDS: ({ coverage }: Chunk) => coverage.toFixed(DIGITS),
  MEANING: ({ similarity }: Chunk) => similarity.toFixed(DIGITS),
  SPEAKER: ({ speaker }: Chunk) => speaker.toFixed(DIGITS),
  "WHOLE MEETING": ({ meeting }: Chunk) => meeting.toFixed(DIGITS),
};

/** Adds `minutes search`. */
export function addSearchCommands(program: Command): void {
  addCommand(program, "search <email> <query>", "search what was said, as this user does")
    .option("--from <date>", "only meetings that start on this day or later")
    .option("--to <date>", "only meetings that start on this day or earlier")
    .option("--explain", "show the parts of each result's score")
    .addHelpText(
      "after",
      "\nWithout dates the last six months are searched. The audit log keeps that you searched, and as whom.",
    )
    .action(async (email, query, { json, explain, from: startDate, to: endDate }) => {
      const found = await withOperator(({ search }) =>
        search.explain.query({ email, query, startDate, endDate }),
      );
      print({ json }, found, formatTable(found.chunks, explain ? { ...PARTS, ...COLUMNS } : COLUMNS));
      if (!json) note(found.byMeaning ? "By words and by meaning." : "By words alone.");
    });
}
