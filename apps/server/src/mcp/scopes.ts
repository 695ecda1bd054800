import type { Caller, OAuthScope } from "@minutes/core";

/** The part of a tool that decides which right it needs. */
interface ToolOfProcedure {
  readonly procedure: { readonly name: string; readonly write: boolean };
}

/** Returns the right that an app needs for a tool; null if apps never have it: all of a workspace is only read. */
export function toScope(
  kind: Caller["kind"],
  { procedure: { name, write } }: ToolOfProcedure,
): OAuthScope | null {
  if (kind === "workspace") return write ? null : "workspace:read";
  if (!write) return "meetings:read";
  if (name === "meetings.delete") return "meetings:delete";
  return name.startsWith("tasks.") ? "tasks:write" : "meetings:write";
}
