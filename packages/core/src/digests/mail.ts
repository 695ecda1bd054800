import { cutToLine } from "../lib/cut-to-line.js";

/** Maximum lengths in characters, and maximum items of a list. */
export const MAIL_LIMITS = { title: 200, summary: 1_000, item: 200, items: 10 };

/** An e-mail about meetings, without the words with which its reader ends them. */
export interface DigestMail {
  readonly to: string;
  readonly subject: string;
  readonly lines: readonly string[];
  /** Why its reader gets it. */
  readonly reason: string;
}

/** Writes a list below a heading; nothing for an empty one. */
export function writeList(heading: string, items: readonly string[]): string[] {
  if (items.length === 0) return [];
  const lines = items.slice(0, MAIL_LIMITS.items).map((item) => `- ${cutToLine(item, MAIL_LIMITS.item)}`);
  return [heading, "", ...lines, ...(items.length > MAIL_LIMITS.items ? ["- and more"] : []), ""];
}
