import { ApiError } from "@minutes/core";
import { Presets, SingleBar } from "cli-progress";
import type { Command } from "commander";
import type { OperationsClient } from "../connect-operations.js";
import { findFiles } from "../import/find-files.js";
import { type Failure, type Overrides, readMeetings } from "../import/read-file.js";
import { isExport, restoreFile } from "../import/restore-file.js";
import { EXIT } from "./failure.js";
import { note, print, table } from "./output.js";
import { addCommand, withOperations } from "./run.js";

interface Report {
  created: number;
  unchanged: number;
  /** Would be imported, if it weren't a dry run. */
  valid?: number;
  readonly failed: Failure[];
}

interface ImportOptions extends Overrides {
  readonly dryRun?: true;
}

const collect = (value: string, before: readonly string[] = []): string[] => [...before, value];

/** `minutes import <files…>` */
export function addImport(program: Command): void {
  addCommand(
    program,
    "import <files...>",
    "import meetings from files, folders and patterns: JSON, JSON Lines, WebVTT, SRT, plain `Name: text`, and what export wrote",
  )
    .option("--owner <email>", "whose meetings they are, whatever the files say; transcripts need it")
    .option("--tag <name>", "put a tag on each; can be given several times", collect)
    .option("--dry-run", "check the files, and import nothing")
    .addHelpText(
      "after",
      "\nImporting a file again changes nothing, so an import that was stopped is started again." +
        "\nA bad file is reported, and the others go in. Nothing is charged, locked or announced.",
    )
    .action(async (names: string[], { owner, tag, dryRun, ...options }) => {
      const files = await findFiles(names);
      const choices: ImportOptions = { owner, tags: tag, dryRun };
      const report = dryRun
        ? await importFiles(null, files, choices)
        : await withOperations((operations) => importFiles(operations, files, choices));
      for (const { file, index, line, error } of report.failed) {
        note(`${file}${line === null ? "" : `:${line}`}${index === null ? "" : ` [${index}]`}: ${error}`);
      }
      print(options, report, summary(report, files.length));
      if (report.failed.length > 0) process.exitCode = EXIT.failed;
    });
}

/** One line for one file; a table where there were several. */
function summary({ created, unchanged, valid, failed }: Report, files: number): string[] {
  const counts =
    valid === undefined
      ? { imported: created, "already there": unchanged, failed: failed.length }
      : { valid, failed: failed.length };
  const line = Object.entries(counts)
    .map(([name, count]) => `${count} ${name}`)
    .join(", ");
  if (files === 1) return [line];
  const rows = [...Object.entries(counts), ["files", files] as const];
  return [...table(rows, { MEETINGS: ([name]) => name, COUNT: ([, count]) => count }), line];
}

async function importFiles(
  operations: OperationsClient | null,
  files: readonly string[],
  choices: ImportOptions,
): Promise<Report> {
  const report: Report = { created: 0, unchanged: 0, ...(operations ? {} : { valid: 0 }), failed: [] };
  const bar = files.length > 1 && process.stderr.isTTY ? progressBar(files.length) : null;
  for (const file of files) {
    if (operations && (await isExport(file))) {
      const { restored, failed } = await restoreFile(operations, file);
      report.created += restored;
      report.failed.push(...failed);
      bar?.increment();
      continue;
    }
    for (const meeting of await readMeetings(file, choices)) {
      if ("error" in meeting) {
        report.failed.push(meeting);
        continue;
      }
      if (!operations) {
        report.valid = (report.valid ?? 0) + 1;
        continue;
      }
      try {
        const { created } = await operations.run("meetings.import", meeting.input);
        report[created ? "created" : "unchanged"]++;
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        const { index, line } = meeting;
        report.failed.push({ file, index, line, error: refusal(error) });
      }
    }
    bar?.increment();
  }
  bar?.stop();
  return report;
}

/** A refusal with the field that it is about. */
function refusal({ code, message }: ApiError): string {
  if (code === "NOT_FOUND") return `ownerEmail: ${message}`;
  if (code === "CONFLICT") return `externalId: ${message}`;
  return message;
}

function progressBar(total: number): SingleBar {
  const format = "{bar} {value}/{total} files, {eta_formatted} left";
  const bar = new SingleBar(
    { format, stream: process.stderr, clearOnComplete: true },
    Presets.shades_classic,
  );
  bar.start(total, 0);
  return bar;
}
