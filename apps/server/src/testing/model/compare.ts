/** Compares texts in code point order. Ids and times are ASCII. */
export const compare = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0);
