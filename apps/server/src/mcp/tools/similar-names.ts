import { LIMITS, type PeoplePage } from "@minutes/contract";
import type { Arguments, ToolHelp } from "./definition.js";

/** Parameters with a part of a person's name. */
const NAMES = ["person", "assignee", "name"] as const;
/** Number of letters at the beginning that are assumed to be right. */
const START = 3;
/** Maximum number of people that are compared, and of those that are named. */
const COMPARED = 100;
const NAMED = 3;
/** Number of characters of a name that are compared, and shown. */
const LENGTH = 60;
/** Maximum size of the names in a note, in bytes, if there are several: notes are counted as at most 300 bytes. */
const NAMES_BYTES = 160;

const fold = (text: string): string =>
  text.slice(0, LENGTH).normalize("NFD").replace(/\p{M}/gu, "").toLowerCase().trim();

/** Lists people by a part of their name. Nobody if that fails: the answer itself succeeded. */
async function listPeople(run: ToolHelp["run"], name: string): Promise<PeoplePage["people"]> {
  const page = await run({ name, limit: COMPARED }, "people.list").catch(() => null);
  return (page as PeoplePage | null)?.people ?? [];
}

/**
 * Suggests similar names, as in `Did you mean Clémence or Clement?`, from people the caller can see. Returns an empty string if the name
 * matches somebody or nothing is close.
 */
export async function suggestNames({ run }: Pick<ToolHelp, "run">, args: Arguments): Promise<string> {
  const asked = NAMES.map((name) => args[name]).find((text) => typeof text === "string") ?? "";
  const folded = fold(asked);
  if (folded.length < START || folded.includes("@")) return "";
  const people = await listPeople(run, folded.slice(0, START));
  const names = [...new Set(people.map(({ name }) => name))];
  // The name exists, but another filter excludes them.
  if (names.some((name) => fold(name).includes(folded))) return "";
  const isOneWord = !folded.includes(" ");
  const near = names
    .map((name) => {
      const whole = fold(name);
      const parts = isOneWord ? [whole, ...whole.split(/\s+/)] : [whole];
      return { name, distance: Math.min(...parts.map((part) => countEdits(folded, part))) };
    })
    .filter(({ distance }) => distance <= Math.max(1, Math.floor(folded.length / 4)))
    .toSorted((a, b) => a.distance - b.distance)
    .map(({ name }) => cut(name));
  return near.length === 0 ? "" : `Did you mean ${takeShort(near).join(" or ")}?`;
}

const cut = (name: string): string =>
  name.length > LENGTH ? `${name.slice(0, LENGTH).toWellFormed()}…` : name;

/** Returns the first texts, as many as are short enough for a note. */
function takeShort(texts: readonly string[]): readonly string[] {
  let left = NAMES_BYTES;
  const tooLong = texts.slice(0, NAMED).findIndex((text) => {
    left -= Buffer.byteLength(text);
    return left < 0;
  });
  return texts.slice(0, tooLong < 0 ? NAMED : Math.max(1, tooLong));
}

/** Lists the people who have a name or a part of it, with an address; those without one whose name another one has count as them. */
async function listNamed(run: ToolHelp["run"], name: string): Promise<readonly string[]> {
  const people = await listPeople(run, name.slice(0, LIMITS.nameMax));
  const confirmed = new Set(people.filter((one) => one.confirmed).map((one) => one.name));
  return people
    .filter((one) => one.confirmed || !confirmed.has(one.name))
    .map(({ name: whole, emails: [email] }) => (email ? `${cut(whole)} (${email})` : cut(whole)));
}

function join(named: readonly string[]): string {
  const first = takeShort(named);
  const more = named.length - first.length;
  return `${first.join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}

/** Says who can be meant by the name of an assignee that reached nobody. */
export async function describeNobody({ run }: Pick<ToolHelp, "run">, name: string): Promise<string> {
  const none = `Nobody was recognized by the name ${JSON.stringify(cut(name))}, so nobody has the task in their list: give the e-mail address.`;
  const named = await listNamed(run, name);
  const known =
    named.length > 0
      ? `People with a name like this: ${join(named)}.`
      : await suggestNames({ run }, { name });
  return [none, known].filter(Boolean).join(" ");
}

/**
 * Says on the first page that several people have the name of a filter, so that nobody takes them for one. Empty if they don't. Turns
 * without an address count as those of the person with their exact name.
 */
export async function noteSeveral({ run }: Pick<ToolHelp, "run">, args: Arguments): Promise<string> {
  const asked = args.person ?? args.assignee;
  if (args.cursor !== undefined || typeof asked !== "string" || asked.trim() === "" || asked.includes("@"))
    return "";
  const named = await listNamed(run, asked);
  return named.length < 2
    ? ""
    : `Several people match this name: ${join(named)}. Ask which one, or give an e-mail address.`;
}

/** Counts the letters to insert, delete or replace to turn one text into another (Levenshtein). */
function countEdits(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, at) => at);
  for (const [i, letter] of [...from].entries()) {
    const next = [i + 1];
    for (let j = 1; j <= to.length; j++)
      next.push(
        Math.min((row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, (row[j - 1] ?? 0) + Number(letter !== to[j - 1])),
      );
    row = next;
  }
  return row.at(-1) ?? 0;
}
