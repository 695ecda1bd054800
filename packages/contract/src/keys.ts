import { z } from "zod";
import { parseBound } from "./instants.js";

/** What an API key may do: everything that its kind allows, or only read. */
export const KEY_ACCESS = ["full", "read"] as const;
export type KeyAccess = (typeof KEY_ACCESS)[number];

/** Parameters that restrict a new API key. */
export const KeyRestrictions = {
  access: z
    .enum(KEY_ACCESS)
    .optional()
    .describe("`read` makes a key that can't change or delete anything. `full` when absent."),
  expiresAt: z
    .string()
    .max(64)
    .transform((text, context) => {
      const instant = parseBound(text, "end");
      if (instant !== null) return instant;
      context.addIssue({ code: "custom", message: "must be an ISO 8601 date, or a date-time with a zone" });
      return z.NEVER;
    })
    .optional()
    .describe("When the key stops: a UTC day, at whose end it stops, or a date-time. Never when absent."),
};
