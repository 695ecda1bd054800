import { type Logger, pino } from "pino";
import type { Env } from "./env.js";
import { toPrettyLine } from "./log-format.js";

/** Bytes of log lines that wait for a reader of stdout that is slow; what comes beyond that is dropped. */
const WAITING_BYTES = 1_000_000;

/**
 * Makes the log on stdout: one JSON object a line, or lines for people. Lines of one turn of the event loop are written
 * together. A reader that is slow, stopped or gone never holds up the server: its lines are dropped.
 */
export function createLog(env: Pick<Env, "LOG_LEVEL" | "LOG_FORMAT">): Logger {
  // A command ends when its reader is gone; a server goes on.
  process.stdout.removeAllListeners("error");
  process.stdout.on("error", () => {});
  const write = createLineWriter(process.stdout);
  process.on("exit", write.flush);
  return pino(
    { level: env.LOG_LEVEL, base: null },
    { write: env.LOG_FORMAT === "pretty" ? (line: string) => write.line(toPrettyLine(line)) : write.line },
  );
}

/** Writes lines to a stream that may be slow. Lines wait for the end of the event loop's turn, or for `flush`. */
function createLineWriter(stream: NodeJS.WriteStream) {
  let lines = "";
  const flush = () => {
    const text = lines;
    lines = "";
    if (text !== "" && stream.writableLength < WAITING_BYTES) stream.write(text);
  };
  const line = (text: string) => {
    if (lines === "") setImmediate(flush);
    lines += text;
    if (lines.length > WAITING_BYTES) flush();
  };
  return { line, flush };
}
