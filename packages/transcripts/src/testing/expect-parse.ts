import fc from "fast-check";
import { readFile, type Transcript } from "../index.js";
import { encode, type Form, type Meeting, meeting, wrapping } from "./render.js";

/** Requires that random meetings in a form are read as they were: every speaker, word and time. */
export const expectParse = (form: Form, runs: number, seed?: number): Promise<void> | void =>
  fc.assert(
    fc.asyncProperty(
      meeting((name) => !form.refuses?.(name)),
      wrapping,
      async (spoken, { lineEnd, encoding }) => {
        const text = form.write(spoken).replaceAll("\n", lineEnd);
        const bytes = encode(text, form.utf8 ? "utf8" : encoding);
        const { meetings } = await readFile({ name: form.file, bytes });
        const read = meetings.map((one) =>
          "transcript" in one ? describeTranscript(one.transcript, form) : one,
        );
        const [actual, expected] = [JSON.stringify(read), JSON.stringify([describeMeeting(spoken, form)])];
        if (actual !== expected)
          throw new Error(`\n${text.replaceAll(lineEnd, "\n")}\n-> ${actual}\nnot ${expected}`);
      },
    ),
    { numRuns: runs, ...(seed === undefined ? {} : { seed }) },
  );

function describeTranscript({ turns, unassigned }: Transcript, { times }: Form): unknown {
  const read = turns.map(({ speaker, text, start }) => [
    speaker,
    text,
    times === "none" ? null : Math.floor(start ?? -1),
  ]);
  return { read, unassigned };
}

function describeMeeting({ turns }: Meeting, { times }: Form): unknown {
  const first = times === "clock" ? (turns[0]?.start ?? 0) : 0;
  return {
    read: turns.map(({ speaker, text, start }) => [speaker, text, times === "none" ? null : start - first]),
    unassigned: [],
  };
}
