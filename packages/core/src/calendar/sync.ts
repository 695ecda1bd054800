import { claimLeases, isClaimable, secondsFromNow } from "@minutes/background";
import { type CalendarFault, LIMITS } from "@minutes/contract";
import { type Database, insertRows, schema } from "@minutes/db";
import { and, eq, sql } from "drizzle-orm";
import type { Keyring } from "../lib/keyring.js";
import type { Mailer } from "../lib/mailer.js";
import { linkMeetings } from "./link.js";
import { mailFailure } from "./mail.js";
import type { ReadEvents } from "./parse-thread.js";
import { CalendarError, type FeedReader, type SentFeed } from "./read-feed.js";

const { calendarEntries, calendars, users } = schema;

/** Number of calendars that a process reads at once. */
const AT_ONCE = 4;
/** Length of a lease: four calendars can be parsed one after another. In seconds. */
const LEASE = 180;
/** How often a calendar is fetched, in seconds. */
const EVERY = 1_800;
/** Delays in seconds after the first failure, doubled with each, and at most. */
const BACKOFF = { first: 300, longest: 86_400 };

/** How calendars are read. */
export interface CalendarOptions {
  /** Null: no key for secrets is configured, so no calendar can be read. */
  readonly keyring: Keyring | null;
  readonly reader: FeedReader;
  /** Null without a mail server. */
  readonly mailer: Mailer | null;
  /** Returns the URL of this installation, for links. */
  readonly publicUrl: () => string;
  /** Called with a fault of this program or of the mail server, not of a calendar. */
  readonly onFault: (error: unknown) => void;
}

/** A leased calendar. */
interface Claimed {
  readonly userId: string;
  readonly lease: number;
  readonly secret: Uint8Array;
  readonly secretKeyId: string;
  readonly etag: string | null;
  readonly lastModified: string | null;
  readonly contentHash: Uint8Array | null;
  readonly parsedAt: string | null;
  readonly failures: number;
  readonly mailedAt: string | null;
}

const COLUMNS = { table: calendars, key: calendars.userId, until: calendars.dueAt, token: calendars.lease };
const { userId, lease, secret, secretKeyId, etag, lastModified, contentHash, parsedAt, failures, mailedAt } =
  calendars;
const CLAIMED = {
  userId,
  lease,
  secret,
  secretKeyId,
  etag,
  lastModified,
  contentHash,
  parsedAt,
  failures,
  mailedAt,
};

/**
 * Reads the calendars that are due, and fills events of meetings from them. One whose server refuses or is malformed is
 * retried with growing delays. One that takes long delays only its user's next reading.
 * @see docs/decisions/0385-calendars.md
 */
export async function syncCalendars(
  db: Database,
  options: CalendarOptions,
  signal: AbortSignal,
): Promise<void> {
  const claim = (limit: number) =>
    claimLeases<Claimed>(db, COLUMNS, {
      where: isClaimable(calendars.dueAt, BACKOFF.longest),
      ...{ orderBy: sql`${calendars.dueAt}`, limit, lease: LEASE, returning: CLAIMED },
    });
  // A slow calendar holds one place, and the others go on.
  const readOn = async (first: Claimed) => {
    for (let next: Claimed | undefined = first; next && !signal.aborted; [next] = await claim(1))
      await syncCalendar(db, next, options, signal);
  };
  if (!signal.aborted) await Promise.all((await claim(AT_ONCE)).map(readOn));
}

async function syncCalendar(
  db: Database,
  calendar: Claimed,
  options: CalendarOptions,
  signal: AbortSignal,
): Promise<void> {
  const { pace } = options.reader;
  try {
    const wait = pace.wait(calendar.userId);
    if (wait > 0) return await postpone(db, calendar, wait);
    const spend = <Result>(work: () => Promise<Result>) => {
      signal.throwIfAborted();
      return pace.spend(calendar.userId, work);
    };
    const sent = await spend(() => fetchCalendar(calendar, options, signal));
    const read = sent && (await options.reader.parse(sent.bytes, Date.now(), spend));
    const isStored = await db.transaction((tx) => storeCalendar(tx, calendar, sent, read));
    if (isStored) await linkMeetings(db, calendar.userId, signal);
  } catch (error) {
    // The lease ends by itself, and another process reads it.
    if (signal.aborted) return;
    if (!(error instanceof CalendarError)) options.onFault(error);
    const fault = error instanceof CalendarError ? error.fault : "connection";
    const failed = await db.transaction((tx) => storeFailure(tx, calendar, fault)).catch(options.onFault);
    if (failed && options.mailer)
      await mailFailure(db, calendar, { ...options, mailer: options.mailer }).catch(options.onFault);
  }
}

/** Leaves a calendar for later: its user had their share of the time. @param wait in ms */
async function postpone(db: Database, calendar: Claimed, wait: number): Promise<void> {
  await db
    .update(calendars)
    .set({ dueAt: secondsFromNow(Math.ceil(wait / 1_000)) })
    .where(isHeld(calendar));
}

/** Asks for a calendar, and only for a newer one if it was parsed within a day: its series go on. @throws CalendarError */
async function fetchCalendar(
  calendar: Claimed,
  { keyring, reader }: CalendarOptions,
  signal: AbortSignal,
): Promise<SentFeed> {
  if (!keyring?.has(calendar.secretKeyId)) throw new CalendarError("key");
  const { parsedAt, etag, lastModified } = calendar;
  const isRecent = parsedAt !== null && Date.now() - Date.parse(parsedAt) < 86_400_000;
  const url = keyring.decrypt(calendar, calendar.userId);
  return reader.fetch(
    url,
    isRecent && (etag !== null || lastModified !== null) ? { etag, lastModified } : null,
    signal,
  );
}

const isHeld = ({ userId, lease }: Claimed) => and(eq(calendars.userId, userId), eq(calendars.lease, lease));

/** Stores what was read. @returns false if another process or a new address has taken over */
async function storeCalendar(
  tx: Database,
  calendar: Claimed,
  sent: SentFeed,
  read: ReadEvents | null,
): Promise<boolean> {
  const hash = read && Buffer.from(read.hash, "hex");
  const stored = await tx
    .update(calendars)
    .set({
      ...{ dueAt: secondsFromNow(EVERY), syncedAt: sql`now()`, fault: null, failures: 0, mailedAt: null },
      ...(sent && {
        etag: sent.etag,
        lastModified: sent.lastModified,
        parsedAt: sql`now()`,
        contentHash: hash,
      }),
    })
    .where(isHeld(calendar))
    .returning({ userId: calendars.userId });
  if (stored.length === 0) return false;
  if (!read || (hash && calendar.contentHash && hash.equals(calendar.contentHash))) return true;
  const [user] = await tx.select({ email: users.email }).from(users).where(eq(users.id, calendar.userId));
  const attended = read.events.filter(({ declined }) => user === undefined || !declined.includes(user.email));
  await tx.delete(calendarEntries).where(eq(calendarEntries.userId, calendar.userId));
  await insertRows(tx, calendarEntries, attended, ({ start, end, declined: _, ...event }) => ({
    ...{ ...event, userId: calendar.userId },
    startTime: new Date(start).toISOString(),
    endTime: new Date(end).toISOString(),
  }));
  return true;
}

/** Stores why a calendar could not be read. @returns false if another process or a new address has taken over */
async function storeFailure(tx: Database, calendar: Claimed, fault: CalendarFault): Promise<boolean> {
  const delay = Math.min(BACKOFF.first * 2 ** calendar.failures, BACKOFF.longest);
  const failed = await tx
    .update(calendars)
    .set({ dueAt: secondsFromNow(delay), fault, failures: sql`least(${calendars.failures} + 1, 100)` })
    .where(isHeld(calendar))
    .returning({ userId: calendars.userId });
  if (failed.length === 0) return false;
  await tx
    .delete(calendarEntries)
    .where(
      and(
        eq(calendarEntries.userId, calendar.userId),
        sql`${calendarEntries.endTime} < now() - make_interval(days => ${LIMITS.calendarDaysBack})`,
      ),
    );
  return true;
}
