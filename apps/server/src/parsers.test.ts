import { MeetingImport, toInputSentence } from "@minutes/contract";
import {
  parseTitle,
  readJson,
  readSrt,
  readText,
  readVtt,
  toSegments,
  writeMarkdown,
  writeVtt,
} from "@minutes/transcripts";
import { describe, expect, test } from "vitest";
import { renderMarkdown, renderVerbatim } from "../../../packages/core/src/meetings/render-markdown.js";
import { chunkTranscript } from "../../../packages/search/src/indexing/chunk.js";
import { parseLexemes } from "../../../packages/search/src/indexing/lexemes.js";

/** Texts that repeat one piece. Each is what some expression or loop takes long for. */
const PIECES = {
  blanks: " ",
  tabs: "\t",
  "line ends": "\n",
  "blank lines": " \n",
  digits: "1",
  colons: ":",
  times: "0:12 ",
  "time lines": "0:12\n",
  ranges: "0:0:0.0 --> 0:0:3.25\n",
  dates: "2026-11-05 ",
  "dates in dashes": "2026-11-05----",
  names: "Sarah Chen\n",
  labels: "Sarah Chen: a\n",
  "different labels": "",
  headers: "Sarah Chen  0:12\na\n",
  headings: "# a\n",
  "transcript headings": "Transcript\n",
  images: "![",
  brackets: "[",
  links: "[a](",
  references: "[a]: b\n",
  quotes: ">",
  emphasis: "*a ",
  bold: "**a",
  ticks: "`",
  tables: "a|b\n-|-\n\n",
  cells: "a|",
  tags: "<v a",
  "open tags": "<",
  entities: "&amp",
  cues: "00:00:01.000 --> 00:00:02.000\n<v Anna>a</v>\n\n",
  "SubRip cues": "1\n00:00:01,000 --> 00:00:02,000\nAnna: a\n\n",
  quoting: "'a':1 ",
  "quote marks": "''",
  parentheses: "( ",
  words: "word ",
  sentences: "a. ",
  "one letter": "a",
  underscores: "_",
} as const;

const make = (name: keyof typeof PIECES, length: number): string => {
  if (name !== "different labels") return PIECES[name].repeat(Math.ceil(length / PIECES[name].length));
  return Array.from({ length: Math.ceil(length / 12) }, (_, at) => `N${at} Chen: a\n`).join("");
};

const detail = (text: string) => ({
  id: "mtg_1",
  title: "T",
  generatedTitle: null,
  startTime: "2026-01-01T00:00:00.000Z",
  endTime: null,
  user: { id: "usr_1", email: "a@example.com" },
  summary: { markdown: text, html: "", short: "" },
  transcript: text,
  participants: [],
  tasks: [{ content: text, completed: false, assignee: null }],
  tags: [],
  event: { id: null, externalId: null, title: "T", scheduledTime: "", endTime: null, attendees: [] },
});

const importOf = (text: string) => ({
  externalId: "e",
  ownerEmail: text,
  title: text,
  startTime: text,
  transcript: [{ speakerId: "s", speakerName: text, text }],
});

const quietly = (run: () => unknown) => {
  try {
    run();
  } catch {
    // A refusal takes time too.
  }
};

/** Everything that reads or writes text that users send, with the length of its shorter input in characters. */
const PARSERS: Record<string, { readonly length: number; readonly run: (text: string) => unknown }> = {
  "text transcripts": { length: 5_000, run: (text) => readText(text, { lenient: true }) },
  "text after a first speaker": { length: 5_000, run: (text) => readText(`Anna: a\n${text}`) },
  WebVTT: { length: 20_000, run: (text) => readVtt(`WEBVTT\n\n${text}`, { lenient: true }) },
  "a WebVTT cue": {
    length: 20_000,
    run: (text) => readVtt(`WEBVTT\n\n00:00:01.000 --> 00:00:02.000\n${text.replaceAll("\n", " ")}`),
  },
  SubRip: { length: 20_000, run: (text) => readSrt(text, { lenient: true }) },
  "JSON exports": { length: 20_000, run: (text) => readJson([{ sentence: text, speaker_name: text }]) },
  "file names": { length: 20_000, run: parseTitle },
  "segments of turns": {
    length: 20_000,
    run: (text) => toSegments(text.split("\n").map((line) => ({ speaker: line, text: line }))),
  },
  "WebVTT output": { length: 20_000, run: (text) => writeVtt([{ speaker: text, text, start: 0, end: 1 }]) },
  "Markdown output": { length: 20_000, run: (text) => writeMarkdown(detail(text)) },
  summaries: { length: 3_000, run: renderMarkdown },
  "summaries as text": { length: 20_000, run: renderVerbatim },
  chunking: { length: 20_000, run: (text) => chunkTranscript([{ speaker: "Anna", text }]) },
  lexemes: { length: 20_000, run: parseLexemes },
  "imported meetings": {
    length: 20_000,
    run: (text) => {
      const checked = MeetingImport.safeParse(importOf(text));
      if (!checked.success) toInputSentence(checked.error.issues);
    },
  },
};

/** The least of several measurements, in milliseconds of processor time: what else the machine does only adds to it. */
function leastTime(run: () => unknown, times: number): number {
  let least = Number.POSITIVE_INFINITY;
  for (let at = 0; at < times; at++) {
    const begun = process.cpuUsage();
    quietly(run);
    const { user } = process.cpuUsage(begun);
    least = Math.min(least, user / 1000);
  }
  return least;
}

/** Milliseconds below which a measurement says nothing about growth. */
const NOISE = 20;

const MOST_GROWTH = 9;

describe("the time of every parser grows in proportion to its text", () => {
  test.each(Object.entries(PARSERS))("%s", (_, { length, run }) => {
    for (const name of Object.keys(PIECES) as (keyof typeof PIECES)[]) {
      const [short, long] = [make(name, length), make(name, 4 * length)];
      if (leastTime(() => run(long), 1) < NOISE) continue;
      const growth = () =>
        leastTime(() => run(long), 2) /
        Math.max(
          leastTime(() => run(short), 3),
          1,
        );
      // A line grows 4-fold and a square 16-fold. Garbage collection may disturb some measurements, not seven.
      let least = growth();
      for (let again = 0; again < 6 && least >= MOST_GROWTH; again++) least = Math.min(least, growth());
      expect(least, name).toBeLessThan(MOST_GROWTH);
    }
  });
});
