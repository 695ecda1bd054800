import { basename, resolve } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import type { Config } from "../config/config.js";
import type { RunningTranscription } from "../operations/import/import-audio.js";
import type { ImportOptions, ImportTarget } from "../operations/import/outcome.js";
import type {
  FolderWatch,
  ImportWatched,
  WatchedFile,
  WatchFailure,
} from "../operations/import/watch-folder.js";
import type { Operator, OperatorCommand } from "./cli/command.js";
import { toWholeNumber } from "./cli/command.js";
import { EXIT } from "./cli/exit.js";
import { type CommonOptions, note, printLine } from "./cli/output.js";
import { collect, describeOtherStart, describeProgress, type Imports, toTarget } from "./import.js";

interface WatchOptions extends CommonOptions {
  readonly owner: string;
  readonly share?: true;
  readonly tag?: readonly string[];
  readonly lenient?: true;
  readonly timeZone?: string;
  readonly move?: true;
  readonly once?: true;
  readonly every: number;
}

/** Adds `minutes watch <folder>`. */
export function addWatchCommands(program: OperatorCommand<Imports>): void {
  program
    .add("watch <folder>", "import transcripts and recordings that appear in a folder, each once")
    .requiredOption("--owner <user>", "owner of all meetings, whatever the files say")
    .option(
      "--share",
      "share each meeting with the members who spoke or were invited, by their addresses in it",
    )
    .option("--tag <name>", "add a tag to each meeting; can be repeated", collect)
    .option("--lenient", "keep transcript lines without a speaker")
    .option("--time-zone <zone>", "zone of dates without one, such as Europe/Berlin (default: UTC)")
    .option("--move", "move imported files to the subfolder “imported”")
    .option("--once", "import what is there, and end")
    .option("--every <seconds>", "time between two looks at the folder", toWholeNumber(1, 3_600), 10)
    .addHelpText(
      "after",
      "\nThe owner can read the meetings, and members can through a shared tag; --share adds those who spoke or were invited." +
        "\nA file is imported when it is the same at two looks. What became of it is kept in the folder, in .minutes-watch.jsonl." +
        "\nA file that can't be imported is reported once, and tried again when it changes. If the transcriber can't be reached, it is" +
        "\ntried again after a minute, later after up to an hour. With --json, each file is one line.",
    )
    .action((folder: string, options: WatchOptions) => watch(program, resolve(folder), options));
}

async function watch(
  program: OperatorCommand<Imports>,
  folder: string,
  options: WatchOptions,
): Promise<void> {
  let owner = options.owner;
  await program.operate(async ({ users }) => {
    owner = (await users.get.query({ user: options.owner })).email;
  });
  // Loaded lazily: no other command, and no server, reads files of meetings.
  const { FolderWatch } = await import("../operations/import/watch-folder.js");
  const watched = await FolderWatch.open(folder, { move: options.move === true });
  const stop = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => stop.abort());
  if (!options.once) note(`Watching ${folder} every ${options.every} s. Ctrl+C ends it.`);
  const round = (due: Due) => importDue(program, watched, due, { ...options, owner }, stop.signal);
  await (options.once
    ? watchOnce(watched, round, options, stop.signal)
    : watchOn(watched, round, options, stop.signal));
}

type Due = Awaited<ReturnType<FolderWatch["look"]>>["due"];
type Round = (due: Due) => Promise<void>;

const pause = (seconds: number, signal: AbortSignal) =>
  wait(seconds * 1_000, undefined, { signal }).catch(() => {});

async function watchOnce(watched: FolderWatch, round: Round, { every }: WatchOptions, signal: AbortSignal) {
  const { unsettled } = await watched.look();
  if (unsettled > 0) await pause(every, signal);
  const { due } = await watched.look();
  await round(due);
}

/** Looks at the folder until the signal. What is wrong with the folder or the database is said once, until it changes. */
async function watchOn(watched: FolderWatch, round: Round, { every }: WatchOptions, signal: AbortSignal) {
  let said = "";
  while (!signal.aborted) {
    try {
      const { due } = await watched.look();
      await round(due);
      if (said !== "") note("It works again.");
      said = "";
    } catch (error) {
      const { message } = (await import("./cli/failure.js")).toFailure(error);
      if (message !== said) note(message);
      said = message;
    }
    await pause(every, signal);
  }
}

/** Imports files one after another. The database is open only meanwhile: a server can start between two rounds. */
async function importDue(
  program: OperatorCommand<Imports>,
  watched: FolderWatch,
  due: Due,
  options: WatchOptions,
  signal: AbortSignal,
): Promise<void> {
  if (due.length === 0) return;
  await program.operate(async (operator) => {
    const importFile = await createImport(operator, program.getConfig, options);
    for (const found of due) {
      if (signal.aborted) return;
      const done = await watched.import(found, importFile);
      if (done) report(options, done);
    }
  });
}

/** Creates what imports one file, as `minutes import` does. */
async function createImport(
  operator: Operator<Imports>,
  getConfig: () => Config,
  { owner, share, tag, lenient, timeZone }: WatchOptions,
): Promise<ImportWatched> {
  const { importFile } = await import("../operations/import/import-file.js");
  const target: ImportTarget = toTarget(operator);
  const importOptions: ImportOptions = { owner, share, tags: tag, lenient, timeZone };
  const { prepareTranscription } = await import("../operations/transcriber/choose.js");
  const prepared = prepareTranscription(getConfig, process.env.PATH);
  return async (path) => {
    let noted = "";
    const onProgress = (running: RunningTranscription | null) => {
      if (!running) return;
      const line = `${basename(path)}: transcribing${running.parts === null ? "" : describeProgress(running)}`;
      if (line !== noted) note(line);
      noted = line;
    };
    const transcription = { ...prepared, onProgress };
    const done = { imported: 0, unchanged: 0, failed: [] as WatchFailure[] };
    for await (const outcome of importFile(target, path, importOptions, transcription)) {
      if (outcome === "unchanged") done.unchanged += 1;
      else if (typeof outcome === "string") done.imported += 1;
      else if ("existing" in outcome) note(describeOtherStart(outcome));
      else if ("error" in outcome) {
        const { index, line, error, passes } = outcome;
        done.failed.push({ index, line, error, ...(passes ? { passes } : {}) });
      }
    }
    return done;
  };
}

function report(options: WatchOptions, done: WatchedFile): void {
  const { file, imported, unchanged, failed, moved } = done;
  const counts = `${imported} imported, ${unchanged} already there, ${failed.length} failed`;
  printLine(options, done, `${file}: ${counts}${moved === undefined ? "" : `, moved to ${moved}`}`);
  if (!options.json)
    for (const { line, error } of failed) note(`${file}${line === null ? "" : `:${line}`}: ${error}`);
  if (failed.length > 0 && options.once) process.exitCode = EXIT.failed;
}
