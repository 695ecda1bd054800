import type { z } from "zod";
import { FIELD_MESSAGES } from "./messages.js";

/** Maximum number of characters of a field name that an answer repeats. */
const NAME_SHOWN = 40;

const shorten = (name: string): string =>
  JSON.stringify(name.length > NAME_SHOWN ? `${name.slice(0, NAME_SHOWN)}…` : name).toWellFormed();

/** Formats a path as `a.b[3].c`. */
const formatPath = (path: readonly PropertyKey[]): string =>
  path.reduce<string>((text, key) => {
    if (typeof key === "number") return `${text}[${key}]`;
    return text === "" ? String(key) : `${text}.${String(key)}`;
  }, "");

/** Returns the message for an invalid input: which field, and what it must be. */
export function toInputSentence(issues: readonly z.core.$ZodIssue[]): string {
  const issue = issues[0];
  if (!issue) return "Invalid input.";
  if (issue.code === "unrecognized_keys") return toUnknownFieldSentence(issue.keys[0] ?? "", issue.path);
  const [field] = issue.path;
  const known = issue.path.length === 1 && typeof field === "string" ? FIELD_MESSAGES[field] : undefined;
  if (known) return known;
  if (issue.path.length === 0) return issue.message;
  const requirement = describeRequirement(issue);
  return `${formatPath(issue.path)}${requirement.startsWith("must ") ? "" : ":"} ${requirement}`;
}

/** Zod's default messages. They address the author of a schema, not its users. */
const ZODS_OWN = /^(Invalid (input|option)|Too (small|big)):/;

function describeRequirement(issue: z.core.$ZodIssue): string {
  if (!ZODS_OWN.test(issue.message)) return issue.message;
  if (issue.message.endsWith("received undefined")) return "must be given";
  switch (issue.code) {
    case "invalid_type":
      return `must be ${TYPES[issue.expected] ?? `of type ${issue.expected}`}`;
    case "invalid_value":
      return `must be one of ${issue.values.map(String).join(", ")}`;
    case "too_small":
      if (issue.origin === "array")
        return issue.minimum === 1
          ? "must not be an empty list"
          : `must have at least ${issue.minimum} entries`;
      return `must not be below ${issue.minimum}${UNITS[issue.origin] ?? ""}`;
    case "too_big":
      return `must not be above ${issue.maximum}${UNITS[issue.origin] ?? ""}`;
    default:
      return issue.message;
  }
}

const TYPES: Readonly<Record<string, string>> = {
  array: "a list",
  boolean: "true or false",
  number: "a number",
  object: "an object",
  record: "an object",
  string: "a string",
};

const UNITS: Readonly<Record<string, string>> = { array: " entries", string: " characters" };

/** Returns the message for an unknown field. */
export const toUnknownFieldSentence = (name: string, path: readonly PropertyKey[] = []): string =>
  `Unknown field: ${shorten(formatPath([...path, name]))}.`;
