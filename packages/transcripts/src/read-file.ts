import { readAss } from "./captions/read-ass.js";
import { readSrt, readVtt } from "./captions/read-captions.js";
import { decodeText, type Encoding } from "./decode.js";
import { EXTENSIONS } from "./extensions.js";
import { isTurn } from "./json/plain-formats.js";
import { type JsonMeeting, readJson } from "./json/read-json.js";
import { readText } from "./text/read-text.js";
import { type ReadOptions, type Transcript, TranscriptError, UNKNOWN_SPEAKER } from "./transcript.js";
import { isZip } from "./zip.js";

/** A file's bytes and name. */
export interface SourceFile {
  /** Its extension decides where the content does not. */
  readonly name: string;
  readonly bytes: Uint8Array;
}

/** A meeting of a file, or a value that is none. */
export type FileMeeting = JsonMeeting & {
  /** Index in a list; null in other files. */
  readonly index: number | null;
  /** Line number in JSON Lines, from 1; null in other files. */
  readonly line: number | null;
};

/** What a file contains. */
export interface FileContent {
  readonly meetings: readonly FileMeeting[];
  /** Text from which a meeting's ID is derived; null for a file that is not text. */
  readonly text: string | null;
  readonly encoding: Encoding | null;
  /** True if the encoding was guessed. */
  readonly assumed: boolean;
}

/** Thrown for a file in an unknown format. */
export class UnknownFormatError extends Error {
  override name = "UnknownFormatError";
  /** @param ending the file's extension, in lower case */
  constructor(ending: string) {
    super(
      EXTENSIONS.includes(ending)
        ? `The content is not that of a .${ending} file: it is damaged, or in another format.`
        : `This format can't be imported. Use ${EXTENSIONS.map((one) => `.${one}`).join(", ")} or .zip.`,
    );
  }
}

const TEXT_ENDINGS = new Set(["txt", "md", "text", "markdown", ""]);

/**
 * Reads the meetings of a file. Its content decides the format, and its extension where the content fits several.
 * @throws TranscriptError for a part that can't be read, SyntaxError for JSON that isn't, UnknownFormatError
 */
export async function readFile({ name, bytes }: SourceFile, options: ReadOptions = {}): Promise<FileContent> {
  const content = await readContent({ name, bytes }, options);
  return { ...content, meetings: content.meetings.map((meeting) => nameOnlySpeaker(meeting, options)) };
}

/** Gives all turns of a transcript that names nobody to the one speaker that the importer names. */
function nameOnlySpeaker(meeting: FileMeeting, { speakers }: ReadOptions): FileMeeting {
  const [only, ...others] = speakers ?? [];
  if (only === undefined || others.length > 0 || !("transcript" in meeting)) return meeting;
  const { turns } = meeting.transcript;
  if (turns.some(({ speaker }) => speaker !== null && speaker !== UNKNOWN_SPEAKER)) return meeting;
  const named = turns.map((turn) => ({ ...turn, speaker: only }));
  return { ...meeting, transcript: { ...meeting.transcript, turns: named, unassigned: [] } };
}

async function readContent({ name, bytes }: SourceFile, options: ReadOptions): Promise<FileContent> {
  const ending = /\.([a-z\d]{1,8})$/i.exec(name)?.[1]?.toLowerCase() ?? "";
  if (isZip(bytes)) {
    const { readDocx } = await import("./docx.js");
    const text = await readDocx(bytes);
    if (text === null) throw new UnknownFormatError(ending);
    return toContent([{ transcript: readText(text, options) }], null);
  }
  const { text, encoding, assumed } = decodeText(bytes);
  if (text.includes("\0") || /^\s*(?:%PDF|\{\\rtf|<!doctype html|<html)/i.test(text.slice(0, 100)))
    throw new UnknownFormatError(ending);
  if (ending === "jsonl" || ending === "ndjson")
    return { meetings: readLines(text, options), text, encoding, assumed };
  if (ending === "json" || /^\s*(?:\{|\[\s*[{[])/.test(text.slice(0, 1_000))) {
    const { single, meetings } = readJson(JSON.parse(text), options);
    const placed = meetings.map((meeting, index) => ({
      ...meeting,
      index: single ? null : index,
      line: null,
    }));
    return { meetings: placed, text, encoding, assumed };
  }
  return {
    ...toContent([{ transcript: await readTranscript(ending, text, options) }], text),
    encoding,
    assumed,
  };
}

const toContent = (meetings: readonly JsonMeeting[], text: string | null): FileContent => ({
  meetings: meetings.map((meeting) => ({ ...meeting, index: null, line: null })),
  text,
  encoding: null,
  assumed: false,
});

/** Reads JSON Lines: a meeting each, or the turns of one. An invalid line is reported, and the others are read. */
function readLines(text: string, options: ReadOptions): FileMeeting[] {
  const turns = readTurns(text);
  if (turns) {
    const { meetings } = readJson(turns, options);
    return meetings.map((meeting) => ({ ...meeting, index: null, line: null }));
  }
  let count = 0;
  return text.split("\n").flatMap((content, at): FileMeeting[] => {
    if (content.trim() === "" || count++ >= (options.most ?? Number.POSITIVE_INFINITY)) return [];
    try {
      return readJson(JSON.parse(content), options).meetings.map((meeting) => ({
        ...meeting,
        index: null,
        line: at + 1,
      }));
    } catch (error) {
      if (error instanceof TranscriptError) return [{ error: error.message, index: null, line: at + 1 }];
      if (!(error instanceof SyntaxError)) throw error;
      return [{ error: "Not valid JSON.", index: null, line: at + 1 }];
    }
  });
}

/** Reads lines that are turns of one meeting; null if one of them is none. */
function readTurns(text: string): unknown[] | null {
  const turns: unknown[] = [];
  for (const line of text.split("\n")) {
    if (line.trim() === "") continue;
    try {
      const value: unknown = JSON.parse(line);
      if (!isTurn(value)) return null;
      turns.push(value);
    } catch (error) {
      if (error instanceof SyntaxError) return null;
      throw error;
    }
  }
  return turns.length > 0 ? turns : null;
}

/** The beginning of a SubRip file: a number above or before times. */
const SUBRIP =
  /^\s*\d{1,9}(?:[ \t]*(?:\r\n?|\n)[ \t]*|[ \t]{1,20})\d{1,4}:\d{1,2}:\d{1,2}[,.]\d{1,3} *-{1,2}> *\d/;
/** Times of YouTube's SBV. */
const SBV = /^\d{1,3}:\d{2}:\d{2}\.\d{3},\d{1,3}:\d{2}:\d{2}\.\d{3}\s/;

async function readTranscript(ending: string, text: string, options: ReadOptions): Promise<Transcript> {
  const head = text.slice(0, 1_000);
  if (/^WEBVTT(?:[ \t\r\n]|$)/.test(head)) return readVtt(text, options);
  if (ending === "vtt") return readSrt(text, options);
  if (ending === "srt" || ending === "sbv" || SUBRIP.test(head) || SBV.test(head.trimStart()))
    return readSrt(text, options);
  if (ending === "ass" || ending === "ssa" || /^\s*\[Script Info\]/i.test(head))
    return readAss(text, options);
  if (/^\s*<(?:\?xml|tt|transcript|timedtext)[\s>]/i.test(head)) {
    const { readXml } = await import("./captions/read-xml.js");
    return readXml(text, options);
  }
  if (ending === "csv" || ending === "tsv") {
    const { readCsv } = await import("./csv/read-csv.js");
    return readCsv(text, options);
  }
  if (!TEXT_ENDINGS.has(ending)) throw new UnknownFormatError(ending);
  return readText(text, options);
}
