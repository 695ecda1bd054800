import type { Turn } from "../transcript.js";
import type { Person } from "./people.js";

/** The head of a turn in a transcript as `meetings.get` writes it: a name in bold, in which formatting is escaped. */
const HEAD = /(?:^|\n\n)\*\*((?:[^\\*_`\n]|\\[\\*_`])+)\*\*: /g;
/** Texts with one of these characters are escaped. */
const LINE_END = /[\n\r\u2028\u2029]/;

/**
 * Reads a transcript exactly as this API writes it, so that it can be written again without a difference.
 * @returns null for any other Markdown
 * @see docs/open-questions.md#q26
 */
export function readOwnMarkdown(
  markdown: string,
): { readonly speaker: string; readonly text: string }[] | null {
  const heads = [...markdown.matchAll(HEAD)];
  if (heads.length === 0) return null;
  const turns = heads.map(({ 0: head, 1: name = "", index }, at) => {
    const text = markdown.slice(index + head.length, heads[at + 1]?.index);
    return {
      speaker: name.replace(/\\([\\*_`])/g, "$1"),
      text: LINE_END.test(text) ? text.replace(/\\([\\*_`<#~])/g, "$1") : text,
    };
  });
  return writeOwnMarkdown(turns) === markdown ? turns : null;
}

/** Writes turns as `meetings.get` does. */
const writeOwnMarkdown = (turns: readonly { readonly speaker: string; readonly text: string }[]): string =>
  turns
    .map(({ speaker, text }) => {
      const said = LINE_END.test(text) ? text.replace(/[\\*_`<#~]/g, "\\$&") : text;
      return `**${speaker.replace(/[\\*_`]/g, "\\$&")}**: ${said}`;
    })
    .join("\n\n");

/**
 * Assigns turns to participants, who are listed in the order in which they first speak. Of several with the same name,
 * each speaks until the next one can.
 */
export function assignParticipants(
  turns: readonly { readonly speaker: string; readonly text: string }[],
  people: readonly Person[],
): Turn[] {
  const sameName = new Map<string | undefined, number[]>();
  for (const [at, { name }] of people.entries()) sameName.set(name, [...(sameName.get(name) ?? []), at]);
  const spoken = new Set<number>();
  const latest = new Map<string, number>();
  let next = 0;
  return turns.map(({ speaker, text }): Turn => {
    const all = sameName.get(speaker) ?? [];
    if (people[next]?.name === speaker || !latest.has(speaker)) {
      const first = all.find((at) => !spoken.has(at));
      if (first !== undefined) latest.set(speaker, first);
    }
    const at = latest.get(speaker);
    if (at !== undefined) spoken.add(at);
    while (spoken.has(next)) next++;
    const email = at === undefined ? undefined : people[at]?.email;
    return {
      speaker,
      text,
      ...(email === undefined ? {} : { email }),
      ...(all.length > 1 ? { voice: at } : {}),
    };
  });
}

/** Returns true if several participants have the same name. */
export const haveSharedName = (people: readonly Person[]): boolean =>
  new Set(people.map(({ name }) => name)).size < people.length;
