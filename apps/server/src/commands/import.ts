import type {
  Failure,
  FieldsNotStored,
  ImportOptions,
  ImportTarget,
  LinesWithoutSpeaker,
} from "../operations/import/outcome.js";
import { SAMPLE_FILE } from "../operations/import/sample-file.js";
import type { Operator, OperatorCommand } from "./cli/command.js";
import { EXIT } from "./cli/exit.js";
import { type CommonOptions, formatTable, note, type Progress, print, withProgress } from "./cli/output.js";
import type { imports, restore } from "./procedures/import.js";
import type { users } from "./procedures/users.js";

type Imports = { meetings: typeof imports; restore: typeof restore; users: typeof users };

interface Report {
  created: number;
  unchanged: number;
  /** Number of replaced meetings; only with `--replace`. */
  replaced?: number;
  /** Number of valid meetings in a dry run. */
  valid?: number;
  readonly failed: Failure[];
  /** Lines kept by `--lenient` with an unknown speaker. */
  readonly unassigned?: LinesWithoutSpeaker[];
  /** Fields of imported meetings that were not stored. */
  readonly notStored?: FieldsNotStored[];
}

const collect = (value: string, before: readonly string[] = []): string[] => [...before, value];

/** Adds `minutes import <files…>`. */
export function addImportCommands(program: OperatorCommand<Imports>): void {
  program
    .add(
      "import <files...>",
      "import meetings from files, folders and patterns: JSON, JSON Lines, WebVTT, SRT, text and Markdown transcripts, and exports",
    )
    .option("--owner <user>", "owner of all meetings, whatever the files say; required for transcripts")
    .option("--tag <name>", "add a tag to each meeting; can be repeated", collect)
    .option("--lenient", "keep transcript lines without a speaker, and report them")
    .option("--replace", "replace the content of meetings with the same externalId")
    .option("--restore", "import deleted meetings again, with new IDs")
    .option("--dry-run", "dry run: check the files and import nothing")
    .addHelpText(
      "after",
      "\nImporting a file again is a no-op, so an interrupted import can be repeated." +
        "\nA bad file is reported with all its errors; the others are imported. Nothing is charged or locked, and no events are sent." +
        `\nA sample file with every field: ${SAMPLE_FILE}`,
    )
    .action(async (names: string[], options: ImportCommandOptions) => {
      const isId = options.owner?.startsWith("usr_");
      if (options.dryRun && !isId) return importNamed(null, names, options);
      await program.operate(async (operator) => {
        const owner = isId
          ? (await operator.users.show.query({ user: options.owner ?? "" })).email
          : options.owner;
        await importNamed(options.dryRun ? null : operator, names, { ...options, owner });
      });
    });
}

interface ImportCommandOptions extends CommonOptions {
  /** E-mail address or id. */
  readonly owner?: string | undefined;
  readonly tag?: readonly string[];
  readonly lenient?: true;
  readonly replace?: boolean;
  readonly restore?: boolean;
  readonly dryRun?: true;
}

/** Imports the files that the names match. Without `operator` the files are only checked. */
async function importNamed(
  operator: Operator<Imports> | null,
  names: readonly string[],
  { owner, tag, lenient, replace = false, restore = false, ...options }: ImportCommandOptions,
): Promise<void> {
  // Loaded lazily: no other command, and no server, reads files of meetings.
  const { findFiles } = await import("../operations/import/find-files.js");
  const files = await findFiles(names);
  const importOptions: ImportOptions = {
    owner,
    tags: tag,
    lenient,
    overwrite: replace || restore ? { replace, restore } : undefined,
  };
  const target: ImportTarget | null = operator && {
    importMeeting: (meeting) => operator.meetings.import.mutate(meeting),
    restoreRecord: (record) => operator.restore.record.mutate(record),
  };
  const report = await importFiles(target, files, importOptions);
  for (const { error, ...place } of report.failed) note(`${describePlace(place)}: ${error}`);
  for (const { notStored, ...place } of report.notStored ?? []) {
    note(`${describePlace(place)}: not stored: ${notStored.join(", ")}`);
  }
  for (const { file, unassigned } of report.unassigned ?? []) {
    note(
      `${file}: kept without a speaker: ${unassigned.length === 1 ? "line" : "lines"} ${unassigned.join(", ")}`,
    );
  }
  print(options, report, summarise(report, files.length));
  if (report.failed.length > 0) process.exitCode = EXIT.failed;
}

const describePlace = ({ file, line, index }: Pick<Failure, "file" | "line" | "index">): string =>
  `${file}${line === null ? "" : `:${line}`}${index === null ? "" : ` [${index}]`}`;

/** Summarises an import: one line for one file, a table for several. */
function summarise({ created, unchanged, replaced, valid, failed }: Report, files: number): string[] {
  const counts =
    valid === undefined
      ? {
          imported: created,
          ...(replaced === undefined ? {} : { replaced }),
          "already there": unchanged,
          failed: failed.length,
        }
      : { valid, failed: failed.length };
  const line = Object.entries(counts)
    .map(([name, count]) => `${count} ${name}`)
    .join(", ");
  if (files === 1) return [line];
  const rows = [...Object.entries(counts), ["files", files] as const];
  return [...formatTable(rows, { MEETINGS: ([name]) => name, COUNT: ([, count]) => count }), line];
}

async function importFiles(
  target: ImportTarget | null,
  files: readonly string[],
  options: ImportOptions,
): Promise<Report> {
  const { importFile } = await import("../operations/import/import-file.js");
  const report: Report = {
    created: 0,
    unchanged: 0,
    ...(options.overwrite?.replace ? { replaced: 0 } : {}),
    ...(target ? {} : { valid: 0 }),
    failed: [],
  };
  const unassigned: LinesWithoutSpeaker[] = [];
  const notStored: FieldsNotStored[] = [];
  let meetings = 0;
  const importAll = async (progress: Progress) => {
    for (const file of files) {
      for await (const outcome of importFile(target, file, options)) {
        if (typeof outcome === "object" && "unassigned" in outcome) {
          unassigned.push(outcome);
          continue;
        }
        if (typeof outcome === "object" && "notStored" in outcome) {
          notStored.push(outcome);
          continue;
        }
        if (typeof outcome === "object") report.failed.push(outcome);
        else report[outcome] = (report[outcome] ?? 0) + 1;
        progress.update({ meetings: ++meetings });
      }
      progress.increment();
    }
  };
  // One file can contain thousands of meetings, so both are counted.
  await withProgress(files.length, "files, {meetings} meetings", importAll, { values: { meetings } });
  return {
    ...report,
    ...(unassigned.length > 0 ? { unassigned } : {}),
    ...(notStored.length > 0 ? { notStored } : {}),
  };
}
