import { once } from "node:events";
import type { ServerResponse } from "node:http";
import type { Deadline } from "@minutes/db";
import { toErrorResponse } from "../lib/errors.js";
import type { StreamHelp } from "../lib/stream-help.js";
import type { Codec } from "./codec.js";
import { COMMON_HEADERS, createDeadline } from "./response.js";

/** The result of a procedure that handles several items in one call, each of which succeeds or fails on its own. */
export class JsonLines {
  /** Items run one after another, each with a deadline of its own. An item that has not started uses no memory. */
  constructor(readonly items: Iterable<(deadline: Deadline) => Promise<unknown>>) {}
}

/** The result of a procedure that has its payload bit by bit, and ends with the first fault. */
export class JsonStream {
  /** @param open starts the work. It has its own timeout. */
  constructor(readonly open: (help: StreamHelp) => AsyncIterable<unknown>) {}
}

interface StreamOptions {
  /** Timeout of each item of `JsonLines` in ms. */
  readonly deadline: number;
  readonly codec: Codec;
}

/**
 * Streams one line of JSON per item in order, as soon as it is done: the response of a single call, or
 * `{"status":…,"error":"…"}`. If the client disconnects, the rest is skipped.
 * @returns the first fault of the service, for the log, or null
 */
export async function sendJsonLines(
  response: ServerResponse,
  headers: Record<string, string | string[]>,
  payload: JsonLines | JsonStream,
  { deadline, codec }: StreamOptions,
): Promise<string | null> {
  let fault: string | null = null;
  const gone = new AbortController();
  response.once("close", () => gone.abort());
  if (response.destroyed) gone.abort();
  const toRefusal = (error: unknown): string => {
    const refusal = toErrorResponse(error);
    fault ??= refusal.fault;
    return JSON.stringify({ status: refusal.status, error: refusal.message });
  };
  const help: StreamHelp = { signal: gone.signal, report: (error) => void toRefusal(error) };
  const lines =
    payload instanceof JsonLines
      ? runItems(payload, deadline, toRefusal)
      : readStream(payload, help, toRefusal);
  response.writeHead(200, {
    ...COMMON_HEADERS,
    ...headers,
    "Content-Type": "application/jsonl; charset=utf-8",
    // Proxies such as nginx would keep the lines back.
    "X-Accel-Buffering": "no",
  });
  if (payload instanceof JsonStream) response.flushHeaders();
  for await (const line of lines) {
    if (gone.signal.aborted) break;
    const text = typeof line === "string" ? line : codec.wrap(JSON.stringify(line.payload));
    // Backpressure: a slow client delays the work instead of filling memory.
    if (!response.write(`${text}\n`) && !response.destroyed) {
      await Promise.race([once(response, "drain"), once(response, "close")]);
    }
  }
  response.end();
  return fault;
}

/** A payload, or the text of a refusal. */
type Line = { readonly payload: unknown } | string;

async function* runItems(
  { items }: JsonLines,
  deadline: number,
  toRefusal: (error: unknown) => string,
): AsyncGenerator<Line> {
  for (const item of items) {
    try {
      const within = createDeadline(deadline);
      yield { payload: await within.within(item(within)) };
    } catch (error) {
      yield toRefusal(error);
    }
  }
}

async function* readStream(
  { open }: JsonStream,
  help: StreamHelp,
  toRefusal: (error: unknown) => string,
): AsyncGenerator<Line> {
  try {
    for await (const payload of open(help)) yield { payload };
  } catch (error) {
    yield toRefusal(error);
  }
}
