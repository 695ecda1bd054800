import type { z } from "zod";

type Issue = z.core.$ZodIssue;

/** Writes `Add a full stop.` for `add a full stop`. */
export const toSentence = (text: string) =>
  `${text.slice(0, 1).toUpperCase()}${text.slice(1).replace(/\.$/, "")}.`;

const FORMATS: Readonly<Record<string, string>> = {
  email: "Enter an e-mail address, such as name@example.com.",
  url: "Enter an address, such as https://example.com/meetings.",
  date: "Enter a date.",
};

/** Writes `Enter 12 to 1,024 characters.` for the contract's sentence about a text's length. */
function describeLength(message: string): string | null {
  const [, min, max] = /^must be a text of ([\d,]+) to ([\d,]+) characters$/.exec(message) ?? [];
  if (max === undefined) return null;
  return min === "1" || min === "0"
    ? `Enter at most ${max} characters.`
    : `Enter ${min} to ${max} characters.`;
}

/** Writes `Enter at most 36,500.` for a number out of its range, and asks for a number where there is none. */
function describeNumber(issue: Issue): string | null {
  if (issue.code === "invalid_type" && issue.expected === "int") return "Enter a whole number.";
  if (issue.code === "invalid_type" && issue.expected === "number") return "Enter a number.";
  if (issue.code === "too_small" && issue.origin !== "string" && issue.origin !== "array")
    return `Enter ${issue.minimum.toLocaleString("en")} or more.`;
  if (issue.code === "too_big" && issue.origin !== "string" && issue.origin !== "array")
    return `Enter at most ${issue.maximum.toLocaleString("en")}.`;
  return null;
}

/** Describes a field's error for a reader who doesn't know the API. */
export function describeIssue(issue: Issue, value: unknown): string {
  if (value === undefined || value === null || (typeof value === "string" && value.trim() === ""))
    return "Fill in this field.";
  if (Array.isArray(value) && value.length === 0) return "Choose at least one.";
  if (issue.code === "invalid_value") return "Choose one of the options.";
  const format = issue.code === "invalid_format" ? FORMATS[issue.format] : undefined;
  if (format !== undefined) return format;
  // The contract's own sentences.
  const length = describeLength(issue.message);
  if (length !== null) return length;
  const number = describeNumber(issue);
  if (number !== null) return number;
  if (issue.code === "custom" || issue.message.startsWith("must ")) return toSentence(issue.message);
  return "Enter a valid value.";
}
