import { z } from "zod";
import { AUDIT_GROUPS, isActionOrPart } from "./audit-actions.js";
import { InstantInput, InstantOut } from "./instants.js";
import { MESSAGES } from "./messages.js";
import { createRefusal, query } from "./operation.js";
import { Id } from "./text.js";

const AuditActionFilter = z.string().refine(isActionOrPart, {
  error: `must be an action such as key.create, or its first part: ${Object.keys(AUDIT_GROUPS).join(", ")}.`,
});

/** Parameters of the audit log, which lists newest entries first. */
export const ListAudit = z.strictObject({
  actor: z
    .string()
    .min(1)
    .optional()
    .describe("A user's id or e-mail address, a key's id, `operator`, or `anonymous` for failed sign-ins."),
  action: AuditActionFilter.optional().describe("An action such as `key.create`, or its first part."),
  object: Id.optional().describe("The id of the object."),
  workspaceId: Id.optional().describe(
    "ID or name of the workspace that somebody joined or left, that a deleted account was in, or that a retention rule is for.",
  ),
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

/** How somebody signed in. */
export const SIGN_IN_METHODS = ["password", "link", "passkey", "oidc", "setup", "invitation"] as const;

const AuditPage = z.object({
  entries: z
    .array(
      z.object({
        id: z.int().positive().describe("The entry's ID. Later entries have higher ones."),
        at: InstantOut.describe("When it happened."),
        actor: z.string().describe("A user's or key's ID, `operator`, `server`, or `anonymous`."),
        actorEmail: z
          .string()
          .nullable()
          .describe("The actor's e-mail address; null unless they are a user."),
        action: z.string().describe("What happened, such as `key.create`."),
        object: z.string().describe("ID of what it happened to."),
        workspaceId: z
          .string()
          .nullable()
          .describe(
            "The workspace that somebody joined or left, that a deleted account was in, or that a retention rule is for; otherwise null.",
          ),
        method: z
          .enum(SIGN_IN_METHODS)
          .nullable()
          .describe("How somebody signed in; null for other actions."),
        network: z.string().nullable().describe("Where they signed in from; null for other actions."),
        actorName: z.string().nullable().describe("Name of the actor; null if gone or not for the reader."),
        objectName: z.string().nullable().describe("Name of the object; null if gone or not for the reader."),
      }),
    )
    .describe("Newest first."),
  nextCursor: z
    .int()
    .positive()
    .nullable()
    .describe("Pass it as `cursor` for the next page; null on the last one."),
});
export type AuditPage = z.infer<typeof AuditPage>;

const AUDIT = {
  output: AuditPage,
  summary: "List the audit log",
  example: { action: "key.create" },
} as const;

/** `audit.list` for admins. */
export const listWorkspaceAudit = query("audit.list", {
  ...AUDIT,
  callers: ["user"],
  session: true,
  input: ListAudit.omit({ workspaceId: true }).prefault({}),
  description: "Who did what in the workspace, newest first: IDs and names, no content; for admins.",
  refuses: [createRefusal(403, MESSAGES.onlyAdmins)],
});

/** `audit.list` for the operator. */
export const listAudit = query("audit.list", {
  ...AUDIT,
  callers: ["operator"],
  input: ListAudit.prefault({}),
  description: "Who did what in all workspaces, newest first: IDs and names, no content.",
  refuses: [createRefusal(404, MESSAGES.userNotFound), createRefusal(404, MESSAGES.workspaceNotFound)],
});
