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
  return issue.path.length === 0 ? issue.message : `${place(issue.path)}: ${issue.message}`;
}

/** A field that the procedure does not have. */
export const unknownField = (name: string, path: readonly PropertyKey[] = []): string =>
  `Unknown field: ${shown(place([...path, name]))}.`;
