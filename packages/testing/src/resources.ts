import { type RestRoute, splitRoute, takesBody } from "@minutes/contract";

/** A request to a resource. */
export interface ResourceRequest {
  /** Path and query below the mount point. */
  readonly path: string;
  readonly method: string;
  readonly body?: string;
}

/** Writes an input as a request: in the path, and as query parameters or in a JSON body. */
export function toResourceRequest(
  resource: RestRoute,
  input: Readonly<Record<string, unknown>>,
): ResourceRequest {
  const { method, path } = splitRoute(resource);
  const rest = { ...input };
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = String(rest[name]);
    delete rest[name];
    return encodeURIComponent(value);
  });
  if (takesBody(resource)) return { path: filled, method, body: JSON.stringify(rest) };
  const query = new URLSearchParams(
    Object.fromEntries(Object.entries(rest).map(([name, value]) => [name, String(value)])),
  );
  return { path: query.size > 0 ? `${filled}?${query}` : filled, method };
}
