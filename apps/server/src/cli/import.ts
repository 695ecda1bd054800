import { readFile } from "node:fs/promises";
import { inputSentence, MeetingImport } from "@minutes/contract";
import { ApiError } from "@minutes/core";
import { Presets, SingleBar } from "cli-progress";
import type { Command } from "commander";
import type { OperationsClient } from "../connect-operations.js";
import { EXIT, failureOf } from "./failure.js";
import { note, print } from "./output.js";
import { addCommand, withOperations } from "./run.js";

/** A meeting, or a whole file, that did not go in. */
interface Failure {
  readonly file: string;
  /** Its place in a file that holds several; null where it is the file that is at fault. */
  readonly index: number | null;
  readonly error: string;
}

interface Report {
  created: number;
  unchanged: number;
  readonly failed: Failure[];
}

/** `minutes import <files…>` */
export function addImport(program: Command): void {
  addCommand(
    program,
    "import <files...>",
    "import meetings from JSON files, each with one meeting or an array",
  )
    .option("--owner <email>", "whose meetings they are, whatever the files say")
    .addHelpText(
      "after",
      "\nImporting a file again changes nothing. A bad file is reported, and the others go in.",
    )
    .action(async (files: string[], { owner, ...options }) => {
      const report = await withOperations((operations) => importFiles(operations, files, owner));
      for (const { file, index, error } of report.failed) {
        note(`${file}${index === null ? "" : ` [${index}]`}: ${error}`);
      }
      const { created, unchanged, failed } = report;
      print(options, report, [`${created} imported, ${unchanged} already there, ${failed.length} failed`]);
      if (failed.length > 0) process.exitCode = EXIT.failed;
    });
}

async function importFiles({ run }: OperationsClient, files: string[], owner?: string): Promise<Report> {
  const report: Report = { created: 0, unchanged: 0, failed: [] };
  const bar = files.length > 1 && process.stderr.isTTY ? progressBar(files.length) : null;
  for (const file of files) {
    for (const meeting of await readMeetings(file, owner)) {
      if ("error" in meeting) {
        report.failed.push(meeting);
        continue;
      }
      try {
        const { created } = await run("meetings.import", meeting.input);
        report[created ? "created" : "unchanged"]++;
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        report.failed.push({ file, index: meeting.index, error: refusal(error) });
      }
    }
    bar?.increment();
  }
  bar?.stop();
  return report;
}

type Read = { readonly index: number | null; readonly input: MeetingImport } | Failure;

/** The meetings of a file, each checked or with what is wrong with it. */
async function readMeetings(file: string, owner: string | undefined): Promise<Read[]> {
  let content: unknown;
  try {
    // Some editors and shells put a byte order mark first.
    content = JSON.parse((await readFile(file, "utf8")).replace(/^\uFEFF/, ""));
  } catch (error) {
    return [{ file, index: null, error: unreadable(error) }];
  }
  const check = (meeting: unknown, index: number | null): Read => {
    const given =
      owner !== undefined && typeof meeting === "object" && meeting !== null
        ? { ...meeting, ownerEmail: owner }
        : meeting;
    const checked = MeetingImport.safeParse(given);
    if (checked.success) return { index, input: checked.data };
    return { file, index, error: inputSentence(checked.error.issues) };
  };
  return Array.isArray(content) ? content.map(check) : [check(content, null)];
}

/** Where the JSON breaks off, but not what is there: that may be somebody's words. */
function unreadable(error: unknown): string {
  if (error instanceof SyntaxError) {
    const place = /at position \d+(?: \(line \d+ column \d+\))?/.exec(error.message)?.[0];
    return `not valid JSON${place ? ` ${place}` : ""}.`;
  }
  const code = (error as NodeJS.ErrnoException).code;
  if (code === "EISDIR") return "it is a directory."; // an error without a path
  return code === "ENOENT" ? "no such file." : failureOf(error).message;
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
