import {
  MESSAGES,
  type RestRoute,
  splitRoute,
  takesBody,
  wrongMethod,
  wrongResourceMethod,
} from "@minutes/contract";
import type { AnyTRPCProcedure } from "@trpc/server";
import { ApiError } from "../lib/api-error.js";
import type { Target } from "./request.js";

/** A procedure that a request calls. */
export interface FoundProcedure {
  /** Such as `meetings.get`. */
  readonly name: string;
  readonly procedure: AnyTRPCProcedure;
  /** Where the input is, apart from the path. */
  readonly inputIn: "query" | "body";
  /** Parameters in the path; undefined if it has none. */
  readonly parameters?: Readonly<Record<string, string>>;
}

/**
 * Finds the procedure that a method and a path below the mount point call.
 * @throws ApiError 404, or 405 with `Allow`
 */
export type FindProcedure = (method: string, target: Target) => FoundProcedure;

type Procedures = ReadonlyMap<string, AnyTRPCProcedure>;

/** Finds procedures by name: `GET` for a read, `POST` for a write. */
export function createProcedureFinder(procedures: Procedures): FindProcedure {
  const all = new Map(
    [...procedures].map(([name, procedure]) => {
      const isWrite = procedure._def.type === "mutation";
      const found: FoundProcedure = { name, procedure, inputIn: isWrite ? "body" : "query" };
      return [name, { found, allowed: isWrite ? "POST" : "GET" } as const];
    }),
  );
  return (method, { path }) => {
    const entry = all.get(path);
    if (!entry) throw new ApiError("NOT_FOUND", MESSAGES.unknownProcedure);
    const { found, allowed } = entry;
    if (method !== allowed)
      throw new ApiError("METHOD_NOT_SUPPORTED", wrongMethod(allowed), { Allow: allowed });
    return found;
  };
}

/** The operations on one path. */
interface Entry {
  /** Segments of the path. One in braces takes any text. */
  readonly segments: readonly string[];
  readonly operations: Map<string, FoundProcedure>;
}

/** Returns the parameters of a matching path; null for another one. */
function matchPath(pattern: readonly string[], segments: readonly string[]): Record<string, string> | null {
  if (segments.length !== pattern.length) return null;
  const parameters: Record<string, string> = {};
  for (const [at, part] of pattern.entries()) {
    const segment = segments[at] ?? "";
    if (part.startsWith("{") && segment !== "") parameters[part.slice(1, -1)] = segment;
    else if (part !== segment) return null;
  }
  return parameters;
}

/** Returns true for a resource in a section, such as `/keys`. */
export const isBelow = (section: string, route: RestRoute): boolean =>
  `${splitRoute(route).path}/`.startsWith(`${section}/`);

/** Counts the parameters of a path. */
const toRank = ({ segments }: Entry): number => segments.filter((segment) => segment.startsWith("{")).length;

/**
 * Finds the procedures of resources by path and method. `HEAD` is answered as `GET`.
 * @param section the start of the resources' paths that is part of the mount point
 */
export function createResourceFinder(
  procedures: Procedures,
  resources: Readonly<Record<string, RestRoute>>,
  section = "",
): FindProcedure {
  const entries = new Map<string, Entry>();
  for (const [name, procedure] of procedures) {
    const resource = resources[name];
    if (!resource || !isBelow(section, resource)) continue;
    const { method, path: whole } = splitRoute(resource);
    const path = whole.slice(section.length);
    const entry = entries.get(path) ?? { segments: path.slice(1).split("/"), operations: new Map() };
    entries.set(path, entry);
    const found: FoundProcedure = { name, procedure, inputIn: takesBody(resource) ? "body" : "query" };
    entry.operations.set(method, found);
    if (method === "GET") entry.operations.set("HEAD", found);
  }
  // Literal segments come before parameters: `/keys/workspace` before `/keys/{keyId}`.
  const ordered = [...entries.values()].toSorted((a, b) => toRank(a) - toRank(b));
  return (method, { segments }) => {
    for (const { segments: pattern, operations } of ordered) {
      const parameters = matchPath(pattern, segments);
      if (!parameters) continue;
      const found = operations.get(method);
      if (found) return Object.keys(parameters).length > 0 ? { ...found, parameters } : found;
      const allowed = [...operations.keys()].toSorted().join(", ");
      throw new ApiError("METHOD_NOT_SUPPORTED", wrongResourceMethod(allowed), { Allow: allowed });
    }
    throw new ApiError("NOT_FOUND", MESSAGES.unknownResource);
  };
}
