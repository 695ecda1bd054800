import { LIMITS } from "@minutes/contract";

/** Returns true if fewer than ten words were spoken: such a meeting gets no summary and costs no credit. */
export function isTooShortToSummarise(turns: Iterable<{ readonly text: string }>): boolean {
  let words = 0;
  for (const { text } of turns) {
    words += text.match(/\S+/g)?.length ?? 0;
    if (words >= LIMITS.summaryMinWords) return false;
  }
  return true;
}
