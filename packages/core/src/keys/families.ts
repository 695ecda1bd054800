import { LIMITS, MESSAGES } from "@minutes/contract";
import { schema } from "@minutes/db";

const { apiKeys, ingestKeys } = schema;

/** API keys, or the ingest keys of recorders: the first word of their actions in the audit log. */
export type KeyFamily = "key" | "ingest-key";
export const KEY_FAMILIES: readonly KeyFamily[] = ["key", "ingest-key"];

/** Tables of keys. Ingest keys have no kind, user, access and expiry; they belong to a workspace. */
export const TABLES = { key: apiKeys, "ingest-key": ingestKeys as unknown as typeof apiKeys };

/** First characters of keys. */
export const PREFIXES = { key: "jk_", "ingest-key": "ik_" } as const;

/** Maximum keys of a workspace, and the messages of refusals. */
export const OF_WORKSPACE = {
  key: {
    max: LIMITS.workspaceKeysPerWorkspace,
    tooMany: MESSAGES.tooManyWorkspaceKeys,
    onlyAdmins: MESSAGES.onlyAdminsMakeWorkspaceKeys,
  },
  "ingest-key": {
    max: LIMITS.ingestKeysPerWorkspace,
    tooMany: MESSAGES.tooManyIngestKeys,
    onlyAdmins: MESSAGES.onlyAdminsMakeIngestKeys,
  },
};
