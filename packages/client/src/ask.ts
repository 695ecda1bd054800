import type { Operation } from "@trpc/client";
import { type Clock, realClock } from "./clock.js";
import { MinutesError, toErrorCode } from "./errors.js";
import { createCaller } from "./link.js";
import type { ClientOptions } from "./options.js";
import type { AnswerLine, Ask } from "./routers.js";
import { type Answer, toAbortedError, toBrokenError } from "./send.js";
import type { Target } from "./target.js";

/** A method that answers questions. */
export interface Asking {
  /**
   * Answers a question about own and shared meetings. Yields each sentence of the installation's model as soon as its quote
   * is verified, then the end, which has the turns. Ending the loop ends the model's work. It is retried as a read until
   * the answer begins; `timeout` applies until then.
   *
   * @example
   * for await (const line of client.ask({ question: "Why did the backup fail?" }))
   *   if (line.kind === "sentence") console.log(line.text, line.quote.text);
   * @throws MinutesError `network` if the answer breaks off
   */
  ask(
    input: Ask,
    options?: { readonly signal?: AbortSignal | undefined },
  ): AsyncGenerator<AnswerLine, void, undefined>;
}

/** Builds the request of a question. */
function aimAtAnswer({ input }: Operation): Target {
  const fields = Object.entries(input as Ask).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value]],
  );
  const path = `/answer?${new URLSearchParams(Object.fromEntries(fields))}`;
  return { method: "GET", path, body: null, runsOnce: false, isBare: true, streams: true };
}

/** Reads a line of an answer. @throws MinutesError if it is a refusal */
function readLine(text: string): AnswerLine {
  const line = JSON.parse(text);
  if (line.error === undefined) return line;
  const { error: message, status } = line;
  throw new MinutesError({ message, code: toErrorCode(status), status, rateLimit: null, retryAfter: null });
}

/** Yields the text of an answer as it arrives. Ends the connection if the reader stops. */
async function* readText(answer: Answer): AsyncGenerator<string, void, undefined> {
  const reader = answer.body?.getReader();
  if (!reader) return yield await answer.text();
  const decoder = new TextDecoder();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield decoder.decode(value, { stream: true });
    }
  } finally {
    await reader.cancel().catch(() => {});
  }
}

/** Yields the lines of an answer up to its end. @throws MinutesError */
async function* readLines(
  answer: Answer,
  signal: AbortSignal | undefined,
): AsyncGenerator<AnswerLine, void, undefined> {
  let rest = "";
  try {
    for await (const text of readText(answer)) {
      const lines = (rest + text).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines.map(readLine)) {
        yield line;
        if (line.kind === "end") return;
      }
    }
  } catch (error) {
    if (error instanceof MinutesError) throw error;
    throw signal?.aborted ? toAbortedError(error) : toBrokenError(error);
  }
  throw toBrokenError();
}

/** Creates the method for a personal key. */
export function createAsking(options: ClientOptions, clock: Clock = realClock): Asking {
  const call = createCaller(clock, "rest/v1/me", options, aimAtAnswer)();
  return {
    async *ask(input, { signal } = {}) {
      const op = { id: 0, type: "query", path: "meetings.answer", input, context: {}, signal } as const;
      const answer = (await call(op as Operation, signal ?? new AbortController().signal)) as Answer;
      yield* readLines(answer, signal);
    },
  };
}
