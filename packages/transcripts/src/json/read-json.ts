import { type ReadOptions, type Transcript, UNKNOWN_SPEAKER } from "../transcript.js";
import { get } from "./fields.js";
import { findFormat, type JsonFormat, listMissing } from "./format.js";
import { MEETING_FORMATS } from "./meeting-formats.js";
import { OWN_FORMATS } from "./own-formats.js";
import { PLAIN_FORMATS } from "./plain-formats.js";
import { RECORDER_FORMATS } from "./recorder-formats.js";
import { SPEECH_FORMATS } from "./speech-formats.js";

/** Known formats; one that has the fields of another comes before it. */
const FORMATS: readonly JsonFormat[] = [
  ...OWN_FORMATS,
  ...MEETING_FORMATS,
  ...RECORDER_FORMATS,
  ...SPEECH_FORMATS,
  ...PLAIN_FORMATS,
];

/** Fields in which answers of interfaces wrap meetings. */
const ENVELOPES = [
  "result",
  "data",
  "json",
  "body",
  "payload",
  "response",
  "speech",
  "recording",
  "meeting",
  "note",
  "transcript",
  "results",
];
const LISTS = ["meetings", "transcripts", "items", "notes", "recordings", "data", "calls", "speeches"];
/** Maximum number of envelopes around a meeting. */
const DEPTH = 5;

/** A meeting of a JSON file, or a value that is none. */
export type JsonMeeting =
  | { readonly transcript: Transcript }
  /** A meeting in the format that recorders send. */
  | { readonly meeting: unknown }
  | { readonly error: string };

/**
 * Reads the meetings of a JSON value: exports of other services, answers of this API, or meetings as recorders send them.
 * @returns null if the value is one meeting, otherwise a list
 */
export function readJson(
  value: unknown,
  options: ReadOptions = {},
): { readonly single: boolean; readonly meetings: readonly JsonMeeting[] } {
  const read = readValue(value, options, DEPTH);
  if (read) return read;
  return { single: true, meetings: [{ error: describeNearest(value) }] };
}

function readValue(
  value: unknown,
  options: ReadOptions,
  depth: number,
): { single: boolean; meetings: JsonMeeting[] } | null {
  if (typeof value !== "object" || value === null) return null;
  const format = isRecorded(value) ? undefined : findFormat(FORMATS, value);
  if (isRecorded(value)) return { single: true, meetings: [{ meeting: value }] };
  if (format)
    return {
      single: true,
      meetings: [{ transcript: finishTranscript(format.read(value, options)) }],
    };
  if (depth === 0) return null;
  if (Array.isArray(value)) {
    const items = options.most === undefined ? value : value.slice(0, options.most);
    const meetings = items.flatMap(
      (item, at) =>
        readValue(item, options, Array.isArray(item) ? 0 : depth - 1)?.meetings ?? [
          { error: at < EXPLAINED ? describeNearest(item) : UNKNOWN },
        ],
    );
    return { single: false, meetings };
  }
  for (const name of [...LISTS, ...ENVELOPES]) {
    const inner = get(value, name);
    if (inner === undefined || (Array.isArray(inner) && (!LISTS.includes(name) || inner.length === 0)))
      continue;
    const read = readValue(inner, options, depth - 1);
    if (read?.meetings.some((one) => !("error" in one))) return read;
  }
  return null;
}

/** Returns true for a meeting in the format that recorders send. */
const isRecorded = (value: object): boolean =>
  get(value, "externalId") !== undefined || get(value, "ownerEmail") !== undefined;

const NAMELESS = "The transcript names no speaker.";

/** Gives speech without a speaker to an unknown one. A transcript in which nobody is named has unassigned speech. */
function finishTranscript(transcript: Transcript): Transcript {
  const { turns, unassigned } = transcript;
  if (unassigned.length > 0 || turns.every(({ speaker }) => speaker !== null)) return transcript;
  const named = turns.some(({ speaker }) => speaker !== null);
  const assigned = turns.map((turn) => ({ ...turn, speaker: turn.speaker ?? UNKNOWN_SPEAKER }));
  if (!named) return { ...transcript, turns: assigned, unassigned: [{ line: 1, reason: NAMELESS }] };
  const count = turns.filter(({ speaker }) => speaker === null).length;
  const remark = `${count} ${count === 1 ? "turn has" : "turns have"} no speaker.`;
  return { ...transcript, turns: assigned, remarks: [...(transcript.remarks ?? []), remark] };
}

/** Converts `sentences[].text|other[].text` to `sentences|other`. */
const toListPath = (path: string): string =>
  path
    .split("|")
    .map((one) => one.split("[]")[0])
    .filter((one) => one !== "")
    .join("|") || "-";

const UNKNOWN =
  "This JSON is not a meeting in a known format, such as an export of Fireflies, Fathom or Granola, or an answer of meetings.get.";
/** Number of unknown items in a list that are compared with all formats. */
const EXPLAINED = 20;

/** Names the known format that a value comes nearest to, and what it lacks. */
function describeNearest(value: unknown): string {
  let best: { format: JsonFormat; missing: string[]; share: number } | undefined;
  const visit = (part: unknown, depth: number) => {
    if (typeof part !== "object" || part === null) return;
    for (const format of FORMATS) {
      const missing = listMissing(format, part);
      // A list with other fields counts half.
      const partial = missing.filter(
        (path) => path.includes("[].") && listMissing({ shape: [toListPath(path)] }, part).length === 0,
      );
      const share = 1 - (missing.length - partial.length / 2) / format.shape.length;
      if (
        share > 0 &&
        (!best || share > best.share || (share === best.share && missing.length < best.missing.length))
      )
        best = { format, missing, share };
    }
    if (depth > 0 && !Array.isArray(part))
      for (const name of [...LISTS, ...ENVELOPES]) visit(get(part, name), depth - 1);
  };
  visit(value, 2);
  if (!best) return UNKNOWN;
  const missing = best.missing.map((path) => path.split("|")[0]).join(" and ");
  return `This JSON resembles ${best.format.name}, but lacks ${missing}.`;
}
