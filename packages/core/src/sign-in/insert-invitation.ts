import { secondsFromNow } from "@minutes/background";
import { LIMITS } from "@minutes/contract";
import { type Database, schema } from "@minutes/db";
import { generateToken, hashToken } from "../keys/index.js";
import { generateId } from "../lib/ids.js";

const { invitations } = schema;

/** An invitation to store, with an ID if it replaces another one. */
type NewInvitation = Omit<typeof invitations.$inferInsert, "id" | "hash" | "expiresAt"> & {
  readonly id?: string | undefined;
};

/** An invitation whose token exists in plain text only here. */
export interface CreatedInvitation {
  readonly id: string;
  readonly token: string;
  readonly expiresAt: string;
}

/** Stores a new invitation. */
export async function insertInvitation(tx: Database, values: NewInvitation): Promise<CreatedInvitation> {
  const token = generateToken("miv_");
  const [invitation] = await tx
    .insert(invitations)
    .values({
      ...values,
      id: values.id ?? generateId("inv"),
      hash: hashToken(token),
      expiresAt: secondsFromNow(LIMITS.invitationSeconds),
    })
    .returning({ id: invitations.id, expiresAt: invitations.expiresAt });
  if (!invitation) throw new TypeError("The invitation was not stored.");
  return { ...invitation, token };
}
