import { type Logger, pino } from "pino";
import type { Config } from "../config/config.js";
import { toPrettyLine } from "./log-format.js";

/** Maximum bytes of log lines buffered for a slow reader of stdout; further lines are dropped. */
const WAITING_BYTES = 1_000_000;

/**
 * Creates the log on stdout: one JSON object per line, or readable lines, which are the default on a terminal unless
 * `json` is set. Lines of one turn of the event loop are written together. A slow, stopped or missing reader never
 * blocks the server: its lines are dropped.
 */
export function createLog(config: Pick<Config, "LOG_LEVEL" | "LOG_FORMAT">, { json = false } = {}): Logger {
  // A command ends when its reader is gone; a server continues.
  process.stderr.on("error", () => {});
  process.stdout.removeAllListeners("error");
  process.stdout.on("error", () => {});
  const write = createLineWriter(process.stdout);
  process.on("exit", write.flush);
  const format = config.LOG_FORMAT ?? (process.stdout.isTTY && !json ? "pretty" : "json");
  return pino(
    { level: config.LOG_LEVEL, base: null },
    { write: format === "pretty" ? (line: string) => write.line(toPrettyLine(line)) : write.line },
  );
}

/** Writes lines to a stream that may be slow. Lines are buffered until the end of the event loop's turn, or `flush`. */
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
