import { Email } from "@minutes/contract";
import { findUser, listOwnTags } from "@minutes/core";
import { z } from "zod";
import { operation } from "./operation.js";

export const tagOperations = {
  /** A user's own tags. */
  "tags.list": operation(z.strictObject({ email: Email }), async ({ db }, { email }) => {
    const { userId } = await findUser(db, email);
    return listOwnTags(db, userId);
  }),
};
