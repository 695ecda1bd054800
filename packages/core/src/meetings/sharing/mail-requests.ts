import { isClaimable, secondsFromNow } from "@minutes/background";
import { type Database, runNamedStatement, schema } from "@minutes/db";
import { and, eq, isNull, sql } from "drizzle-orm";
import { cutToLine } from "../../lib/cut-to-line.js";
import type { Mail, Mailer } from "../../lib/mailer.js";
import { fromOpenRequests } from "./access-requests.js";

const { accessRequests, users } = schema;

/** Delay in seconds after which an e-mail that the mail server refused is sent again. */
const RETRY_SECONDS = 600;
/** Maximum length of a name in an e-mail, in characters. */
const NAME_MAX = 100;

/** How e-mails about requests for access are sent. */
interface RequestMailOptions {
  readonly mailer: Mailer;
  /** Returns the URL of this installation, for links. */
  readonly publicUrl: () => string;
  /** Called with an e-mail's fault, such as a refusal by the mail server. */
  readonly onFault: (error: unknown) => void;
}

/**
 * Sends owners the e-mails about requests of the last day, one after another, until one is refused. A request is claimed
 * before its e-mail is sent: a crash can lose it, but no process sends it twice.
 */
export async function sendAccessRequestMails(
  db: Database,
  { mailer, publicUrl, onFault }: RequestMailOptions,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    const request = await claimRequest(db);
    if (!request) return;
    try {
      const mail = await writeMail(db, request, publicUrl());
      if (mail) await mailer(mail);
    } catch (error) {
      onFault(error);
      await db
        .update(accessRequests)
        .set({ mailDueAt: secondsFromNow(RETRY_SECONDS) })
        .where(and(isRequest(request), isNull(accessRequests.mailDueAt)));
      return;
    }
  }
}

/** A request for access. */
interface Request {
  readonly meetingId: string;
  readonly userId: string;
}

const isRequest = ({ meetingId, userId }: Request) =>
  and(eq(accessRequests.meetingId, meetingId), eq(accessRequests.userId, userId));

async function claimRequest(db: Database): Promise<Request | undefined> {
  const [request] = await db
    .update(accessRequests)
    .set({ mailDueAt: null })
    .where(
      sql`(${accessRequests.meetingId}, ${accessRequests.userId}) = (select a.meeting_id, a.user_id from ${accessRequests} a
        where a.mail_due_at is not null and ${isClaimable(sql`a.mail_due_at`, RETRY_SECONDS)}
          and a.created_at > now() - interval '1 day'
        order by a.created_at limit 1 for update skip locked)`,
    )
    .returning({ meetingId: accessRequests.meetingId, userId: accessRequests.userId });
  return request;
}

/** Writes the e-mail, which has no content of the meeting; null if the request has ended or the owner's address isn't confirmed. */
async function writeMail(
  db: Database,
  { meetingId, userId }: Request,
  publicUrl: string,
): Promise<Mail | null> {
  const [row] = await runNamedStatement<People>(db, "people_of_access_request", selectPeople, {
    meetingId,
    userId,
  });
  if (!row) return null;
  const name = cutToLine(row.name, NAME_MAX);
  return {
    to: [row.to],
    subject: `${name} asks to read a meeting of yours`,
    text: [
      `${name} (${row.email}), a member of your workspace, asks to read a meeting that you recorded.`,
      "",
      `Share it, or dismiss the request: ${publicUrl}/meetings/${encodeURIComponent(meetingId)}`,
      "",
      "They aren't told if you dismiss it. Requests end after 14 days.",
      "",
    ].join("\n"),
  };
}

interface People {
  /** Address of the owner. */
  readonly to: string;
  readonly name: string;
  readonly email: string;
}

const selectPeople = () => sql`
  select o.email as "to", x.name, x.email from (
    select a.owner_id, u.name, u.email
    ${fromOpenRequests(sql`a.meeting_id = ${sql.placeholder("meetingId")} and a.user_id = ${sql.placeholder("userId")}`)}
  ) x join ${users} o on o.id = x.owner_id where o.email_confirmed`;
