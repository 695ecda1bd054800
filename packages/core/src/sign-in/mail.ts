import { LIMITS } from "@minutes/contract";
import { type Database, schema } from "@minutes/db";
import { eq } from "drizzle-orm";
import type { Visitor } from "../access/callers.js";
import type { Mailer } from "../lib/mailer.js";
import { admitMailRequest } from "./attempts.js";
import { findKnownBrowser } from "./known-browsers.js";
import { createSignInToken } from "./links.js";

const { users } = schema;

export interface IdentityMail {
  readonly mailer: Mailer;
  /** Public URL of the installation, such as `https://minutes.example.com`. */
  readonly publicUrl: string;
  /** Called if an e-mail could not be sent. Its requester is not told. */
  readonly onFault: (error: unknown) => void;
}

/** Builds the URL of the sign-in page with a one-time link. */
export const toSignInUrl = (publicUrl: string, token: string): string => `${publicUrl}/sign-in#${token}`;

/**
 * Sends a user a one-time link by e-mail. No-op for an unknown address. Runs in the background, so that neither the
 * answer nor its time reveals whether there is an account.
 */
export function requestSignInLink(
  db: Database,
  mail: IdentityMail,
  email: string,
  { address, browserToken }: Visitor,
): void {
  const send = async () => {
    const browser = await findKnownBrowser(db, email, browserToken);
    if (!(await admitMailRequest(db, { email, address, browser }))) return;
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

/** The admin who invites somebody. */
export interface Inviter {
  readonly name: string;
  /** Null if it is not confirmed. */
  readonly email: string | null;
}

// Names of a restored export can have several lines.
const toLine = (name: string): string => name.replace(/[\p{Cc}\u2028\u2029]+/gu, " ");

/** Writes a name without what could be taken for an address. */
const toName = (name: string): string => toLine(name).replace(/[@<>()[\]]+/g, " ");

const describeInviter = ({ name, email }: Inviter): string =>
  `${toName(name)} (${email ?? "e-mail address not confirmed"})`;

/**
 * Sends an invitation by e-mail. Throws if the mail server did not accept it.
 * @param inviter null if nobody invites them: they return to a workspace that they left
 */
export async function mailInvitation(
  mailer: Mailer,
  invitation: { email: string; link: string; workspaceName: string; inviter: Inviter | null },
): Promise<void> {
  const { email, link, inviter } = invitation;
  const name = toLine(invitation.workspaceName);
  const invites = inviter ? `${describeInviter(inviter)} invites you` : "You are invited";
  await mailer({
    to: [email],
    subject: `Invitation to ${name} on Minutes`,
    text: [
      `${invites} to the workspace "${name}" on Minutes, where its members keep and search their recorded meetings.`,
      "",
      "Open this link to accept:",
      "",
      link,
      "",
      `It works once, within ${LIMITS.invitationSeconds / 86_400} days. The workspace's admins can create keys that read the meetings you record.`,
      "If you weren't expecting this invitation, ignore this e-mail.",
      "",
    ].join("\n"),
  });
}
