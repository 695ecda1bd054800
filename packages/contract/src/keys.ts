import { z } from "zod";
import { createdBy, nullableInstant, secretMessage } from "./credentials.js";
import { InstantOut, parseBound } from "./instants.js";
import { MESSAGES } from "./messages.js";
import { createRefusal, mutation, NoInput, query, Success } from "./operation.js";
import { Id, Name } from "./text.js";

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

/** Parameters of `keys.create`. */
export const NewKey = z
  .strictObject({
    kind: z
      .enum(["personal", "workspace", "ingest"])
      .describe("`personal` reads the caller's meetings, `workspace` all; `ingest` is for recorders."),
    name: Name.describe("Display name of the key."),
    ...KeyRestrictions,
  })
  .refine(({ kind, access, expiresAt }) => kind !== "ingest" || (access ?? expiresAt) === undefined, {
    path: ["kind"],
    message: "an ingest key takes neither access nor expiresAt",
  });

/** Parameters of `keys.update`. */
export const UpdateKey = z.strictObject({
  keyId: Id.describe("The key's `id`."),
  name: Name.describe("Display name of the key."),
});

/** Parameters of the operations on one key. */
export const KeyRef = z.strictObject({ keyId: Id.describe("The key's `id`.") });

const storedKey = {
  id: z.string().describe("The key's `keyId`."),
  name: z.string().describe("Display name."),
  prefix: z.string().describe("The first characters of the key, such as `jk_y2oR`."),
  lastFour: z.string().describe("The last four characters of the key."),
  createdAt: InstantOut.describe("When it was created."),
  lastUsedAt: nullableInstant.describe("When it was last used, to the minute or so; null if never."),
  disabledAt: nullableInstant.describe("When it was disabled; null if it is enabled."),
  revokedAt: nullableInstant.describe("When it was revoked; null if it was not."),
  createdBy,
};

const ApiKey = z
  .object({
    ...storedKey,
    kind: z.enum(["personal", "workspace"]).describe("Whose meetings it reads."),
    access: z.enum(KEY_ACCESS).describe("`read`: it can't change or delete anything."),
    expiresAt: nullableInstant.describe("When it expires; null: never."),
  })
  .meta({ id: "ApiKey", description: "An API key without its value." });
const IngestKey = z
  .object(storedKey)
  .meta({ id: "IngestKey", description: "An ingest key without its value." });

/** A key of any kind. */
const AnyKey = z.union([ApiKey, IngestKey]);

export const PersonalKeyList = z.object({ personal: z.array(ApiKey).describe("Keys, oldest first.") });
export const WorkspaceKeyList = z.object({
  workspace: z.array(ApiKey).describe("The workspace's API keys, oldest first."),
  ingest: z.array(IngestKey).describe("The workspace's ingest keys, oldest first."),
});
export const NewKeyValue = z.object({
  id: z.string().describe("The key's `keyId`."),
  key: z.string().describe("The key. It is shown only this time; empty in a repeated answer."),
  message: secretMessage,
});

const KEY = { keyId: "key_example" };
const NO_KEY = createRefusal(404, MESSAGES.keyNotFound);
const NEEDS_RECENT_SIGN_IN = createRefusal(403, MESSAGES.signInRecently);

export const listKeys = query("keys.list", {
  callers: ["user"],
  session: true,
  operator: {},
  rest: { at: "GET /keys", id: "listKeys" },
  input: NoInput,
  output: PersonalKeyList,
  summary: "List personal keys",
  description: "The caller's keys, also revoked ones.",
  example: {},
  refuses: [],
});

export const listWorkspaceKeys = query("keys.listWorkspace", {
  callers: ["user", "workspace"],
  session: true,
  operator: {},
  rest: { at: "GET /keys/workspace", id: "listWorkspaceKeys" },
  input: NoInput,
  output: WorkspaceKeyList,
  summary: "List keys of the workspace",
  description: "Its API keys and ingest keys, also revoked ones; for admins.",
  example: {},
  refuses: [createRefusal(403, MESSAGES.onlyAdmins)],
});

export const createKey = mutation("keys.create", {
  callers: ["user", "workspace"],
  session: true,
  recentSignIn: true,
  operator: {},
  rest: { at: "POST /keys", id: "createKey", secret: "key" },
  input: NewKey,
  output: NewKeyValue,
  summary: "Create a key",
  description:
    "The value is shown only in this answer. Workspace and ingest keys are for admins. Needs a recent sign-in.",
  example: { kind: "personal", name: "My script" },
  refuses: [
    NEEDS_RECENT_SIGN_IN,
    createRefusal(403, MESSAGES.onlyAdminsMakeWorkspaceKeys),
    createRefusal(409, MESSAGES.tooManyPersonalKeys),
  ],
});

const OF_KEY = {
  callers: ["user", "operator"],
  session: true,
  input: KeyRef,
  example: KEY,
  refuses: [NO_KEY],
} as const;

export const getKey = query("keys.get", {
  ...OF_KEY,
  output: AnyKey,
  summary: "Get a key",
  description: "An API key or ingest key, without its value.",
});

export const updateKey = mutation("keys.update", {
  ...OF_KEY,
  input: UpdateKey,
  output: Success,
  summary: "Rename a key",
  description: "Changes its display name.",
  example: { ...KEY, name: "My script" },
});

export const regenerateKey = mutation("keys.regenerate", {
  ...OF_KEY,
  recentSignIn: true,
  rest: { at: "POST /keys/{keyId}/regenerate", id: "regenerateKey", secret: "key" },
  output: NewKeyValue,
  summary: "Regenerate a key",
  description:
    "Replaces its value at once. The new one is shown only in this answer. Needs a recent sign-in.",
  refuses: [NEEDS_RECENT_SIGN_IN, NO_KEY],
});

export const disableKey = mutation("keys.disable", {
  ...OF_KEY,
  rest: { at: "POST /keys/{keyId}/disable", id: "disableKey" },
  output: Success,
  summary: "Disable a key",
  description: "It is refused until it is enabled.",
});

export const enableKey = mutation("keys.enable", {
  ...OF_KEY,
  rest: { at: "POST /keys/{keyId}/enable", id: "enableKey" },
  output: Success,
  summary: "Enable a key",
  description: "A disabled key works again.",
});

export const revokeKey = mutation("keys.revoke", {
  ...OF_KEY,
  rest: { at: "DELETE /keys/{keyId}", id: "revokeKey" },
  output: Success,
  summary: "Revoke a key",
  description: "It never works again.",
});
