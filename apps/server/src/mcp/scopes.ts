import type { Operation } from "@minutes/contract";
import type { Caller, OAuthScope } from "@minutes/core";

/** Returns the right that an app needs for a tool; null if apps never have it: all of a workspace is only read. */
export function toScope(
  kind: Caller["kind"],
  { operation: { name, type } }: { readonly operation: Pick<Operation, "name" | "type"> },
): OAuthScope | null {
  const write = type === "mutation";
  if (kind === "workspace") return write ? null : "workspace:read";
  if (!write) return "meetings:read";
  if (name === "meetings.delete") return "meetings:delete";
  return name.startsWith("tasks.") ? "tasks:write" : "meetings:write";
}
