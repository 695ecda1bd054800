import fc from "fast-check";

/** What a generated meeting says. */
interface Spoken {
  readonly speaker: string;
  readonly text: string;
  /** Whole seconds. */
  readonly start: number;
}

export interface Meeting {
  readonly turns: readonly Spoken[];
}

/** A way to write a meeting as a file. */
export interface Form {
  readonly file: string;
  readonly write: (meeting: Meeting) => string;
  /** Names that this form can't tell from speech. */
  readonly refuses?: (name: string) => boolean;
  /** Times that the file has: none, offsets, or times of day, which count from the first. */
  readonly times?: "none" | "clock";
  /** True if the file is always in UTF-8. */
  readonly utf8?: boolean;
}

const FIRST = [
  "Will",
  "An",
  "Or",
  "Are",
  "He",
  "My",
  "Do",
  "So",
  "Any",
  "Priya",
  "Mark",
  "Grace",
  "Jürgen",
  "Zoë",
  "Łukasz",
];
const LAST = [
  "Turner",
  "Nguyen",
  "Nair",
  "O'Hara",
  "Groß",
  "Lindqvist",
  "van der Berg",
  "Smith Jr.",
  "McDonald-Ruiz",
];
const ODD = [
  "+49 30 5550142",
  "1 (555) 010-4477",
  "Priya Nair | Northwind",
  "[Northwind] Priya Nair",
  "Noor (Guest)",
  "Tailspin, Inc.",
  "Lindqvist, Per (External)",
  "will@example.com",
  "Speaker 1",
  "SPEAKER_00",
  "ANNA",
  "TOM LIND",
  "Zoë 🌻",
  "王小明",
  "נועה לוי",
  "محمود حسن",
  "J. R. Smith",
  "A.-M. Duval",
  "Dr. Ada Oyelaran",
  "Tom K.",
  "Head of Sales",
  "O",
  "Room 4",
  "Room 4: Lisbon",
];

/** Names as meeting tools show them. */
const name = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.tuple(fc.constantFrom(...FIRST), fc.constantFrom(...LAST)).map((parts) => parts.join(" ")),
  },
  { weight: 2, arbitrary: fc.constantFrom(...FIRST.filter((first) => first.length > 2)) },
  { weight: 4, arbitrary: fc.constantFrom(...ODD) },
);

const word = fc.constantFrom(
  "roof",
  "pump",
  "Monday",
  "we",
  "agreed",
  "Größe",
  "naïve",
  "屋根",
  "דחוף",
  "4711",
  "AT&T",
  "it's",
);
const sentence = fc
  .tuple(fc.array(word, { minLength: 1, maxLength: 9 }), fc.constantFrom(".", "?", "!", "…"))
  .map(([words, end]) => `${words.join(" ")}${end}`);

/** Speech, some of which looks like a label, a time, a number or markup. */
const speech = fc.oneof(
  { weight: 5, arbitrary: sentence },
  sentence.map((text) => `Remember: ${text}`),
  sentence.map((text) => `Question: at 12:30, ${text}`),
  sentence.map((text) => `See https://example.com/a?b=1: ${text}`),
  sentence.map((text) => `If a < b and c > d, ${text}`),
  fc.constantFrom("4711", "2026?", "Yes.", "The ratio is 3:1.", "NOTE that.", "1"),
);

const turn = fc.record({ speaker: fc.nat(3), text: speech, pause: fc.integer({ min: 1, max: 900 }) });

/** Meetings of a few people, in each of which everybody who speaks has a name of their own. */
export const meeting = (allowed: (name: string) => boolean): fc.Arbitrary<Meeting> =>
  fc
    .tuple(
      fc.uniqueArray(name.filter(allowed), { minLength: 4, maxLength: 4 }),
      fc.array(turn, { minLength: 2, maxLength: 12 }),
    )
    .map(([names, turns]) => {
      let clock = 0;
      return {
        turns: turns.map(({ speaker, text, pause }) => {
          clock += pause;
          return { speaker: names[speaker] ?? "", text, start: clock };
        }),
      };
    });

const two = (value: number) => String(value).padStart(2, "0");
const parts = (seconds: number) =>
  [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60] as const;
/** `01:02:03` */
const full = (seconds: number) => parts(seconds).map(two).join(":");
/** `1:02:03`, `2:03` */
const short = (seconds: number) => {
  const [hours, minutes, rest] = parts(seconds);
  return hours > 0 ? `${hours}:${two(minutes)}:${two(rest)}` : `${minutes}:${two(rest)}`;
};
const spoken = (seconds: number) => {
  const [hours, minutes, rest] = parts(seconds);
  const units = [
    [hours, "hour"],
    [minutes, "minute"],
    [rest, "second"],
  ] as const;
  return units
    .filter(([count, unit]) => count > 0 || unit === "second")
    .map(([count, unit]) => `${count} ${unit}${count === 1 ? "" : "s"}`)
    .join(" ");
};
const MORNING = 9 * 3600 + 58 * 60;
const escapeMarkup = (text: string) =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
const list = (between: string, write: (turn: Spoken, at: number) => string) => (meeting: Meeting) =>
  meeting.turns.map(write).join(between);
const json = (write: (turns: readonly Spoken[]) => unknown) => (meeting: Meeting) =>
  JSON.stringify(write(meeting.turns));
const instant = (seconds: number) => new Date(Date.UTC(2026, 10, 5, 9, 30) + seconds * 1000).toISOString();
const range = (start: number, point: string) => `${full(start)}${point}000 --> ${full(start + 1)}${point}000`;
/** A person's time of day is written without a colon after a name only where no text follows. */
const isPlain = (speaker: string) => /[[\]|]/.test(speaker) || hasColon(speaker);
/** A name with a colon before another colon is only known if it recurs, or is listed. */
const hasColon = (speaker: string) => speaker.includes(":");

/** All forms by name. */
export const FORMS: Record<string, Form> = {
  "Teams WebVTT": {
    file: "a.vtt",
    write: (meeting) =>
      `WEBVTT\n\n${list("\n\n", ({ speaker, text, start }, at) => `7f3c1a90-52de/${at}-0\n${range(start, ".")}\n<v ${escapeMarkup(speaker)}>${escapeMarkup(text)}</v>`)(meeting)}\n`,
  },
  "WebVTT with a blank line after the times": {
    file: "a.vtt",
    write: (meeting) =>
      `WEBVTT\n\n${list("\n\n", ({ speaker, text, start }) => `${range(start, ".")}\n\n<v ${escapeMarkup(speaker)}>${escapeMarkup(text)}`)(meeting)}`,
  },
  "Zoom WebVTT": {
    file: "a.vtt",
    refuses: hasColon,
    write: (meeting) =>
      `WEBVTT\n\n${list("\n\n", ({ speaker, text, start }, at) => `${at + 1}\n${range(start, ".")}\n${speaker}: ${text}`)(meeting)}\n`,
  },
  "Webex WebVTT": {
    file: "a.vtt",
    write: (meeting) =>
      `WEBVTT\n\n${list("\n\n", ({ speaker, text, start }, at) => `${at + 1} "${speaker}" (33911229)\n${range(start, ".")}\n${text}`)(meeting)}\n`,
  },
  "metadata of Microsoft Graph": {
    file: "a.vtt",
    write: (meeting) =>
      `WEBVTT\n\n${list("\n\n", ({ speaker, text, start }) => `${range(start, ".")}\n${JSON.stringify({ startDateTime: instant(start), speakerName: speaker, spokenText: text })}`)(meeting)}\n`,
  },
  SubRip: {
    file: "a.srt",
    refuses: hasColon,
    write: list(
      "\n\n",
      ({ speaker, text, start }, at) => `${at + 1}\n${range(start, ",")}\n${speaker}: ${text}`,
    ),
  },
  "SubRip without empty lines": {
    file: "a.srt",
    refuses: hasColon,
    write: list(
      "\n",
      ({ speaker, text, start }, at) => `${at + 1}\n${range(start, ",")}\n${speaker}: ${text}`,
    ),
  },
  "SubRip with an empty line after each": {
    file: "a.srt",
    refuses: hasColon,
    write: list(
      "\n\n",
      ({ speaker, text, start }, at) => `${at + 1}\n\n${range(start, ",")}\n\n${speaker}: ${text}`,
    ),
  },
  "SubRip without numbers, tight": {
    file: "a.srt",
    refuses: hasColon,
    write: list(
      "\n\n",
      ({ speaker, text, start }) => `${full(start)}.5-->${full(start + 1)}.25\n${speaker}: ${text}`,
    ),
  },
  WhisperX: {
    file: "a.srt",
    write: list(
      "\n\n",
      ({ speaker, text, start }, at) => `${at + 1}\n${range(start, ",")}\n[${speaker}]: ${text}`,
    ),
    refuses: isPlain,
  },
  "SubStation Alpha": {
    file: "a.ass",
    write: (meeting) =>
      `[Script Info]\n\n[Events]\nFormat: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text\n${list("\n", ({ speaker, text, start }) => `Dialogue: 0,${full(start)}.00,${full(start + 1)}.00,Default,${speaker},0,0,0,,{\\an8}${text}`)(meeting)}`,
    refuses: (speaker) => speaker.includes(","),
  },
  TTML: {
    file: "a.ttml",
    refuses: hasColon,
    utf8: true,
    write: (meeting) =>
      `<?xml version="1.0"?><tt xmlns="http://www.w3.org/ns/ttml"><body><div>${list("\n", ({ speaker, text, start }) => `<p begin="${full(start)}.000" end="${full(start + 1)}.000">${escapeMarkup(`${speaker}: ${text}`)}</p>`)(meeting)}</div></body></tt>`,
  },
  Otter: {
    file: "a.txt",
    write: (meeting) =>
      `Site meeting\nThu, Nov 5, 2026 9:30AM • 12:04\nSUMMARY KEYWORDS\nroof, water\n\n${list("\n\n", ({ speaker, text, start }) => `${speaker}  ${short(start)}\n${text}`)(meeting)}\n\nTranscribed by https://otter.ai\n`,
  },
  "Fireflies text": {
    file: "a.txt",
    write: list("\n\n", ({ speaker, text, start }) => `${speaker} - ${full(start)}\n${text}`),
  },
  "Fathom text": {
    file: "a.txt",
    write: list("\n\n", ({ speaker, text, start }) => `${short(start)} - ${speaker}\n  ${text}`),
  },
  "Teams text": {
    file: "a.txt",
    write: list("\n", ({ speaker, text, start }) => `${speaker}\n${short(start)}\n${text}`),
  },
  "Teams text for screen readers": {
    file: "a.txt",
    write: list(
      "\n",
      ({ speaker, text, start }) =>
        `${speaker}\n${spoken(start)}\n${short(start)}\n${speaker} ${spoken(start)}\n${text}`,
    ),
  },
  "Teams document as text": {
    file: "a.txt",
    write: (meeting) =>
      `Site meeting-20261105_093000-Meeting Recording\nNovember 5, 2026, 9:30AM\n32m 10s\n\nPriya Nair started transcription\n\n${list("\n\n", ({ speaker, text, start }) => `${speaker}   ${short(start)}\n${text}`)(meeting)}`,
  },
  "times above names": {
    file: "a.txt",
    write: list(
      "\n\n",
      ({ speaker, text, start }) => `${full(start)}.0 --> ${full(start + 1)}.5\n${speaker}\n${text}`,
    ),
  },
  "names and colons": {
    file: "a.txt",
    times: "none",
    refuses: hasColon,
    write: list("\n", ({ speaker, text }) => `${speaker}: ${text}`),
  },
  "names and full-width colons": {
    file: "a.txt",
    times: "none",
    refuses: hasColon,
    write: list("\n", ({ speaker, text }) => `${speaker}：${text}`),
  },
  "names, times and colons": {
    file: "a.txt",
    refuses: hasColon,
    write: list("\n\n", ({ speaker, text, start }) => `${speaker} (${short(start)}): ${text}`),
  },
  "tabs between times, names and speech": {
    file: "a.txt",
    refuses: hasColon,
    write: list("\n", ({ speaker, text, start }) => `${full(start)}\t${speaker}:\t${text}`),
  },
  "names and times in brackets": {
    file: "a.txt",
    refuses: hasColon,
    write: list("\n\n", ({ speaker, text, start }) => `${speaker} [${full(start)}]\n${text}`),
  },
  "names, times in brackets and colons above speech": {
    file: "a.txt",
    refuses: hasColon,
    write: list("\n\n", ({ speaker, text, start }) => `${speaker} (${short(start)}):\n${text}`),
  },
  "times in brackets and names": {
    file: "a.txt",
    refuses: hasColon,
    write: list("\n\n", ({ speaker, text, start }) => `[${full(start)}] ${speaker}\n${text}`),
  },
  "names above speech": {
    file: "a.txt",
    times: "none",
    refuses: (speaker) => isPlain(speaker) || speaker.length < 3,
    write: list("\n\n", ({ speaker, text }) => `${speaker}\n${text}`),
  },
  "a list of speakers, names and colons": {
    file: "a.txt",
    times: "none",
    refuses: (speaker) => speaker.includes(","),
    write: (meeting) =>
      `Attendees\n${[...new Set(meeting.turns.map(({ speaker }) => speaker))].join(", ")}\n\nTranscript\n\n${list("\n", ({ speaker, text }) => `${speaker}: ${text}`)(meeting)}`,
  },
  "times, names and colons": {
    file: "a.txt",
    refuses: hasColon,
    write: list("\n", ({ speaker, text, start }) => `[${short(start)}] ${speaker}: ${text}`),
  },
  "times of day": {
    file: "a.txt",
    refuses: hasColon,
    times: "clock",
    write: list("\n", ({ speaker, text, start }) => `[${full(MORNING + start)}] ${speaker}: ${text}`),
  },
  "saved captions of Zoom": {
    file: "a.txt",
    times: "clock",
    write: list("\n\n", ({ speaker, text, start }) => `[${speaker}] ${full(MORNING + start)}\n${text}`),
    refuses: isPlain,
  },
  "names and colons in bold": {
    file: "a.md",
    times: "none",
    write: list("\n\n", ({ speaker, text }) => `**${speaker}:** ${text}`),
  },
  "Markdown with headings of times": {
    file: "a.md",
    write: list(
      "\n\n",
      ({ speaker, text, start }) =>
        `###### ${short(start)} - ${short(start + 1)}\n\n**${speaker}**\n\n${text}`,
    ),
  },
  Whisper: {
    file: "a.json",
    write: json((turns) => ({
      segments: turns.map(({ speaker, text, start }) => ({
        start,
        end: start + 1,
        text: ` ${text}`,
        speaker,
      })),
    })),
  },
  Fireflies: {
    file: "a.json",
    write: json((turns) => ({
      data: {
        transcript: {
          title: "T",
          sentences: turns.map(({ speaker, text, start }, index) => ({
            index,
            speaker_name: speaker,
            text,
            start_time: start,
            end_time: start + 1,
          })),
        },
      },
    })),
  },
  Fathom: {
    file: "a.json",
    write: json((turns) => ({
      items: [
        {
          title: "T",
          transcript: turns.map(({ speaker, text, start }) => ({
            speaker: { display_name: speaker },
            text,
            timestamp: full(start),
          })),
        },
      ],
    })),
  },
  Recall: {
    file: "a.json",
    write: json((turns) =>
      turns.map(({ speaker, text, start }) => ({
        participant: { id: 1, name: speaker },
        words: text.split(" ").map((part) => ({ text: part, start_timestamp: { relative: start } })),
      })),
    ),
  },
  Attendee: {
    file: "a.json",
    write: json((turns) =>
      turns.map(({ speaker, text, start }) => ({
        speaker_name: speaker,
        timestamp_ms: start * 1000,
        duration_ms: 900,
        transcription: { transcript: text },
      })),
    ),
  },
  Vexa: {
    file: "a.json",
    write: json((turns) => ({
      platform: "teams",
      native_meeting_id: "x",
      segments: turns.map(({ speaker, text, start }) => ({ start, end: start + 1, text, speaker })),
    })),
  },
  "Microsoft Stream": {
    file: "a.json",
    write: json((turns) => ({
      entries: turns.map(({ speaker, text, start }) => ({
        text,
        speakerDisplayName: speaker,
        startOffset: `${full(start)}.0000000`,
      })),
    })),
  },
  "meetings.get": {
    file: "a.json",
    times: "none",
    write: json((turns) => ({
      result: {
        data: {
          json: {
            ...{ id: "1", title: "T", startTime: instant(0), summary: { markdown: "", html: "", short: "" } },
            transcript: turns.map(({ speaker, text }) => `**${speaker}**: ${text}`).join("\n\n"),
            participants: [...new Set(turns.map(({ speaker }) => speaker))].map((one) => ({
              id: one,
              name: one,
              email: null,
            })),
          },
        },
      },
    })),
  },
};

/** Line ends, encodings and byte order marks of files. */
export const wrapping = fc.record({
  lineEnd: fc.constantFrom("\n", "\r\n", "\r"),
  encoding: fc.constantFrom(
    "utf8",
    "utf8 with mark",
    "utf16le",
    "utf16le without mark",
    "utf16be",
    "windows-1252",
  ),
});

/** Encodes a file. A text that Windows-1252 lacks letters for is in UTF-8. */
export function encode(text: string, encoding: string): Uint8Array {
  if (encoding === "utf8 with mark") return Buffer.from(`\uFEFF${text}`);
  if (encoding.startsWith("utf16")) {
    const bytes = Buffer.from(encoding.includes("without") ? text : `\uFEFF${text}`, "utf16le");
    return encoding === "utf16be" ? bytes.swap16() : bytes;
  }
  const western = text.replaceAll("…", "\u0085");
  return encoding === "windows-1252" && /^[\0-\u00FF]*$/.test(western)
    ? Buffer.from(western, "latin1")
    : Buffer.from(text);
}
