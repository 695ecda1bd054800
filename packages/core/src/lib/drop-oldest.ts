/** Evicts the oldest entry if there are more than `most`, to bound a cache. */
export function dropOldest(entries: Set<string> | Map<string, unknown>, most: number): void {
  if (entries.size <= most) return;
  for (const oldest of entries.keys()) {
    entries.delete(oldest);
    return;
  }
}
