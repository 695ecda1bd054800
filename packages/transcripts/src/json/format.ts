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

/** Returns true if a value has a path. Of a list, the first item counts. An empty list has every path. */
function hasPath(value: unknown, path: string): boolean {
  return path.split("|").some((one) => {
    let part = value;
    for (const key of one.split(".")) {
      const list = key.endsWith("[]");
      const name = list ? key.slice(0, -2) : key;
      if (name !== "") part = get(part, name);
      if (part === undefined) return false;
      if (!list) continue;
      if (!Array.isArray(part)) return false;
      if (part.length === 0) return name !== "";
      part = part.find((item) => item !== null);
    }
    return true;
  });
}

/** Lists the paths of a format that a value lacks. */
export const listMissing = (format: Pick<JsonFormat, "shape">, value: unknown): string[] =>
  format.shape.filter((path) => !hasPath(value, path));
