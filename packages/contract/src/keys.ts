import { z } from "zod";
import { parseBound } from "./instants.js";

/** Access of an API key: everything its kind allows, or only reads. */
export const KEY_ACCESS = ["full", "read"] as const;
export type KeyAccess = (typeof KEY_ACCESS)[number];

/** Parameters that restrict a new API key. */
export const KeyRestrictions = {
  access: z
    .enum(KEY_ACCESS)
    .optional()
    .describe("`read` creates a key that can't change or delete anything. `full` when absent."),
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
    .describe("Expiry: a date-time, or a day, at whose end in UTC the key expires. Never when absent."),
};
