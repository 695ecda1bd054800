import { parseBound } from "@minutes/contract";
import { z } from "zod";
import { parseTime } from "./times.js";
import { type Transcript, TranscriptError, type Turn } from "./transcript.js";

/** Export formats of other services. Unlisted fields are ignored. */
interface JsonFormat {
  /** @returns null for a value in another format */
  read(value: unknown): Transcript | null;
}

const createFormat = <Schema extends z.ZodType>(
  schema: Schema,
  read: (value: z.output<Schema>) => Transcript,
): JsonFormat => ({
  read(value) {
    const parsed = schema.safeParse(value);
    return parsed.success ? read(parsed.data) : null;
  },
});

/** The day at the beginning of an ISO 8601 date. */
const DAY = /^\d{4}-\d\d-\d\d/;

const Instant = z.string().transform((text, context) => {
  const date = new Date(text);
  const [day] = DAY.exec(text) ?? [];
  // A day that does not exist, such as February 31, would become one in March.
  const exists = day === undefined || parseBound(day, "start") !== null;
  if (exists && !Number.isNaN(date.getTime())) return date.toISOString();
  context.addIssue("not a date");
  return z.NEVER;
});

/** Converts a time in ms to ISO 8601. @throws TranscriptError if it is outside the range of dates */
function toInstant(milliseconds: number, field: string): string {
  const date = new Date(milliseconds);
  if (!Number.isNaN(date.getTime())) return date.toISOString();
  throw new TranscriptError(
    null,
    `${field} must be a time in milliseconds since 1970, such as 1767225600000.`,
  );
}

/** Seconds: a number, digits in a string, or `1:02:10`. */
const Seconds = z.union([
  z.number(),
  z
    .string()
    .regex(/^\d{1,7}(?:\.\d{1,9})?$/)
    .transform(Number),
  z
    .string()
    .regex(/^\d{1,4}:\d{1,2}(?::\d{1,2})?(?:[.,]\d{1,3})?$/)
    .transform(parseTime),
]);

const optional = <Schema extends z.ZodType>(schema: Schema) =>
  schema.nullish().transform((value) => value ?? undefined);

const Sentence = z
  .object({
    sentence: optional(z.string()),
    text: optional(z.string()),
    speaker_name: z.string().nullable(),
    speaker_id: optional(z.union([z.number(), z.string()])),
    start_time: optional(Seconds),
    end_time: optional(Seconds),
    startTime: optional(Seconds),
    endTime: optional(Seconds),
  })
  .refine(({ sentence, text }) => sentence !== undefined || text !== undefined);

const toTurns = (sentences: readonly z.output<typeof Sentence>[]): Turn[] =>
  sentences.map((one) => ({
    speaker: one.speaker_name ?? `Speaker ${Number(one.speaker_id ?? 0) + 1}`,
    text: one.text ?? one.sentence ?? "",
    start: one.start_time ?? one.startTime,
    end: one.end_time ?? one.endTime,
  }));

/** @see https://docs.fireflies.ai/schema/transcript */
const FirefliesTranscript = z.object({
  title: optional(z.string()),
  date: optional(z.union([z.number(), Instant])),
  sentences: z.array(Sentence),
  summary: optional(z.object({ overview: optional(z.string()) })),
});

const readFireflies = ({
  title,
  date,
  sentences,
  summary,
}: z.output<typeof FirefliesTranscript>): Transcript => ({
  title,
  startTime: typeof date === "number" ? toInstant(date, "date") : date,
  notes: summary?.overview,
  turns: toTurns(sentences),
  unassigned: [],
});

/** @see https://developers.fathom.ai */
const FathomMeeting = z.object({
  title: optional(z.string()),
  meeting_title: optional(z.string()),
  created_at: optional(Instant),
  scheduled_start_time: optional(Instant),
  recording_start_time: optional(Instant),
  recording_end_time: optional(Instant),
  transcript: z.array(
    z.object({
      speaker: z.object({
        display_name: z.string(),
        matched_calendar_invitee_email: optional(z.string()),
      }),
      text: z.string(),
      timestamp: Seconds,
    }),
  ),
  default_summary: optional(z.object({ markdown_formatted: optional(z.string()) })),
  action_items: optional(
    z.array(
      z.object({
        description: z.string(),
        completed: z.boolean().default(false),
        assignee: optional(z.object({ name: optional(z.string()), email: optional(z.string()) })),
      }),
    ),
  ),
});

const readFathom = (meeting: z.output<typeof FathomMeeting>): Transcript => ({
  title: meeting.title ?? meeting.meeting_title,
  startTime: meeting.recording_start_time ?? meeting.scheduled_start_time ?? meeting.created_at,
  endTime: meeting.recording_end_time,
  notes: meeting.default_summary?.markdown_formatted,
  tasks: meeting.action_items?.map(({ description, completed, assignee }) => ({
    text: description,
    completed,
    ...(assignee?.name
      ? { assignee: { name: assignee.name, ...(assignee.email ? { email: assignee.email } : {}) } }
      : {}),
  })),
  turns: meeting.transcript.map(({ speaker, text, timestamp }) => ({
    speaker: speaker.display_name,
    email: speaker.matched_calendar_invitee_email,
    text,
    start: timestamp,
  })),
  unassigned: [],
});

/** @see https://docs.granola.ai */
const GranolaNote = z.object({
  title: optional(z.string()),
  summary_markdown: optional(z.string()),
  transcript: z.array(
    z.object({
      speaker: z.object({ source: z.string(), name: optional(z.string()) }),
      text: z.string(),
      start_time: optional(Instant),
      end_time: optional(Instant),
    }),
  ),
});

/** Reads a Granola note. The microphone is the person who recorded; the rest is their computer's audio. */
function readGranola({ title, summary_markdown, transcript }: z.output<typeof GranolaNote>): Transcript {
  const startTime = transcript.find(({ start_time }) => start_time !== undefined)?.start_time;
  return {
    title,
    startTime,
    endTime: transcript.findLast(({ end_time }) => end_time !== undefined)?.end_time,
    notes: summary_markdown,
    turns: transcript.map(({ speaker, text, start_time, end_time }) => ({
      speaker: speaker.name ?? (speaker.source === "microphone" ? "Me" : "Them"),
      text,
      start: countSeconds(startTime, start_time),
      end: countSeconds(startTime, end_time),
    })),
    unassigned: [],
  };
}

/** @see https://support.read.ai (webhooks) */
const ReadReport = z.object({
  title: optional(z.string()),
  start_time: optional(Instant),
  end_time: optional(Instant),
  summary: optional(z.string()),
  action_items: optional(z.array(z.object({ text: z.string() }))),
  transcript: z.object({
    speaker_blocks: z.array(
      z.object({
        speaker: z.object({ name: z.string() }),
        words: z.string(),
        /** Unix time in ms. */
        start_time: z.coerce.number(),
        end_time: optional(z.coerce.number()),
      }),
    ),
  }),
});

function readReport({ transcript, ...report }: z.output<typeof ReadReport>): Transcript {
  const blocks = transcript.speaker_blocks;
  const startTime =
    report.start_time ?? (blocks[0] ? toInstant(blocks[0].start_time, "start_time") : undefined);
  const toSeconds = (time: number | undefined, field: string) =>
    time === undefined ? undefined : countSeconds(startTime, toInstant(time, field));
  return {
    title: report.title,
    startTime,
    endTime: report.end_time,
    notes: report.summary,
    tasks: report.action_items,
    turns: blocks.map(({ speaker, words, start_time, end_time }) => ({
      speaker: speaker.name,
      text: words,
      start: toSeconds(start_time, "start_time"),
      end: toSeconds(end_time, "end_time"),
    })),
    unassigned: [],
  };
}

function countSeconds(from: string | undefined, to: string | undefined): number | undefined {
  return from === undefined || to === undefined
    ? undefined
    : Math.max(0, Date.parse(to) - Date.parse(from)) / 1000;
}

const FORMATS: readonly JsonFormat[] = [
  createFormat(FirefliesTranscript, readFireflies),
  createFormat(z.object({ data: z.object({ transcript: FirefliesTranscript }) }), ({ data }) =>
    readFireflies(data.transcript),
  ),
  createFormat(z.array(Sentence).min(1), (sentences) => ({ turns: toTurns(sentences), unassigned: [] })),
  createFormat(FathomMeeting, readFathom),
  createFormat(GranolaNote, readGranola),
  createFormat(ReadReport, readReport),
];

/**
 * Reads a meeting exported as JSON by Fireflies, Fathom, Granola or Read AI.
 * @returns null for any other value, including a meeting in Minutes' own format
 * @throws TranscriptError for a time outside the range of dates
 */
export function readJson(value: unknown): Transcript | null {
  for (const { read } of FORMATS) {
    const transcript = read(value);
    if (transcript) return removeEmptyTurns(transcript);
  }
  return null;
}

const removeEmptyTurns = (transcript: Transcript): Transcript => ({
  ...transcript,
  turns: transcript.turns.filter(({ text }) => text.trim() !== ""),
});
