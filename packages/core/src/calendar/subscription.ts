import { randomInt } from "node:crypto";
import { type CalendarState, MESSAGES } from "@minutes/contract";
import { type Database, schema } from "@minutes/db";
import { eq, sql } from "drizzle-orm";
import { audit } from "../access/audit.js";
import type { UserCaller } from "../access/index.js";
import { ApiError } from "../lib/errors.js";
import type { TargetPolicy } from "../lib/http/target-policy.js";
import type { Keyring } from "../lib/keyring.js";

const { calendarEntries, calendars } = schema;

/** Dependencies of calendars other than the database. */
export interface CalendarServices {
  /** Null: no key for secrets is configured, so there are no calendars. */
  readonly keyring: Keyring | null;
  readonly targetPolicy: TargetPolicy;
}

/** Returns the calendar that a user subscribed to, without its address. */
export async function getCalendar(
  db: Database,
  userId: string,
  { keyring }: Pick<CalendarServices, "keyring">,
): Promise<CalendarState> {
  const [calendar] = await db
    .select({
      host: calendars.host,
      syncedAt: calendars.syncedAt,
      fault: calendars.fault,
      dueAt: calendars.dueAt,
      events: sql<number>`(select count(*)::int from ${calendarEntries} e where e.user_id = ${calendars.userId})`,
    })
    .from(calendars)
    .where(eq(calendars.userId, userId));
  return { available: keyring !== null, calendar: calendar ?? null };
}

/**
 * Subscribes to a calendar, instead of the one before, whose events are deleted.
 * @throws ApiError 400 for an address that is not https, or private; 412 without a key for secrets
 */
export async function setCalendar(
  db: Database,
  caller: UserCaller,
  address: string,
  services: CalendarServices,
): Promise<CalendarState> {
  const { keyring, targetPolicy } = services;
  if (!keyring) throw new ApiError("PRECONDITION_FAILED", MESSAGES.calendarNeedsSecretsKey);
  const url = await checkAddress(targetPolicy, address);
  const { userId } = caller;
  return db.transaction(async (tx) => {
    // Also deletes the events.
    await tx.delete(calendars).where(eq(calendars.userId, userId));
    // A token of its own, so that a process that still reads the address before can't store what it read.
    const created = {
      host: new URL(url).host,
      lease: randomInt(1_000_000_000),
      ...keyring.encrypt(url, userId),
    };
    await tx
      .insert(calendars)
      .values({ userId, ...created })
      .onConflictDoUpdate({ target: calendars.userId, set: created });
    await audit(tx, caller, "calendar.set", userId);
    return getCalendar(tx, userId, services);
  });
}

async function checkAddress(targetPolicy: TargetPolicy, address: string): Promise<string> {
  try {
    return await targetPolicy.checkUrl(address.trim().replace(/^webcals?:/i, "https:"));
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const isRefused = error.message === MESSAGES.webhookUrlRefused;
    throw new ApiError("BAD_REQUEST", isRefused ? MESSAGES.calendarUrlRefused : MESSAGES.calendarUrlNotHttps);
  }
}

/** Ends the subscription and deletes its events. Meetings keep theirs. Repeating it is a no-op. */
export const deleteCalendar = (db: Database, caller: UserCaller): Promise<void> =>
  db.transaction(async (tx) => {
    const deleted = await tx
      .delete(calendars)
      .where(eq(calendars.userId, caller.userId))
      .returning({ userId: calendars.userId });
    if (deleted.length > 0) await audit(tx, caller, "calendar.delete", caller.userId);
  });

/** Makes a calendar due, also one that failed. If a process reads it now, it is read again. */
export const refreshCalendar = (
  db: Database,
  caller: UserCaller,
  services: CalendarServices,
): Promise<CalendarState> =>
  db.transaction(async (tx) => {
    const { userId } = caller;
    const due = await tx
      .update(calendars)
      .set({ dueAt: sql`now()` })
      .where(eq(calendars.userId, userId))
      .returning({ userId: calendars.userId });
    if (due.length > 0) await audit(tx, caller, "calendar.refresh", userId);
    return getCalendar(tx, userId, services);
  });
