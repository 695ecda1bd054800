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
