import { z } from "zod";
import { InstantOut } from "./instants.js";

/** A time, or null. */
export const nullableInstant = InstantOut.nullable();

/** Who created a key or webhook. */
export const createdBy = z
  .object({ userId: z.string().describe("The user's id."), email: z.string().describe("E-mail address.") })
  .nullable()
  .describe("Null once that user is deleted, and where the operator created it.");

/** Explains an empty secret. */
export const secretMessage = z
  .string()
  .optional()
  .describe("Why the secret is empty: it was shown in an earlier answer to this `Idempotency-Key`.");
