/**
 * Lists the key paths of a JSON value: `["meetings[].id", "nextCursor"]`. An empty list contributes its own name, so
 * that a test that forgot to fill it fails.
 */
export function listKeyPaths(value: unknown): string[] {
  const places = new Set<string>();
  const walk = (at: unknown, path: string): void => {
    if (Array.isArray(at) && at.length > 0) for (const item of at) walk(item, `${path}[]`);
    else if (typeof at === "object" && at !== null && !Array.isArray(at) && Object.keys(at).length > 0) {
      for (const [key, item] of Object.entries(at)) walk(item, path === "" ? key : `${path}.${key}`);
    } else places.add(path);
  };
  walk(value, "");
  return [...places].sort();
}
