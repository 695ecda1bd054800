import type { Command } from "commander";
import type { Failure, ImportOptions, LinesWithoutSpeaker } from "../import/outcome.js";
import { SAMPLE_FILE } from "../import/sample-file.js";
import type { Operator } from "../operator/client.js";
import { EXIT } from "./failure.js";
import { formatTable, note, type Progress, print, withProgress } from "./output.js";
import { addCommand, withOperator } from "./run.js";

interface Report {
  created: number;
  unchanged: number;
  /** Would be imported, if it weren't a dry run. */
  valid?: number;
  readonly failed: Failure[];
  /** Lines that `--lenient` kept under an unknown speaker. */
  readonly unassigned?: LinesWithoutSpeaker[];
}

const collect = (value: string, before: readonly string[] = []): string[] => [...before, value];

/** Adds `minutes import <files…>`. */
export function addImportCommands(program: Command): void {
  addCommand(
    program,
    "import <files...>",
    "import meetings from files, folders and patterns: JSON, JSON Lines, WebVTT, SRT, text and Markdown transcripts, and what export wrote",
  )
    .option("--owner <email>", "owner of all the meetings, whatever the files say; transcripts need it")
    .option("--tag <name>", "put a tag on each; can be given several times", collect)
    .option("--lenient", "keep lines of transcripts that name no speaker, and report them")
    .option("--dry-run", "check the files, and import nothing")
    .addHelpText(
      "after",
      "\nImporting a file again changes nothing, so an import that was stopped can be started again." +
        "\nA bad file is reported with all its faults, and the others go in. Nothing is charged, locked or announced." +
        `\nA sample file with every field: ${SAMPLE_FILE}`,
    )
    .action(async (names: string[], { owner, tag, lenient, dryRun, ...options }) => {
      // Loaded here: no other command, and no server, reads files of meetings.
      const { findFiles } = await import("../import/find-files.js");
      const files = await findFiles(names);
      const importOptions: ImportOptions = { owner, tags: tag, lenient };
      const report = dryRun
        ? await importFiles(null, files, importOptions)
        : await withOperator((operator) => importFiles(operator, files, importOptions));
      for (const { file, index, line, error } of report.failed) {
        note(`${file}${line === null ? "" : `:${line}`}${index === null ? "" : ` [${index}]`}: ${error}`);
      }
      for (const { file, unassigned } of report.unassigned ?? []) {
        note(
          `${file}: kept without a speaker: ${unassigned.length === 1 ? "line" : "lines"} ${unassigned.join(", ")}`,
        );
      }
      print(options, report, summarise(report, files.length));
      if (report.failed.length > 0) process.exitCode = EXIT.failed;
    });
}

/** Summarises an import: one line for one file, a table for several. */
function summarise({ created, unchanged, valid, failed }: Report, files: number): string[] {
  const counts =
    valid === undefined
      ? { imported: created, "already there": unchanged, failed: failed.length }
      : { valid, failed: failed.length };
  const line = Object.entries(counts)
    .map(([name, count]) => `${count} ${name}`)
    .join(", ");
  if (files === 1) return [line];
  const rows = [...Object.entries(counts), ["files", files] as const];
  return [...formatTable(rows, { MEETINGS: ([name]) => name, COUNT: ([, count]) => count }), line];
}

async function importFiles(
  operator: Operator | null,
  files: readonly string[],
  options: ImportOptions,
): Promise<Report> {
  const { importFile } = await import("../import/import-file.js");
  const report: Report = { created: 0, unchanged: 0, ...(operator ? {} : { valid: 0 }), failed: [] };
  const unassigned: LinesWithoutSpeaker[] = [];
  let meetings = 0;
  const importAll = async (progress: Progress) => {
    for (const file of files) {
      for await (const outcome of importFile(operator, file, options)) {
        if (typeof outcome === "object" && "unassigned" in outcome) {
          unassigned.push(outcome);
          continue;
        }
        if (typeof outcome === "object") report.failed.push(outcome);
        else report[outcome] = (report[outcome] ?? 0) + 1;
        progress.update({ meetings: ++meetings });
      }
      progress.increment();
    }
  };
  // One file can hold thousands of meetings, so both are counted.
  await withProgress(files.length, "files, {meetings} meetings", importAll, { values: { meetings } });
  return unassigned.length > 0 ? { ...report, unassigned } : report;
}
