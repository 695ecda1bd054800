/** Writes a text as one line that both engines can store. */
export function toLine(value: unknown, max: number): string {
  if (typeof value !== "string") return "";
  const line = value
    .slice(0, 4 * max)
    .replace(/[\s\p{Cc}\u2028\u2029]+/gu, " ")
    .trim();
  return [...line].slice(0, max).join("").toWellFormed().trim();
}
