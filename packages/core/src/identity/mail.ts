import { LIMITS } from "@minutes/contract";
import { type Database, schema } from "@minutes/db";
import { eq } from "drizzle-orm";
import type { Mailer } from "../mailer.js";
import { admitMailRequest } from "./attempts.js";
import { createSignInToken } from "./links.js";

const { users } = schema;

export interface IdentityMail {
  readonly mailer: Mailer;
  /** Where the installation is reached, such as `https://minutes.example.com`. */
  readonly publicUrl: string;
  /** Called when an e-mail could not be sent. Nobody who asks for one is told. */
  readonly onFault: (error: unknown) => void;
}

/** Writes the address of the page that signs a person in with a one-time link. */
export const toSignInUrl = (publicUrl: string, token: string): string => `${publicUrl}/sign-in#${token}`;

/**
 * Sends a user a one-time link by e-mail. For an unknown address it does nothing. Nobody waits for it, so that the
 * answer neither says nor takes longer when there is an account.
 */
export function requestSignInLink(db: Database, mail: IdentityMail, email: string, address: string): void {
  const send = async () => {
    if (!(await admitMailRequest(db, email, address))) return;
    const [user] = await db.select({ id: users.id }).from(users).where(eq(users.email, email));
    if (!user) return;
    const token = await createSignInToken(db, user.id, LIMITS.signInLinkSeconds, "mail");
    await mail.mailer({
      to: [email],
      subject: "Your sign-in link for Minutes",
      text: [
        "Open this link to sign in to Minutes:",
        "",
        toSignInUrl(mail.publicUrl, token),
        "",
        `It works once, within ${LIMITS.signInLinkSeconds / 60} minutes. If you did not ask for it, ignore this e-mail.`,
        "",
      ].join("\n"),
    });
  };
  void send().catch(mail.onFault);
}

/** Sends an invitation by e-mail. Throws when the mail server did not accept it. */
export async function mailInvitation(
  mailer: Mailer,
  { email, link, workspaceName }: { email: string; link: string; workspaceName: string },
): Promise<void> {
  await mailer({
    to: [email],
    subject: `Invitation to ${workspaceName} on Minutes`,
    text: [
      `You are invited to the workspace "${workspaceName}" on Minutes. Open this link to accept:`,
      "",
      link,
      "",
      `It works once, within ${LIMITS.invitationSeconds / 86_400} days. Its admins will see the meetings that you record.`,
      "",
    ].join("\n"),
  });
}
