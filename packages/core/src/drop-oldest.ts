/** Drops the entry that was added first when there are more than `most`, so that what a process remembers is bounded. */
export function dropOldest(entries: Set<string> | Map<string, unknown>, most: number): void {
  if (entries.size <= most) return;
  for (const oldest of entries.keys()) {
    entries.delete(oldest);
    return;
  }
}
