import { z } from "zod";
import { LIMITS } from "./limits.js";

/** Counts Unicode code points, the unit of every length in the contract. */
export function countCodePoints(text: string): number {
  let count = 0;
  for (const _ of text) count++;
  return count;
}

/** Returns true for text that both engines can store: no NUL, no unpaired surrogates. */
export const isStorable = (text: string): boolean => !text.includes("\0") && text.isWellFormed();

/**
 * Creates the schema of a string of `min` to `max` code points, stored as sent. JSON Schema also counts code points, so
 * documents can state these bounds.
 */
export const boundedText = (min: number, max: number) =>
  z
    .string()
    .refine(
      (text) => {
        // A code point is at most two UTF-16 units. Checking that first avoids counting megabytes.
        if (text.length < min || text.length > 2 * max || !isStorable(text)) return false;
        const length = countCodePoints(text);
        return length >= min && length <= max;
      },
      `must be a text of ${min} to ${max.toLocaleString("en")} characters`,
    )
    .meta({ minLength: min, maxLength: max });

/** Creates the schema of a bounded text that is trimmed before it is counted and stored. */
export const trimmedText = (min: number, max: number) =>
  z
    .string()
    .overwrite((text) => text.trim())
    .pipe(boundedText(min, max))
    .meta({ minLength: min, maxLength: max });

/** Opaque identifier. Any string of 1 to 128 characters is well-formed. */
export const Id = boundedText(1, LIMITS.idMax);

/** A display name: one trimmed, non-empty line without control characters, because e-mails quote it. */
export const Name = trimmedText(1, LIMITS.nameMax).refine(
  (name) => !/[\p{Cc}\u2028\u2029]/u.test(name),
  "must be one line without control characters",
);

/** An e-mail address, stored in lower case. */
export const Email = z
  .string()
  .overwrite((text) => text.trim().toLowerCase())
  .max(LIMITS.emailMax)
  .pipe(z.email("must be an e-mail address"));
