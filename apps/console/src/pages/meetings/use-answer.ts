import type { AnswerLine, Ask } from "@minutes/contract";
import { useEffect, useRef, useState } from "react";
import { leaveWhenSignedOut } from "../../api/clients";
import { streamLines } from "../../api/stream";

export type Sentence = Extract<AnswerLine, { kind: "sentence" }>;
export type End = Extract<AnswerLine, { kind: "end" }>;

/** An answer so far. */
export interface StreamedAnswer {
  readonly sentences: readonly Sentence[];
  /** Null until the answer is complete. */
  readonly end: End | null;
  readonly error: unknown;
  readonly isRunning: boolean;
}

const BEGUN: StreamedAnswer = { sentences: [], end: null, error: null, isRunning: true };

/** Asks questions, one at a time. The next one, `stop` and leaving the page end the one before. */
export function useAnswer() {
  const [answer, setAnswer] = useState<StreamedAnswer | null>(null);
  const running = useRef<AbortController | null>(null);
  const stop = () => {
    running.current?.abort();
    setAnswer((so) => so && { ...so, isRunning: false });
  };
  useEffect(() => () => running.current?.abort(), []);

  const ask = async (input: Ask) => {
    running.current?.abort();
    const controller = new AbortController();
    running.current = controller;
    const { signal } = controller;
    const set = (change: (so: StreamedAnswer) => Partial<StreamedAnswer>) => {
      if (!signal.aborted) setAnswer((so) => ({ ...(so ?? BEGUN), ...change(so ?? BEGUN) }));
    };
    set(() => BEGUN);
    try {
      for await (const line of streamLines<AnswerLine>("/console/v1/meetings.answer", input, signal))
        set(({ sentences }) => (line.kind === "end" ? { end: line } : { sentences: [...sentences, line] }));
    } catch (error) {
      if (!signal.aborted) leaveWhenSignedOut(error);
      set(() => ({ error }));
    }
    set(() => ({ isRunning: false }));
  };
  return { answer, ask, stop };
}
