import { isClaimable, secondsFromNow } from "@minutes/background";
import { type Database, schema } from "@minutes/db";
import { and, eq, isNull, sql } from "drizzle-orm";
import { generateToken, hashToken } from "../keys/index.js";
import type { Mail, Mailer } from "../lib/mailer.js";
import type { DigestMail } from "./mail.js";
import { writeMeetingMail } from "./meeting-mail.js";
import { writeWeekMail } from "./week-mail.js";

const { digests } = schema;

/** Delay in seconds after which an e-mail that the mail server refused is sent again. */
const RETRY_SECONDS = 600;

/** How e-mails about meetings are sent. */
export interface DigestOptions {
  readonly mailer: Mailer;
  /** Returns the URL of this installation, for links. */
  readonly publicUrl: () => string;
  /** Called with an e-mail's fault, such as a refusal by the mail server. */
  readonly onFault: (error: unknown) => void;
}

/**
 * Sends the e-mails about meetings that are due, one after another, until one is refused. An e-mail is claimed before it is
 * sent: a crash can lose it, but no process sends it twice. A refused one is sent again after ten minutes, for a day.
 * @see docs/decisions/0174-digests.md
 */
export async function sendDigests(db: Database, options: DigestOptions, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const token = generateToken("mun_");
    const digest = await claimDigest(db, token);
    if (!digest) return;
    try {
      const mail = await writeMail(db, digest, options.publicUrl(), token);
      if (mail) await options.mailer(mail);
    } catch (error) {
      options.onFault(error);
      await db
        .update(digests)
        .set({ dueAt: secondsFromNow(RETRY_SECONDS) })
        .where(
          and(eq(digests.id, digest.id), eq(digests.tokenHash, hashToken(token)), isNull(digests.dueAt)),
        );
      return;
    }
  }
}

/** A claimed e-mail. */
interface Digest {
  readonly id: bigint;
  readonly userId: string;
  /** Null: the meeting is deleted, or it is about a week. */
  readonly meetingId: string | null;
  /** Null: it is about a meeting. */
  readonly week: string | null;
}

/** Claims the oldest e-mail that is due, and stores the hash of its token. */
async function claimDigest(db: Database, token: string): Promise<Digest | undefined> {
  const [digest] = await db
    .update(digests)
    .set({ dueAt: null, tokenHash: hashToken(token) })
    .where(
      sql`${digests.id} = (select d.id from ${digests} d
        where d.due_at is not null and ${isClaimable(sql`d.due_at`, RETRY_SECONDS)} and d.created_at > now() - interval '1 day'
        order by d.created_at limit 1 for update skip locked)`,
    )
    .returning({
      id: digests.id,
      userId: digests.userId,
      meetingId: digests.meetingId,
      week: digests.week,
    });
  return digest;
}

/** Writes an e-mail with the header and the link with which its reader unsubscribes; null if there is nothing to send. */
async function writeMail(
  db: Database,
  digest: Digest,
  publicUrl: string,
  token: string,
): Promise<Mail | null> {
  const written = await writeContent(db, digest, publicUrl);
  if (!written) return null;
  const { to, subject, lines, reason } = written;
  const link = `${publicUrl}/unsubscribe/${token}`;
  return {
    to: [to],
    subject,
    text: [...lines, "", `${reason} To end these e-mails, open ${link}`, ""].join("\n"),
    // RFC 8058: a mail program can end them with one click. It requires https.
    headers: {
      "List-Unsubscribe": `<${link}>`,
      ...(link.startsWith("https:") && { "List-Unsubscribe-Post": "List-Unsubscribe=One-Click" }),
    },
  };
}

async function writeContent(
  db: Database,
  { userId, meetingId, week }: Digest,
  publicUrl: string,
): Promise<DigestMail | null> {
  if (week !== null) return writeWeekMail(db, userId, week, publicUrl);
  return meetingId === null ? null : writeMeetingMail(db, userId, meetingId, publicUrl);
}
