import { type Database, schema } from "@minutes/db";
import { and, eq, gte, isNull, sql } from "drizzle-orm";
import type { Mailer } from "../lib/mailer.js";

const { calendars, users } = schema;

/** Failures in a row after which the user is told: about ten hours. */
const FAILURES = 7;

/**
 * Tells a user by e-mail, once until their calendar works again, that it can't be read. Only a confirmed address gets it. It is
 * claimed first: a crash can lose it, but none is sent twice.
 */
export async function mailFailure(
  db: Database,
  { userId }: { readonly userId: string },
  { mailer, publicUrl }: { readonly mailer: Mailer; readonly publicUrl: () => string },
): Promise<void> {
  const [failing] = await db
    .update(calendars)
    .set({ mailedAt: sql`now()` })
    .from(users)
    .where(
      and(
        eq(calendars.userId, userId),
        eq(users.id, calendars.userId),
        eq(users.emailConfirmed, true),
        gte(calendars.failures, FAILURES),
        isNull(calendars.mailedAt),
      ),
    )
    .returning({ email: users.email, host: calendars.host });
  if (!failing) return;
  await mailer({
    to: [failing.email],
    subject: "Your calendar can't be read",
    text: [
      `Minutes can't read your calendar at ${failing.host}. It keeps trying, with delays of up to a day.`,
      "",
      `See why, or enter its address again: ${publicUrl()}/account#calendar`,
      "",
      "You get this e-mail once until the calendar works again.",
      "",
    ].join("\n"),
  });
}
