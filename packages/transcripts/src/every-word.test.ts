import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readSrt, readText, readVtt, type Transcript, UNKNOWN_SPEAKER } from "./index.js";

/** Words that tests search for. All are different, so a lost one is noticed. */
const speech = fc
  .array(fc.integer({ min: 0, max: 999_999 }), { minLength: 1, maxLength: 8 })
  .map((numbers) => numbers.map((number) => `w${number}`));

/** Speech that resembles a header or a field. */
const tricky = speech.chain(([first = "w", ...rest]) =>
  fc.constantFrom(
    `My point is this: we lose ${first} ${rest.join(" ")}`,
    `Question: ${first} ${rest.join(" ")}`,
    `${first} at 12:30`,
    `Call  12:30 ${first}`,
    `# ${first}`,
    `## Transcript ${first}`,
    `**${first}** ${rest.join(" ")}`,
    `**Note:** ${first}`,
    `- ${first} ${rest.join(" ")}`,
    `> ${first}`,
    `[${first}] ${rest.join(" ")}`,
    `${first}: ${rest.join(" ")}`,
    `Attendees ${first}`,
    `https://example.com/${first}: ${rest.join(" ")}`,
    `0:12 - ${first}, ${rest.join(" ")}`,
    `If a < b then ${first}`,
    `${first} <i>${rest.join(" ")}</i>`,
    `${first} --> ${rest.join(" ")}`,
    `Transcribed by ${first}`,
    `Anna ${first}`,
    first,
  ),
);

const line = fc.oneof(
  { weight: 2, arbitrary: speech.map((words) => words.join(" ")) },
  { weight: 1, arbitrary: tricky },
);
const name = fc.constantFrom(
  "Sarah Chen",
  "John Smith",
  "J. R. Smith",
  "Anna van der Berg",
  "Speaker 1",
  "Müller, Eva",
  "李雷",
  "bob",
);
const seconds = fc.integer({ min: 0, max: 9_999 });
const clock = (total: number) => {
  const [hours, minutes, rest] = [Math.floor(total / 3600), Math.floor(total / 60) % 60, total % 60];
  const padded = (value: number) => String(value).padStart(2, "0");
  return hours > 0 ? `${hours}:${padded(minutes)}:${padded(rest)}` : `${minutes}:${padded(rest)}`;
};

interface Said {
  readonly speaker: string;
  readonly at: number;
  readonly lines: readonly string[];
}
const said = fc.record({ speaker: name, at: seconds, lines: fc.array(line, { minLength: 1, maxLength: 4 }) });
const document = (write: (turn: Said) => string) =>
  fc
    .array(said, { minLength: 1, maxLength: 8 })
    .map((turns) => ({ turns, text: turns.map(write).join("\n\n") }));

const written = {
  "Name  time": document(({ speaker, at, lines }) => `${speaker}  ${clock(at)}  \n${lines.join("\n")}`),
  "Name - time": document(({ speaker, at, lines }) => `${speaker} - ${clock(at)}\n${lines.join("\n")}`),
  "time - Name": document(({ speaker, at, lines }) => `${clock(at)} - ${speaker}\n  ${lines.join("\n  ")}`),
  "[Name] time": document(({ speaker, at, lines }) => `[${speaker}] ${clock(at)}\n${lines.join("\n")}`),
  "Name above time": document(({ speaker, at, lines }) => `${speaker}\n${clock(at)}\n${lines.join("\n")}`),
  "times above Name": document(
    ({ speaker, at, lines }) => `${at}:0.0 --> ${at}:3.25\n${speaker}\n${lines.join("\n")}`,
  ),
  "Name: text": document(({ speaker, lines }) => `${speaker}: ${lines.join("\n")}`),
  "[time] Name: text": document(({ speaker, at, lines }) => `[${clock(at)}] ${speaker}: ${lines.join("\n")}`),
  "**Name:** text": document(({ speaker, lines }) => `**${speaker}:** ${lines.join("\n")}`),
  "Name alone": document(({ speaker, lines }) => `${speaker}\n${lines.join("\n")}`),
};

const markers = (text: string): string[] => text.match(/w\d+/g) ?? [];
/** The text of a transcript that a meeting stores, in order. */
const stored = ({ title, notes, turns }: Transcript): string =>
  [title, notes, ...turns.flatMap(({ speaker, text }) => [speaker, text])].join("\n");

describe("every word of an accepted file is stored", () => {
  test.each(Object.entries(written))("%s", (_, documents) => {
    let accepted = 0;
    fc.assert(
      fc.property(documents, ({ text }) => {
        const read = attempt(() => readText(text));
        if (!read || read.unassigned.length > 0) return;
        accepted++;
        expect(markers(stored(read))).toEqual(markers(text));
      }),
      { numRuns: 300 },
    );
    expect(accepted).toBeGreaterThan(100); // without this, a reader that refuses everything would pass
  });

  test("any lines in any order are accepted completely or refused; a lenient reader accepts all", () => {
    const any = fc.oneof(
      line,
      said.map(({ speaker, at }) => `${speaker}  ${clock(at)}`),
      name.map((who) => `${who}:`),
      fc.constant(""),
    );
    fc.assert(
      fc.property(fc.array(any, { minLength: 1, maxLength: 20 }), (lines) => {
        const text = lines.join("\n");
        const strict = attempt(() => readText(text));
        if (strict && strict.unassigned.length === 0) expect(markers(stored(strict))).toEqual(markers(text));
        const lenient = attempt(() => readText(text, { lenient: true }));
        if (text.trim() !== "") expect(markers(lenient ? stored(lenient) : "")).toEqual(markers(text));
      }),
      { numRuns: 1_000 },
    );
  });

  test("lines that all end with a colon", () => {
    expect(readText("Sarah Chen:\nBob: \nSarah Chen:").turns).toEqual([
      { speaker: UNKNOWN_SPEAKER, text: "Sarah Chen:\nBob:\nSarah Chen:" },
    ]);
  });

  test.each(["vtt", "srt"] as const)("captions: %s", (kind) => {
    const cue = fc.record({
      at: seconds,
      speaker: fc.option(name),
      lines: fc.array(line, { minLength: 1, maxLength: 3 }),
    });
    const time = (total: number) => {
      const digits = (value: number) => String(value).padStart(2, "0");
      return `${digits(Math.floor(total / 3600))}:${digits(Math.floor(total / 60) % 60)}:${digits(total % 60)}${kind === "vtt" ? "." : ","}000`;
    };
    let accepted = 0;
    fc.assert(
      fc.property(fc.array(cue, { minLength: 1, maxLength: 8 }), (cues) => {
        const text = cues
          .map(({ at, speaker, lines }, index) => {
            const spoken = speaker ? `${speaker}: ${lines.join("\n")}` : lines.join("\n");
            return `${index + 1}\n${time(at)} --> ${time(at + 1)}\n${spoken}\n`;
          })
          .join("\n");
        const read = attempt(() => (kind === "vtt" ? readVtt(`WEBVTT\n\n${text}`) : readSrt(text)));
        if (!read) return;
        accepted++;
        expect(markers(stored(read))).toEqual(markers(text));
      }),
      { numRuns: 300 },
    );
    expect(accepted).toBeGreaterThan(100);
  });
});

function attempt(read: () => Transcript): Transcript | null {
  try {
    return read();
  } catch {
    return null;
  }
}
