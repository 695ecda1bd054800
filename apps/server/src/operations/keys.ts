import { Email, Id, Name } from "@minutes/contract";
import {
  createPersonalKey,
  createWorkspaceKey,
  disableKey,
  enableKey,
  findUser,
  listKeys,
  OPERATOR,
  regenerateKey,
  revokeKey,
} from "@minutes/core";
import { z } from "zod";
import { readSample } from "../demo/keys-file.js";
import { operation } from "./operation.js";

const KeyRef = z.strictObject({ keyId: Id });

export const keyOperations = {
  "keys.create": operation(
    z.strictObject({ email: Email, kind: z.enum(["personal", "workspace"]), name: Name.optional() }),
    async ({ db }, { email, kind, name = "Command line" }) => {
      const { userId, plan } = await findUser(db, email);
      const create = kind === "personal" ? createPersonalKey : createWorkspaceKey;
      return { ...(await create(db, userId, name, OPERATOR)), kind, name, plan };
    },
  ),

  /** A user's own keys, and those of the workspace that he is in. */
  "keys.list": operation(z.strictObject({ email: Email }), async ({ db }, { email }) => {
    const { userId, workspaceId } = await findUser(db, email);
    return [...(await listKeys(db, { userId })), ...(await listKeys(db, { workspaceId }))];
  }),

  "keys.disable": operation(KeyRef, async ({ db }, { keyId }) => {
    await disableKey(db, OPERATOR, keyId);
    return { id: keyId };
  }),

  "keys.enable": operation(KeyRef, async ({ db }, { keyId }) => {
    await enableKey(db, OPERATOR, keyId);
    return { id: keyId };
  }),

  "keys.regenerate": operation(KeyRef, async ({ db, dataDir }, { keyId }) => {
    const created = await regenerateKey(db, OPERATOR, keyId);
    await readSample(db, dataDir);
    return created;
  }),

  "keys.revoke": operation(KeyRef, async ({ db, dataDir }, { keyId }) => {
    await revokeKey(db, OPERATOR, keyId);
    await readSample(db, dataDir);
    return { id: keyId };
  }),
};
