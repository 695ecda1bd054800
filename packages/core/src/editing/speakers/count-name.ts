/** Counts the occurrences of a name in a text, as whole words. */
export function countName(text: string, name: string): number {
  const literal = name.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  return text.match(new RegExp(`(?<![\\p{L}\\p{N}])${literal}(?![\\p{L}\\p{N}])`, "gu"))?.length ?? 0;
}
