import { basename } from "node:path";
import { listAddresses } from "@minutes/contract";
import type { operatorManagement } from "@minutes/core";
import { hasAudioExtension } from "@minutes/transcripts/extensions";
import type { Config } from "../config/config.js";
import type { FoundFiles } from "../operations/import/find-files.js";
import type { RunningTranscription, Transcription } from "../operations/import/import-audio.js";
import type {
  Failure,
  FieldsNotStored,
  ImportCheck,
  ImportOptions,
  ImportTarget,
  LinesWithoutSpeaker,
  OtherStart,
  ReadableMeeting,
  ReadMeeting,
} from "../operations/import/outcome.js";
import { SAMPLE_FILE } from "../operations/import/sample-file.js";
import { actAs, type Operator, type OperatorCommand } from "./cli/command.js";
import { EXIT } from "./cli/exit.js";
import { type CommonOptions, formatTable, note, type Progress, print, withProgress } from "./cli/output.js";
import type { imports, restore } from "./procedures/import.js";

export type Imports = Pick<typeof operatorManagement, "users" | "vocabulary"> & {
  meetings: typeof imports;
  restore: typeof restore;
};

interface Report {
  created: number;
  unchanged: number;
  /** Number of replaced meetings; only with `--replace`. */
  replaced?: number;
  /** Number of created meetings that appear when their summaries are written; absent without any. */
  waiting?: number;
  /** Number of valid meetings in a dry run. */
  valid?: number;
  readonly failed: Failure[];
  /**
   * Files of folders and archives that were not read: their format is unknown, or they are recordings, often of a transcript
   * beside them.
   */
  readonly skipped: string[];
  /** Lines kept by `--lenient` with an unknown speaker. */
  readonly unassigned?: LinesWithoutSpeaker[];
  /** Fields of imported meetings that were not stored. */
  readonly notStored?: FieldsNotStored[];
  /** What was read for each meeting; of imported meetings, only if something was assumed. */
  readonly read?: ReadMeeting[];
  /** Where in several files are the meetings that were there already. */
  readonly alreadyThere?: Place[];
  /** Meetings that were there already, with another start than the file says. */
  readonly otherStarts?: OtherStart[];
  /**
   * With `--share`: the members who spoke or were invited, each with the number of meetings, and the number of meetings that
   * only their owner can read.
   */
  readonly shared?: { readonly with: Record<string, number>; readonly unshared: number };
  /** Without `--share`: number of meetings that only their owner can read; absent without any. */
  readonly ownerOnly?: number;
  /** Shared tags of the meetings, each with the addresses of the members it is shared with and the number of meetings. */
  readonly sharedTags?: SharedTag[];
}

interface SharedTag {
  readonly tag: string;
  readonly readers: readonly string[];
  meetings: number;
}

/** Counts who can read the meetings of an import. */
class Readers {
  /** Number of meetings that only their owner can read. */
  unshared = 0;
  /** Members who spoke or were invited, with the number of meetings. */
  readonly with: Record<string, number> = {};
  readonly #tags = new Map<string, SharedTag>();

  add({ sharedWith = [], readers }: ReadableMeeting): void {
    if (sharedWith.length === 0 && readers.length === 0) this.unshared += 1;
    for (const email of sharedWith) this.with[email] = (this.with[email] ?? 0) + 1;
    for (const tag of new Set(readers.flatMap(({ tags }) => tags))) {
      const emails = readers.filter(({ tags }) => tags.includes(tag)).map(({ email }) => email);
      // Two owners can have a tag of the same name.
      const key = [tag, ...emails].join("\n");
      const known = this.#tags.get(key) ?? { tag, readers: emails, meetings: 0 };
      known.meetings += 1;
      this.#tags.set(key, known);
    }
  }

  get tags(): SharedTag[] {
    return [...this.#tags.values()];
  }
}

/** Collects the values of an option that can be repeated. */
export const collect = (value: string, before: readonly string[] = []): string[] => [...before, value];

/** Adds `minutes import <files…>`. */
export function addImportCommands(program: OperatorCommand<Imports>): void {
  program
    .add(
      "import <files...>",
      "import meetings from files, folders, ZIP archives and patterns: transcripts, recordings, and exports of meeting tools and of Minutes",
    )
    .option(
      "--owner <user>",
      "owner of all meetings, whatever the files say; required for transcripts and recordings",
    )
    .option(
      "--share",
      "share each meeting with the members who spoke or were invited, by their addresses in it",
    )
    .option("--tag <name>", "add a tag to each meeting; can be repeated", collect)
    .option("--lenient", "keep transcript lines without a speaker, and report them")
    .option(
      "--speaker <label>",
      "a label that names a speaker, or the one speaker of files that name none; can be repeated",
      collect,
    )
    .option("--not-speaker <label>", "a label that is speech; can be repeated", collect)
    .option("--time-zone <zone>", "zone of dates without one, such as Europe/Berlin (default: UTC)")
    .option("--replace", "replace the content of meetings with the same externalId")
    .option("--restore", "import deleted meetings again, with new IDs")
    .option("--create", "create the database if there is none, to import an export into it")
    .option("--dry-run", "dry run: check the files, show what they contain and import nothing")
    .addHelpText(
      "after",
      "\nImporting a file again is a no-op, so an interrupted import can be repeated." +
        "\nA bad file is reported with all its errors; the others are imported. Nothing is charged or locked, and no events are sent." +
        `\nA sample file with every field: ${SAMPLE_FILE}`,
    )
    .action(async (names: string[], options: ImportCommandOptions) => {
      const isId = options.owner?.startsWith("usr_");
      if (options.dryRun || options.create) {
        const { createOrMigrate, hasDatabase } = await import("./operator/open.js");
        const exists = await hasDatabase(program.getConfig());
        if (!exists && !options.dryRun) await createOrMigrate(program.getConfig());
        if (!exists && options.dryRun && !isId) return importNamed(program.getConfig, null, names, options);
      }
      await program.operate(async (operator) => {
        const owner = isId
          ? (await operator.users.get.query({ user: options.owner ?? "" })).email
          : options.owner;
        const target = options.dryRun ? toCheck(operator) : toTarget(operator);
        await importNamed(program.getConfig, target, names, { ...options, owner });
      });
    });
}

/** Returns what stores meetings as the operator. */
export const toTarget = ({ meetings, vocabulary, restore }: Operator<Imports>): ImportTarget => ({
  importMeeting: (meeting) => meetings.import.mutate(meeting),
  isNeeded: (meeting) => meetings.isNeeded.query({ ...meeting, transcript: [] }),
  getVocabulary: (user) => vocabulary.list.query({}, actAs({ user })),
  restoreRecord: (record) => restore.record.mutate(record),
});

const toCheck = ({ meetings }: Operator<Imports>): ImportCheck => ({
  check: ({ ownerEmail, externalId, tags, ...content }) =>
    meetings.check.query({
      ...{ ownerEmail, externalId, tags: tags.map(({ name }) => name) },
      emails: listAddresses(content),
    }),
});

interface ImportCommandOptions extends CommonOptions {
  /** E-mail address or id. */
  readonly owner?: string | undefined;
  readonly share?: true;
  readonly tag?: readonly string[];
  readonly lenient?: true;
  readonly speaker?: readonly string[];
  readonly notSpeaker?: readonly string[];
  readonly timeZone?: string;
  readonly replace?: boolean;
  readonly restore?: boolean;
  readonly create?: true;
  readonly dryRun?: true;
}

/** Imports the files that the names match. With a check, or without `target`, nothing is stored. */
async function importNamed(
  getConfig: () => Config,
  target: ImportTarget | ImportCheck | null,
  names: readonly string[],
  { owner, tag, replace = false, restore = false, ...options }: ImportCommandOptions,
): Promise<void> {
  // Loaded lazily: no other command, and no server, reads files of meetings.
  const { findFiles } = await import("../operations/import/find-files.js");
  const { prepareTranscription } = await import("../operations/transcriber/choose.js");
  const found = await findFiles(names);
  const importOptions: ImportOptions = {
    owner,
    tags: tag,
    share: options.share,
    lenient: options.lenient,
    speakers: options.speaker,
    notSpeakers: options.notSpeaker,
    timeZone: options.timeZone,
    overwrite: replace || restore ? { replace, restore } : undefined,
  };
  const isDry = options.dryRun === true;
  const transcription = prepareTranscription(getConfig, process.env.PATH);
  const report = await importFiles(target, found, importOptions, transcription);
  const readings = (report.read ?? []).flatMap((read) => describeReading(read, isDry));
  // With --json everything is in the report. Totals and faults come before what can be long.
  print(options, report, summarise(report, found.files.length));
  if (!options.json) {
    describeFaults(report).forEach(note);
    describeReaders(report, { isDry, isBulk: found.files.length > 1 }).forEach(note);
    if (isDry) print(options, report, readings);
    else readings.forEach(note);
  }
  if (report.waiting && !options.json)
    note(
      `${report.waiting} imported ${report.waiting === 1 ? "meeting appears" : "meetings appear"} when a running server has written the summary.${options.share ? " Then import again with --share: only finished meetings can be shared." : ""}`,
    );
  if (report.failed.length > 0) process.exitCode = EXIT.failed;
}

/** Describes what was skipped, not imported and not stored, and lines without a speaker. */
function describeFaults({
  failed,
  skipped,
  notStored = [],
  otherStarts = [],
  unassigned = [],
  alreadyThere = [],
}: Report): string[] {
  const recordings = skipped.filter(hasAudioExtension);
  const unknown = skipped.filter((file) => !hasAudioExtension(file));
  return [
    ...(unknown.length > 0
      ? [
          `${unknown.length} ${unknown.length === 1 ? "file" : "files"} skipped, unknown format: ${listPlaces(unknown)}`,
        ]
      : []),
    ...(recordings.length > 0
      ? [
          `${recordings.length} ${recordings.length === 1 ? "recording" : "recordings"} skipped; import recordings by name or pattern: ${listPlaces(recordings)}`,
        ]
      : []),
    ...groupEqual(alreadyThere.map((place) => [describePlace(place), "already there"])),
    ...groupEqual(failed.map(({ error, ...place }) => [describePlace(place), error])),
    ...groupEqual(
      notStored.map(({ notStored, ...place }) => [
        describePlace(place),
        `not stored: ${notStored.join(", ")}`,
      ]),
    ),
    ...(notStored.length > 0
      ? [
          "Fields are not stored if a meeting has no place for them, or if they would change something that exists, such as the tags of a meeting, or the color of a tag.",
        ]
      : []),
    ...otherStarts.map(describeOtherStart),
    ...unassigned.map(
      ({ file, unassigned }) =>
        `${file}: kept without a speaker: ${unassigned.length === 1 ? "line" : "lines"} ${unassigned.join(", ")}`,
    ),
  ];
}

/** Says which meeting has the text of a file with another date. */
export const describeOtherStart = ({ startTime, existing, ...place }: OtherStart): string =>
  `${describePlace(place)}: already there as ${existing.meetingId}, which started at ${existing.startTime}, not ${startTime}. The same text is the same meeting: correct its start there, or change the text.`;

/** Describes who can read the imported meetings. */
function describeReaders(
  { created, valid = 0, shared, sharedTags = [], ownerOnly = 0 }: Report,
  { isDry, isBulk }: { readonly isDry: boolean; readonly isBulk: boolean },
): string[] {
  const can = isDry ? "could" : "can";
  const members = Object.entries(shared?.with ?? {}).map(([email, count]) => `${email} (${count})`);
  const unshared = shared?.unshared ?? 0;
  return [
    ...(members.length > 0 ? [`${isDry ? "Would be shared" : "Shared"} with ${members.join(", ")}`] : []),
    ...sharedTags.map(
      ({ tag, readers, meetings }) =>
        `The tag "${tag}" is shared with ${readers.join(", ")}: they ${can} read ${meetings} ${meetings === 1 ? "meeting" : "meetings"} through it.`,
    ),
    ...(unshared > 0
      ? [
          `${unshared} ${unshared === 1 ? "meeting has" : "meetings have"} no confirmed address of another member, so only the owner ${can} read ${unshared === 1 ? "it" : "them"}.`,
        ]
      : []),
    ...(isBulk && created + valid > 0 && ownerOnly > 0
      ? [
          `${ownerOnly} ${ownerOnly === 1 ? "meeting" : "meetings"} ${can} be read only by the owner. ${isDry ? "Import" : "Import again"} with --share to share each with the members who spoke or were invited, or share a tag of theirs (minutes shares create).`,
        ]
      : []),
  ];
}

type Place = Pick<Failure, "file" | "line" | "index">;
const describePlace = ({ file, line, index }: Place): string =>
  `${file}${line === null ? "" : `:${line}`}${index === null ? "" : ` [${index}]`}`;

/** Number of places that are listed of several with the same message. */
const PLACES = 3;

/** Lists each message once, with its first places and the number of the others. */
function groupEqual(messages: readonly (readonly [place: string, message: string])[]): string[] {
  const groups = new Map<string, string[]>();
  for (const [place, message] of messages) groups.set(message, [...(groups.get(message) ?? []), place]);
  return [...groups].map(([message, places]) => `${listPlaces(places)}: ${message}`);
}

function listPlaces(places: readonly string[]): string {
  const more = places.length > PLACES ? ` and ${places.length - PLACES} more (--json lists all)` : "";
  return `${places.slice(0, PLACES).join(", ")}${more}`;
}

/** Returns true if something was assumed that the importer should know. */
const isAssumed = ({ reading }: ReadMeeting): boolean => listAssumptions(reading).length > 0;

/** Lists in words what was assumed. */
function listAssumptions({
  startSource,
  startPrecision,
  timeZone,
  encoding,
  doubts,
  remarks,
}: ReadMeeting["reading"]): string[] {
  const describeLabels = (speakers: boolean) =>
    doubts.filter(({ speaker }) => speaker === speakers).map(({ label, count }) => `${label} (${count})`);
  const [speakers, speech] = [describeLabels(true), describeLabels(false)];
  return [
    ...(startSource === "fileTime" ? ["date taken from the file's time"] : []),
    ...(startPrecision === "day" ? ["only the day is known, not the time"] : []),
    ...(timeZone === null ? [] : [`date read in the zone ${timeZone}`]),
    ...(encoding === null ? [] : [`read as ${encoding}`]),
    ...(speakers.length > 0 ? [`doubtful speakers: ${speakers.join(", ")}`] : []),
    ...(speech.length > 0 ? [`doubtful labels taken as speech: ${speech.join(", ")}`] : []),
    ...remarks,
  ];
}

const SOURCES = {
  file: "from the file",
  fileName: "from the file's name",
  fileTime: "from the file's time",
  given: "as given",
} as const;

/** Describes what was read for a meeting: in a dry run all, otherwise only what was assumed. */
function describeReading({ reading, stored, ...place }: ReadMeeting, whole: boolean): string[] {
  const name = describePlace(place);
  if (!whole) return listAssumptions(reading).map((assumption) => `${name}: ${assumption}`);
  const { title, startTime, startPrecision, startSource, speakers, speakerCount, firstTurns } = reading;
  const names = speakers.map((speaker) => `${speaker.name} (${speaker.turns})`);
  const more = speakerCount > speakers.length ? `, and ${speakerCount - speakers.length} more` : "";
  return [
    stored ? `${name}: already there` : name,
    `  ${title}, ${startPrecision === "day" ? startTime.slice(0, 10) : startTime} (${SOURCES[startSource]})`,
    `  Speakers and turns: ${names.join(", ") || "none"}${more}`,
    ...firstTurns.map(({ speaker, text }) => `  > ${speaker}: ${text.replaceAll("\n", " ")}`),
    ...listAssumptions(reading).map((assumption) => `  ${assumption}`),
  ];
}

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
      : { valid, ...(unchanged > 0 ? { "already there": unchanged } : {}), failed: failed.length };
  const line = Object.entries(counts)
    .map(([name, count]) => `${count} ${name}`)
    .join(", ");
  if (files === 1) return [line];
  const rows = [...Object.entries(counts), ["files", files] as const];
  return [...formatTable(rows, { MEETINGS: ([name]) => name, COUNT: ([, count]) => count }), line];
}

/** Formats progress: a percentage, or the elapsed time if the recording is transcribed in one request. */
export const describeProgress = ({ seconds, parts }: RunningTranscription): string =>
  parts === null ? ` for ${seconds} s` : `, ${Math.floor((100 * parts.finished) / parts.total)} %`;

async function importFiles(
  target: ImportTarget | ImportCheck | null,
  { files, skipped }: FoundFiles,
  options: ImportOptions,
  prepared: Omit<Transcription, "onProgress">,
): Promise<Report> {
  const { importFile } = await import("../operations/import/import-file.js");
  const isDry = target === null || "check" in target;
  const report: Report = {
    created: 0,
    unchanged: 0,
    ...(options.overwrite?.replace ? { replaced: 0 } : {}),
    ...(isDry ? { valid: 0 } : {}),
    failed: [],
    skipped: [...skipped],
  };
  const unassigned: LinesWithoutSpeaker[] = [];
  const notStored: FieldsNotStored[] = [];
  const otherStarts: OtherStart[] = [];
  const read: ReadMeeting[] = [];
  const alreadyThere: Place[] = [];
  const readers = new Readers();
  let meetings = 0;
  const importAll = async (progress: Progress) => {
    const transcription: Transcription = {
      ...prepared,
      onProgress: (running) =>
        progress.update({
          doing: running ? `, transcribing ${basename(running.file)}${describeProgress(running)}` : "",
        }),
    };
    for (const file of files) {
      let place: Place = { file, line: null, index: null };
      for await (const outcome of importFile(target, file, options, transcription)) {
        if (typeof outcome === "object" && "unassigned" in outcome) {
          unassigned.push(outcome);
          continue;
        }
        if (typeof outcome === "object" && "skipped" in outcome) {
          report.skipped.push(...outcome.skipped);
          continue;
        }
        if (typeof outcome === "object" && "readers" in outcome) {
          readers.add(outcome);
          continue;
        }
        if (typeof outcome === "object" && "notStored" in outcome) {
          notStored.push(outcome);
          continue;
        }
        if (typeof outcome === "object" && "existing" in outcome) {
          otherStarts.push(outcome);
          continue;
        }
        if (typeof outcome === "object" && "reading" in outcome) {
          place = { file: outcome.file, line: outcome.line, index: outcome.index };
          if (isDry || isAssumed(outcome)) read.push(outcome);
          continue;
        }
        if (typeof outcome === "object") report.failed.push(outcome);
        else report[outcome] = (report[outcome] ?? 0) + 1;
        if (!isDry && outcome === "unchanged" && files.length > 1) alreadyThere.push(place);
        const last = read.at(-1);
        if (isDry && outcome === "unchanged" && last) read[read.length - 1] = { ...last, stored: true };
        if (outcome === "waiting") report.created += 1;
        progress.update({ meetings: ++meetings });
      }
      progress.increment();
    }
  };
  // One file can contain thousands of meetings, so both are counted.
  await withProgress(files.length, "files, {meetings} meetings{doing}", importAll, {
    values: { meetings, doing: "" },
  }).catch(async (error: unknown) => {
    const { isUnavailable } = await import("@minutes/db"); // a running server's command needs none of it
    const stored = meetings - report.failed.length;
    const done = stored === 1 ? "1 meeting" : `${stored} meetings`;
    if (!isDry && isUnavailable(error))
      note(`Stopped after ${done}. Run the command again to continue: what is stored isn't stored twice.`);
    throw error;
  });
  return {
    ...report,
    ...(unassigned.length > 0 ? { unassigned } : {}),
    ...(alreadyThere.length > 0 ? { alreadyThere } : {}),
    ...(notStored.length > 0 ? { notStored } : {}),
    ...(otherStarts.length > 0 ? { otherStarts } : {}),
    ...(read.length > 0 ? { read } : {}),
    ...(options.share ? { shared: { with: readers.with, unshared: readers.unshared } } : {}),
    ...(!options.share && readers.unshared > 0 ? { ownerOnly: readers.unshared } : {}),
    ...(readers.tags.length > 0 ? { sharedTags: readers.tags } : {}),
  };
}
