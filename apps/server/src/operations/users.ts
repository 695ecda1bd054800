import { Email, Name } from "@minutes/contract";
import {
  createUser,
  findUser,
  findWorkspace,
  joinWorkspace,
  listUsers,
  OPERATOR,
  removeUser,
  setEmail,
} from "@minutes/core";
import { schema } from "@minutes/db";
import { z } from "zod";
import { readSample } from "../demo/keys-file.js";
import { operation } from "./operation.js";
import { roleIn } from "./workspaces.js";

const NewUser = z.strictObject({
  email: Email,
  name: Name.optional().describe("What stands before the @ when absent."),
  workspace: z.string().optional().describe("Id or name; a workspace of his own when absent."),
  role: z.enum(schema.ROLES).optional(),
});

export const userOperations = {
  "users.add": operation(NewUser, async ({ db }, { email, name, workspace, role }) =>
    db.transaction(async (tx) => {
      const place = workspace === undefined ? null : await findWorkspace(tx, workspace);
      const { userId } = await createUser(tx, OPERATOR, {
        email,
        name: name ?? email.split("@")[0] ?? email,
      });
      if (place)
        await joinWorkspace(tx, OPERATOR, userId, place.id, await roleIn(tx, place.id, userId, role));
      return findUser(tx, email);
    }),
  ),

  "users.setEmail": operation(z.strictObject({ email: Email, to: Email }), async ({ db }, { email, to }) => {
    const { userId } = await findUser(db, email);
    await setEmail(db, OPERATOR, userId, to);
    return findUser(db, to);
  }),

  "users.find": operation(z.strictObject({ email: Email }), ({ db }, { email }) => findUser(db, email)),

  "users.list": operation(z.strictObject({}), ({ db }) => listUsers(db)),

  "users.remove": operation(z.strictObject({ email: Email }), async ({ db, dataDir }, { email }) => {
    const { userId } = await findUser(db, email);
    await removeUser(db, OPERATOR, userId);
    await readSample(db, dataDir);
    return { userId };
  }),
};
