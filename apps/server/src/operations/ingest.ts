import { Email, Id, Name } from "@minutes/contract";
import { createIngestKey, findUser, listIngestKeys, OPERATOR, revokeIngestKey } from "@minutes/core";
import { z } from "zod";
import { operation } from "./operation.js";

export const ingestOperations = {
  "ingestKeys.create": operation(
    z.strictObject({ email: Email, name: Name.default("Command line") }),
    async ({ db }, { email, name }) => {
      const { userId } = await findUser(db, email);
      return { ...(await createIngestKey(db, userId, name)), name };
    },
  ),

  /** Those of the workspace that the user is in. */
  "ingestKeys.list": operation(z.strictObject({ email: Email }), async ({ db }, { email }) => {
    const { workspaceId } = await findUser(db, email);
    return listIngestKeys(db, OPERATOR, workspaceId);
  }),

  "ingestKeys.revoke": operation(z.strictObject({ keyId: Id }), async ({ db }, { keyId }) => {
    await revokeIngestKey(db, OPERATOR, keyId);
    return { id: keyId };
  }),
};
