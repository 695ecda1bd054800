import { z } from "zod";
import { InstantInput } from "./instants.js";
import { Id } from "./text.js";

/** Parameters of the audit log, which lists newest entries first. */
export const ListAudit = z.strictObject({
  actor: z
    .string()
    .min(1)
    .optional()
    .describe("A user's id or e-mail address, a key's id, `operator`, or `anonymous` for failed sign-ins."),
  action: z.string().min(1).optional().describe("An action such as `key.create`, or its first part."),
  object: Id.optional().describe("The id of the object."),
  workspaceId: Id.optional().describe("The workspace that somebody joined or left."),
  from: InstantInput.optional().describe("At this time or later."),
  to: InstantInput.optional().describe("At this time or earlier."),
  limit: z
    .int()
    .min(1)
    .max(1000)
    .default(100)
    .describe("Maximum number of entries to return, 1 to 1000; 100 when absent."),
  cursor: z.int().positive().optional().describe("`nextCursor` of the previous page."),
});
export type ListAudit = z.output<typeof ListAudit>;

/** Parameters of a workspace's audit log, which only its admins can read. */
export const ListWorkspaceAudit = ListAudit.omit({ workspaceId: true });
