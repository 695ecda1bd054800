/** An element of an array. */
export type ArrayItem = string | number | boolean | null;

const ESCAPED = /["\\]/g;

/** Formats an array as PostgreSQL text: `{"it's","a \"word\"",NULL,5}`. */
export function writeArray(items: readonly ArrayItem[]): string {
  let text = "{";
  for (let at = 0; at < items.length; at++) {
    if (at > 0) text += ",";
    const item = items[at] as ArrayItem;
    if (typeof item !== "string") text += item === null ? "NULL" : item;
    else text += `"${item.includes('"') || item.includes("\\") ? item.replace(ESCAPED, "\\$&") : item}"`;
  }
  return `${text}}`;
}
