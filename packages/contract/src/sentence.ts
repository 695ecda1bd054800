import type { z } from "zod";
import { FIELD_MESSAGES } from "./messages.js";

/** At most this much of a hostile field name is repeated in an answer. */
const NAME_SHOWN = 40;

const shown = (name: string): string =>
  JSON.stringify(name.length > NAME_SHOWN ? `${name.slice(0, NAME_SHOWN)}…` : name).toWellFormed();

/** `a.b[3].c`, as a reader of the request would write the place. */
const place = (path: readonly PropertyKey[]): string =>
  path.reduce<string>((text, key) => {
    if (typeof key === "number") return `${text}[${key}]`;
    return text === "" ? String(key) : `${text}.${String(key)}`;
  }, "");

/** The one sentence that answers a rejected input: it names the field and says what the field must be. */
export function inputSentence(issues: readonly z.core.$ZodIssue[]): string {
  const issue = issues[0];
  if (!issue) return "Invalid input.";
  if (issue.code === "unrecognized_keys") return unknownField(issue.keys[0] ?? "", issue.path);
  const [field] = issue.path;
  const known = issue.path.length === 1 && typeof field === "string" ? FIELD_MESSAGES[field] : undefined;
  if (known) return known;
  return issue.path.length === 0 ? issue.message : `${place(issue.path)}: ${requirement(issue)}`;
}

/** What zod says where a schema says nothing: words for who wrote the schema, not for who sent the field. */
const ZODS_OWN = /^(Invalid (input|option)|Too (small|big)):/;

function requirement(issue: z.core.$ZodIssue): string {
  if (!ZODS_OWN.test(issue.message)) return issue.message;
  if (issue.message.endsWith("received undefined")) return "must be given";
  switch (issue.code) {
    case "invalid_type":
      return `must be of type ${issue.expected}`;
    case "invalid_value":
      return `must be one of ${issue.values.map(String).join(", ")}`;
    case "too_small":
      return `must not be below ${issue.minimum}${UNITS[issue.origin] ?? ""}`;
    case "too_big":
      return `must not be above ${issue.maximum}${UNITS[issue.origin] ?? ""}`;
    default:
      return issue.message;
  }
}

const UNITS: Readonly<Record<string, string>> = { array: " entries", string: " characters" };

/** A field that the procedure does not have. */
export const unknownField = (name: string, path: readonly PropertyKey[] = []): string =>
  `Unknown field: ${shown(place([...path, name]))}.`;
