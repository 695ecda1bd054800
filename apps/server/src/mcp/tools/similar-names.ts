import { LIMITS, type PeoplePage } from "@minutes/contract";
import type { Arguments, ToolHelp } from "./definition.js";

/** Parameters with a part of a person's name. */
const NAMES = ["person", "assignee", "name"] as const;
/** Number of letters at the beginning that are assumed to be right. */
const START = 3;
/** Maximum number of people that are compared, and of those that are named. */
const COMPARED = 100;
const NAMED = 3;
/** Number of characters of a name that are compared. */
const LENGTH = 60;

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
    .slice(0, NAMED);
  return near.length === 0 ? "" : `Did you mean ${near.map(({ name }) => name).join(" or ")}?`;
}

/**
 * Says on the first page that several people have the name of a filter, so that nobody takes them for one. Empty if they don't. Turns
 * without an address count as those of the person with their exact name.
 */
export async function noteSeveral({ run }: Pick<ToolHelp, "run">, args: Arguments): Promise<string> {
  const asked = args.person ?? args.assignee;
  if (args.cursor !== undefined || typeof asked !== "string" || asked.trim() === "" || asked.includes("@"))
    return "";
  const people = await listPeople(run, asked.slice(0, LIMITS.nameMax));
  const confirmed = new Set(people.filter((one) => one.confirmed).map(({ name }) => name));
  const several = people.filter((one) => one.confirmed || !confirmed.has(one.name));
  if (several.length < 2) return "";
  const named = several
    .slice(0, NAMED)
    .map(({ name, emails: [email] }) => (email ? `${name} (${email})` : name));
  const more = several.length > NAMED ? ` and ${several.length - NAMED} more` : "";
  return `Several people match this name: ${named.join(", ")}${more}. Ask which one, or give an e-mail address.`;
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
