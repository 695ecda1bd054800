import { MeetingImport, toInputSentence } from "@minutes/contract";
import { finish } from "@minutes/testing";
import {
  decodeText,
  findDate,
  parseTitleAndDate,
  readJson,
  readSrt,
  readText,
  readVtt,
  toSegments,
  writeMarkdown,
  writeSrt,
  writeVtt,
} from "@minutes/transcripts";
import { renderMarkdown, renderVerbatim } from "../../../../packages/core/src/meetings/render-markdown.js";
import { chunkTranscript } from "../../../../packages/search/src/indexing/chunk.js";
import { parseLexemes } from "../../../../packages/search/src/indexing/read-lexemes.js";
import { readAss } from "../../../../packages/transcripts/src/captions/read-ass.js";
import { readXml } from "../../../../packages/transcripts/src/captions/read-xml.js";

/** Texts that repeat one piece. Each is slow for some expression or loop. */
export const PIECES = {
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

/** Returns a text of at least this length that repeats one piece. */
export const make = (name: keyof typeof PIECES, length: number): string => {
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
  generatedTitle: text,
  transcript: [{ speakerId: "s", speakerName: text, speakerEmail: text, text }],
  summary: { markdown: text, short: text },
  tasks: [{ text, createdAt: text, assignee: { name: text, email: text } }],
  tags: [{ name: text, color: text }],
  calendarEvent: { attendees: [{ name: text, email: text }], scheduledTime: text },
});

export interface Parser {
  /** Length of its shorter input, in characters. */
  readonly length: number;
  readonly run: (text: string) => unknown;
  /** Prefixes after which the parser expects more, or treats text in another way. */
  readonly openings: readonly string[];
}

const FIELD_OPENINGS = [
  "Title: ",
  "Title: x ",
  "Title: x (",
  "Title: x [",
  "Meeting title**:",
  "Date:",
  "**Date",
];
const HEADING_OPENINGS = ["# ", "Transcript", "## Transcript", "Attendees", "**_This editable transcript"];
const TURN_OPENINGS = [
  "Anna",
  "Anna:",
  "Anna -",
  "Anna  0:12",
  "[Anna] ",
  "[Anna",
  "0:12",
  "[0:12] ",
  "@0:12 - ",
  "0:0:0.0 -->",
  "**Anna",
  "**Anna:**",
  "**[0:12]",
  "- **Anna** (0:12):",
  "1 minute ",
  "Mon, Jan 1",
  "Anna (",
];
const TIMES = "00:00:01.000 --> 00:00:02.000";

/** Everything that parses or formats users' text. */
export const PARSERS: Record<string, Parser> = {
  "text transcripts": {
    length: 5_000,
    run: (text) => readText(text, { lenient: true }),
    openings: [...FIELD_OPENINGS, ...HEADING_OPENINGS, ...TURN_OPENINGS],
  },
  "text after a first speaker": {
    length: 5_000,
    run: (text) => readText(`Anna: a\n${text}`),
    openings: ["Transcribed by ", "Meeting ended after 1:00", ...TURN_OPENINGS],
  },
  WebVTT: {
    length: 20_000,
    run: (text) => readVtt(`WEBVTT\n\n${text}`, { lenient: true }),
    openings: ["NOTE", "00:00:01.000", TIMES, `${TIMES}\n- `, `${TIMES}\nAnna:`],
  },
  "a WebVTT cue": {
    length: 20_000,
    run: (text) => readVtt(`WEBVTT\n\n${TIMES}\n${text.replaceAll("\n", " ")}`),
    openings: ["<", "<v", "<v ", "<v.a", "<v Anna>", "</", "<c>", "<00:", "&", "&#", "- ", "Anna:"],
  },
  SubRip: {
    length: 20_000,
    run: (text) => readSrt(text, { lenient: true }),
    openings: ["1\n00:00:01,000", "1\n00:00:01,000 --> 00:00:02,000\n<font"],
  },
  "SubStation Alpha": {
    length: 20_000,
    run: (text) => readAss(`[Events]\nDialogue: 0,0:00:01.00,0:00:02.00,,Anna,0,0,0,,a\n${text}`),
    openings: ["Dialogue: ", "Dialogue: 0,0:00:01.00,0:00:02.00,,Anna,0,0,0,,", "Format: "],
  },
  "captions in XML": {
    length: 20_000,
    run: (text) => readXml(`<tt><p begin="1s" end="2s">Anna: a</p>${text}`),
    openings: ["<", "<p ", "<p a=", '<p begin="', "<p>", "<!--", "<![CDATA[", "<!DOCTYPE a [", "&", "&#"],
  },
  "text files' bytes": {
    length: 20_000,
    run: (text) => decodeText(Buffer.from(text, "latin1")),
    openings: ["\u00ff", "\u00c3", "\0a"],
  },
  dates: {
    length: 400,
    run: findDate,
    openings: ["2026", "Nov ", "Nov 5, 2026 ", "5 November 2026", "11/05/2026", "2026-11-05 09:30 ", "GMT"],
  },
  "JSON exports": {
    length: 20_000,
    run: (text) => readJson([{ sentence: text, speaker_name: text, start_time: text }]),
    openings: ["1", "0:12"],
  },
  "JSON exports' dates": {
    length: 20_000,
    run: (text) => readJson({ title: text, date: text, sentences: [] }),
    openings: ["2026-11-05", "Nov 5", "("],
  },
  "file names": {
    length: 20_000,
    run: parseTitleAndDate,
    openings: ["x ", "x (", "x [", "2026-11-05", "2026-11-05 at", "20261105-0930"],
  },
  "long titles": {
    length: 400,
    run: parseTitleAndDate,
    openings: ["x ", "x (", "x [", "2026-11-05", "2026-11-05 at", "20261105-0930"],
  },
  "segments of turns": {
    length: 20_000,
    run: (text) => toSegments(text.split("\n").map((line) => ({ speaker: line, text: line }))),
    openings: ["Anna", "Anna\n", "Anna:", "\ufeff"],
  },
  "WebVTT output": {
    length: 20_000,
    run: (text) => writeVtt([{ speaker: text, text, start: 0, end: 1 }]),
    openings: ["a\n", "a\u2028", "\ufeff", "<v Anna>", "</", "&", TIMES, "a\n\n"],
  },
  "SubRip output": {
    length: 20_000,
    run: (text) => writeSrt([{ speaker: text, text, start: 0, end: 1 }]),
    openings: ["a\n", "a\u2028", "\ufeff", TIMES, "a\n\n"],
  },
  "Markdown output": {
    length: 20_000,
    run: (text) => writeMarkdown(detail(text)),
    openings: ["a\n", "a\u2028", "\ufeff", "# ", "- [ ] ", "a (", "**a"],
  },
  summaries: { length: 3_000, run: renderMarkdown, openings: ["# ", "- ", "[a](", "**", "`", "|"] },
  "summaries as text": {
    length: 20_000,
    run: renderVerbatim,
    openings: ["# ", "###### ", "# a\n", "A.", "A. ", "A", "<", "&"],
  },
  chunking: {
    length: 20_000,
    run: (text) => finish(chunkTranscript([{ speaker: "Anna", text }])),
    // A turn of many words is split at the ends of its sentences.
    openings: ["A.", "A. ", "word ".repeat(300), `${"word ".repeat(300)}.`, `${"Word. ".repeat(300)}`],
  },
  lexemes: {
    length: 20_000,
    run: parseLexemes,
    openings: ["'", "'a", "'a'", "'a':", "'a':1", "'a':1,", "'a''", "'\\", "'a':1 '"],
  },
  "tasks in exports": {
    length: 20_000,
    run: (text) =>
      readJson({ title: text, sentences: [{ text, speaker_name: text }], summary: { action_items: text } }),
    openings: ["**", "**Anna**\n", "- [ ] ", "# ", "a (0:"],
  },
  "imported meetings": {
    length: 20_000,
    run: (text) => {
      const checked = MeetingImport.safeParse(importOf(text));
      if (!checked.success) toInputSentence(checked.error.issues);
    },
    openings: [
      "a",
      "a@",
      "a@b.",
      "a.",
      "2026-11-05",
      "2026-11-05T09:30:00",
      "2026-11-05T09:30:00.",
      "#",
      "#123",
    ],
  },
};
