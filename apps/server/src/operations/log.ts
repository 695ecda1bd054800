import { type Logger, pino } from "pino";
import type { Config } from "../config/config.js";

/** Maximum bytes of log lines buffered for a slow reader of stdout; further lines are dropped. */
const WAITING_BYTES = 1_000_000;

/**
 * Creates the log on stdout: one JSON object per line, or readable lines on a terminal unless `json` is set. Lines of one turn of the event loop are written together. A slow, stopped or missing reader never
 * blocks the server: its lines are dropped.
 */
export function createLog(config: Pick<Config, "LOG_LEVEL">, { json = false } = {}): Logger {
  // A command ends when its reader is gone; a server continues.
  process.stderr.on("error", () => {});
  process.stdout.removeAllListeners("error");
  process.stdout.on("error", () => {});
  const write = createLineWriter(process.stdout);
  process.on("exit", write.flush);
  const isPretty = process.stdout.isTTY && !json;
  return pino(
    { level: config.LOG_LEVEL, base: null },
    { write: isPretty ? (line: string) => write.line(toPrettyLine(line)) : write.line },
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

const LEVELS: Readonly<Record<number, string>> = {
  10: "TRACE",
  20: "DEBUG",
  30: "INFO",
  40: "WARN",
  50: "ERROR",
  60: "FATAL",
};

/** Formats a log line for people: `12:30:05.123 INFO  listening engine=embedded`. Control characters are escaped. */
export function toPrettyLine(line: string): string {
  const { level, time, msg = "", ...fields } = JSON.parse(line) as Record<string, unknown>;
  const clock = new Date(Number(time)).toISOString().slice(11, 23);
  const pairs = Object.entries(fields).map(([name, value]) => `${name}=${toPlainText(value)}`);
  return `${[clock, (LEVELS[Number(level)] ?? "INFO").padEnd(5), toPlainText(msg, true), ...pairs].join(" ")}\n`;
}

/** Formats a value, without quotes if it is one word or the line's message. */
function toPlainText(value: unknown, isSentence = false): string {
  const quoted = JSON.stringify(value);
  if (typeof value !== "string") return quoted;
  const isPlain = isSentence ? quoted.length === value.length + 2 : /^[\w.:/+-]+$/.test(value);
  return isPlain ? value : quoted;
}
