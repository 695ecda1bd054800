import { getMeeting, LIMITS, listTags, type TagList } from "@minutes/contract";
import { z } from "zod";
import type { Arguments, ToolHelp } from "./definition.js";
import { noteSeveral, suggestNames } from "./similar-names.js";

/** Maximum size of an answer in bytes of JSON, unless more is asked for: some 1,500 tokens. */
export const ANSWER_BYTES = 6 * 1024;
/** Size reserved for an answer's note, in bytes. */
const NOTE_BYTES = 300;
/** Returns the size of an answer in bytes of JSON. */
export const getSize = (answer: unknown): number => Buffer.byteLength(JSON.stringify(answer));

/** A tool that answers with a list. */
export interface List {
  /** The field with the items. */
  readonly key: string;
  /** The items, such as `tasks`. */
  readonly what: string;
  /** Maximum number of items when no number is asked for. */
  readonly most: number;
}

/** `limit` of a list in pages. */
export const PageLimit = z
  .int()
  .min(1)
  .max(LIMITS.pageSizeMax)
  .optional()
  .describe("When absent, as many as fit into 6 KB, at most 20.");

/** The parameter that lifts the bound of 6 KB. */
export const Everything = z.boolean().default(false).describe("True lifts the limit of 6 KB.");

const TEXT = "must be a string of 1 to 1,000 characters";
/** A text that a tool takes itself. */
export const TextParameter = z.string(TEXT).trim().min(1, TEXT).max(1_000, TEXT);

/** Returns how many items of a list fit, at least one. */
function countFitting(answer: Arguments, { key }: List): number {
  const items = answer[key] as readonly unknown[];
  let left = ANSWER_BYTES - NOTE_BYTES - getSize({ ...answer, [key]: [] });
  const fitting = items.findIndex((item) => {
    left -= getSize(item) + 1;
    return left < 0;
  });
  return fitting < 0 ? items.length : Math.max(1, fitting);
}

/** Adds a sentence after an answer's own note. */
export const addNote = (answer: Arguments, note: string): Arguments =>
  note === "" ? answer : { ...answer, note: [answer.note, note].filter(Boolean).join(" ") };

/**
 * Keeps the first items of a list, and notes how many there are.
 * @param more true if there can be further ones, which were not read
 */
export function keepFirst(
  answer: Arguments,
  { key, what, most }: List,
  remedy: string,
  { more = false, why = "" } = {},
): Arguments {
  const items = answer[key] as readonly unknown[];
  const kept = items.slice(0, most);
  if (kept.length === items.length && !more) return answer;
  const total = `${more ? "at least " : ""}${items.length.toLocaleString("en")} ${what}`;
  const note = `${kept.length.toLocaleString("en")} of ${total}${why}. ${remedy}`;
  return addNote({ ...answer, [key]: kept }, note);
}

/** Keeps as many items of a list as fit, at most its `most`, and notes how many there are. */
export function shorten(answer: Arguments, list: List, remedy: string, more = false): Arguments {
  const count = countFitting(answer, list);
  const isTooLarge = count < Math.min(list.most, (answer[list.key] as readonly unknown[]).length);
  const why = isTooLarge ? ", so that the answer fits into 6 KB" : "";
  return keepFirst(answer, { ...list, most: Math.min(count, list.most) }, remedy, { more, why });
}

/** Reads a page, as long as asked for or as fits, so that its cursor continues after the last item. */
export async function readPage(
  read: (input: Arguments) => Promise<unknown>,
  args: Arguments,
  list: List,
): Promise<Arguments> {
  if (args.limit !== undefined) return (await read(args)) as Arguments;
  const page = (await read({ ...args, limit: list.most })) as Arguments;
  const count = countFitting(page, list);
  if (count === (page[list.key] as unknown[]).length) return page;
  return (await read({ ...args, limit: count })) as Arguments;
}

const OTHERS_TAGS =
  "Only the user's own tags and those shared with them can be used as filters: meetings with another person's tag of this name are missing.";

/**
 * Says that the user sees no tag of the name in a filter, or that the filter leaves out meetings whose answers show another
 * person's tag of that name. Whether such a tag exists isn't said.
 */
export async function noteTag({ run }: Pick<ToolHelp, "run">, { tag }: Arguments): Promise<string> {
  if (tag === undefined) return "";
  const seen = (await run({}, listTags.name).catch(() => null)) as TagList | null;
  if (!seen || seen.tags.some(({ name }) => name === tag)) return OTHERS_TAGS;
  return describeUnknownTag(
    seen.tags.map(({ name }) => name),
    String(tag),
    ", and nobody shared one with them",
  );
}

/** Says that a tag doesn't exist, and which one differs from it only by case. */
export function describeUnknownTag(known: Iterable<string>, tag: string, shared = ""): string {
  const near = [...known].find((name) => name.toLowerCase() === tag.trim().toLowerCase());
  const meant = near === undefined ? "" : ` Did you mean ${JSON.stringify(near)}?`;
  return `The user has no tag ${JSON.stringify(tag)}${shared}: list_tags lists the tags that can be used.${meant}`;
}

/** Parameters that don't narrow a search. */
const NO_FILTERS = new Set(["limit", "cursor", "order", "everything"]);

/**
 * Adds the searched range, the filters and similar names to an empty list.
 * @throws ApiError 403 or 404 for a meeting that the caller can't read: it would look as if it had nothing
 */
export async function noteIfEmpty(
  answer: Arguments,
  { key, what }: Pick<List, "key" | "what">,
  help: Pick<ToolHelp, "kind" | "run">,
  args: Arguments,
  how = "",
): Promise<Arguments> {
  if ((answer[key] as unknown[]).length > 0) return answer;
  if (args.meetingId !== undefined) await help.run({ meetingId: args.meetingId }, getMeeting.name);
  const where = help.kind === "user" ? "own and shared meetings" : "the meetings of the workspace's members";
  const filters = Object.entries(args)
    .filter(([name, value]) => !NO_FILTERS.has(name) && value !== undefined)
    .map(([name, value]) => `${name} ${JSON.stringify(value)}`);
  const of = what === "meetings" ? where : `${what} of ${where}`;
  const searched = `${of}${filters.length > 0 ? ` with ${filters.join(", ")}` : ""}`;
  const end = args.cursor === undefined ? "Nothing was found" : "This page is empty";
  const sentences = [`${end}. Searched: ${searched}.`, how, await suggestNames(help, args)];
  return { ...answer, note: sentences.filter(Boolean).join(" ") };
}

/** Lists with a procedure of the API: a page that fits, or what was searched. */
export const listPage = async (
  help: Pick<ToolHelp, "kind" | "run">,
  args: Arguments,
  list: List,
  how = "",
): Promise<Arguments> => {
  const page = await noteIfEmpty(await readPage(help.run, args, list), list, help, args, how);
  return addNote(page, await noteSeveral(help, args));
};
