import type { ReadOptions, Transcript } from "../transcript.js";
import { get } from "./fields.js";

/** A known form of JSON. */
export interface JsonFormat {
  /** Its name in messages: `a Fireflies transcript`. */
  readonly name: string;
  /**
   * Paths that every value of this format has: `a.b`, `list[].text`, with alternatives `text|sentence`. The list itself is
   * `[].text`.
   */
  readonly shape: readonly string[];
  readonly read: (value: unknown, options: ReadOptions) => Transcript;
}

/** Returns true if a value has a path. Of a list, the first item counts. `empty` decides for an empty list. */
function hasPath(value: unknown, path: string, empty: boolean): boolean {
  return path.split("|").some((one) => {
    let part = value;
    for (const key of one.split(".")) {
      const list = key.endsWith("[]");
      const name = list ? key.slice(0, -2) : key;
      if (name !== "") part = get(part, name);
      if (part === undefined) return false;
      if (!list) continue;
      if (!Array.isArray(part)) return false;
      if (part.length === 0) return empty && name !== "";
      part = part.find((item) => item !== null);
    }
    return true;
  });
}

/** Lists the paths of a format that a value lacks. An empty list has every path. */
export const listMissing = (format: Pick<JsonFormat, "shape">, value: unknown): string[] =>
  format.shape.filter((path) => !hasPath(value, path, true));

/** Finds the format of a value: one whose lists have items before one that fits because a list is empty. */
export function findFormat(formats: readonly JsonFormat[], value: object): JsonFormat | undefined {
  const format = formats.find(({ shape }) => shape.every((path) => hasPath(value, path, false)));
  // Reading an empty list would lose the speech of a list that this format doesn't have.
  if (format || Object.values(value).some(hasSpeech)) return format;
  return formats.find((one) => listMissing(one, value).length === 0);
}

/** Returns true for a list whose items look like turns. */
const hasSpeech = (list: unknown): boolean =>
  Array.isArray(list) &&
  ["text", "speaker|speaker_name|start|start_time|timestamp"].every((path) => hasPath(list[0], path, true));
