import type { Operation } from "@trpc/client";
import { ROUTES } from "./operations.generated.js";
import type { Target } from "./target.js";

/** Builds the REST request of a procedure: fields in the path, the others as parameters or in a JSON body. */
export function aimAtResource({ path, input }: Operation): Target {
  const [method, template] = ((ROUTES as Readonly<Record<string, string>>)[path] ?? "").split(" ");
  if (!method || !template) throw new TypeError(`There is no procedure ${path}.`);
  const fields = new Map(Object.entries(input ?? {}).filter(([, value]) => value !== undefined));
  const filled = template.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = fields.get(name);
    if (value == null) throw new TypeError(`${name} is missing.`);
    fields.delete(name);
    // URLs have no segment that is empty or consists of dots: the request would reach another resource.
    if (/^\.{0,2}$/.test(String(value))) throw new TypeError(`${name} can't be "${value}".`);
    return encodeURIComponent(String(value));
  });
  const hasBody = method !== "GET" && method !== "DELETE";
  const parameters = Object.fromEntries([...fields].map(([name, value]) => [name, String(value)]));
  const query = new URLSearchParams(parameters).toString();
  return {
    method: method as Target["method"],
    path: hasBody || query === "" ? filled : `${filled}?${query}`,
    body: hasBody ? JSON.stringify(Object.fromEntries(fields)) : null,
    runsOnce: method === "POST",
    isBare: true,
    streams: false,
  };
}
