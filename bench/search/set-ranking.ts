import { RANKING } from "../../packages/search/src/ranking.js";

/**
 * Changes ranking parameters before the search statement is loaded, to compare them.
 * @param changes such as `similarity.weight=0.85`
 */
export function setRanking(changes: readonly string[]): void {
  for (const change of changes) {
    const [path = "", text = ""] = change.split("=");
    const names = path.split(".");
    const last = names.pop() ?? "";
    let part = RANKING as unknown as Record<string, unknown>;
    for (const name of names) part = (part[name] ?? {}) as Record<string, unknown>;
    const value: unknown = JSON.parse(text);
    if (part[last] === undefined) throw new Error(`RANKING has no ${path}`);
    part[last] = value;
  }
}
