/** Shortens a text to one line of at most `max` characters. */
export function cutToLine(text: string, max: number): string {
  const line = text.replace(/\s+/gu, " ").trim();
  return line.length <= max ? line : `${line.slice(0, max - 1).replace(/[\uD800-\uDBFF]$/u, "")}…`;
}
