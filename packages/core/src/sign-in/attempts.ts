import { tooManyInvitations, tooManyLinkPasswords, tooManySignIns } from "@minutes/contract";
import { type Database, outliveCall, schema } from "@minutes/db";
import { eq, or, type SQL, sql } from "drizzle-orm";
import { ANONYMOUS } from "../access/actor.js";
import { audit, type SignInOrigin } from "../access/audit.js";
import { hashToken } from "../keys/index.js";
import { ApiError } from "../lib/errors.js";

const { signInAttempts } = schema;

/** Number of free failures. Each failure after that doubles the wait: 1 s, 2 s, 4 s, … */
interface Allowance {
  readonly free: number;
  /** Maximum wait in seconds. */
  readonly longest: number;
  /** Time in seconds for one failure to decay. */
  readonly decay: number;
}

/** The counters of an attempt with their allowances. */
type Counters = readonly (readonly [key: string, allowance: Allowance])[];

/** Failures at one account from one source. */
const ONE_SOURCE: Allowance = { free: 5, longest: 300, decay: 600 };
/** Failures at one account from all sources except its known browsers: a cap on distributed guessing. */
const ONE_ACCOUNT: Allowance = { free: 100, longest: 300, decay: 600 };
/** Failures at all accounts from one address, which a whole office can share. */
const ONE_ADDRESS: Allowance = { free: 100, longest: 60, decay: 60 };
const LINKS_OF_ADDRESS: Allowance = { free: 20, longest: 300, decay: 60 };
/** E-mails on request. */
const MAIL_FROM_SOURCE: Allowance = { free: 3, longest: 3_600, decay: 3_600 };
const MAIL_TO_ACCOUNT: Allowance = { free: 10, longest: 3_600, decay: 3_600 };
const MAIL_FROM_ADDRESS: Allowance = { free: 20, longest: 300, decay: 60 };

/** E-mailed invitations: to one address by anyone, and by one user to anyone. */
const INVITATIONS_TO_ADDRESS: Allowance = { free: 3, longest: 21_600, decay: 21_600 };
const INVITATIONS_BY_USER: Allowance = { free: 30, longest: 3_600, decay: 600 };

const hashEmail = (email: string): string => Buffer.from(hashToken(email)).toString("hex");
const toAccountKey = (email: string): string => `account:${hashEmail(email)}`;
const toMailKey = (email: string): string => `mail:${hashEmail(email)}`;
const toInvitedKey = (email: string): string => `invited:${hashEmail(email)}`;

/** Builds the condition for an e-mail address's counters, ignoring case. */
export function isAttemptWith(email: string): SQL | undefined {
  const keys = [...new Set([email, email.toLowerCase()])].flatMap((typed) => [
    toAccountKey(typed),
    toMailKey(typed),
    toInvitedKey(typed),
  ]);
  return or(...keys.map((key) => sql`starts_with(${signInAttempts.key}, ${key})`));
}

/** A sign-in attempt at an account. */
export interface Attempt {
  readonly email: string;
  /** Network address, from `toAddressKey`. */
  readonly address: string;
  /** The browser, if it is known to the account; otherwise null. */
  readonly browser: string | null;
}

/**
 * Lists the counters of a password attempt. A known browser has its own allowance: failures elsewhere don't lock it
 * out, and its failures lock out nobody else.
 */
const listPasswordCounters = ({ email, address, browser }: Attempt): Counters => {
  const account = toAccountKey(email);
  if (browser !== null) return [[`${account}:browser:${browser}`, ONE_SOURCE]];
  return [
    [`${account}:address:${address}`, ONE_SOURCE],
    [account, ONE_ACCOUNT],
    [`address:${address}`, ONE_ADDRESS],
  ];
};

const listMailCounters = ({ email, address, browser }: Attempt): Counters => {
  const mail = toMailKey(email);
  if (browser !== null) return [[`${mail}:browser:${browser}`, MAIL_FROM_SOURCE]];
  return [
    [`${mail}:address:${address}`, MAIL_FROM_SOURCE],
    [mail, MAIL_TO_ACCOUNT],
    [`mail-address:${address}`, MAIL_FROM_ADDRESS],
  ];
};

/** An attempt at the password of a public link. */
export interface LinkAttempt {
  readonly linkId: string;
  /** Network address, from `toAddressKey`. */
  readonly address: string;
}

/** The address's failures also count for accounts, as both are passwords. */
const listLinkCounters = ({ linkId, address }: LinkAttempt): Counters => [
  [`link:${linkId}:address:${address}`, ONE_SOURCE],
  [`link:${linkId}`, ONE_ACCOUNT],
  [`address:${address}`, ONE_ADDRESS],
];

/**
 * Counts an attempt as failed before it is made, so that concurrent attempts, even on other processes, can't exceed the
 * count.
 * @throws ApiError 429 if there were too many, without counting
 */
export const throttleSignIn = (db: Database, attempt: Attempt): Promise<void> =>
  countFailures(db, listPasswordCounters(attempt));

/** Resets the failures of a successful attempt's source, and reverts what `throttleSignIn` counted elsewhere. */
export const forgiveSignIn = (tx: Database, attempt: Attempt): Promise<void> =>
  forgive(tx, listPasswordCounters(attempt));

/** Reverts what `throttleSignIn` counted for an attempt that was not made, even if the call is late. */
export const cancelSignIn = (db: Database, attempt: Attempt): Promise<void> =>
  cancel(db, listPasswordCounters(attempt));

/** Counts an attempt at a public link's password as `throttleSignIn` does. @throws ApiError 429 */
export const throttleLinkPassword = (db: Database, attempt: LinkAttempt): Promise<void> =>
  countFailures(db, listLinkCounters(attempt), tooManyLinkPasswords);

/** Takes a successful attempt at a public link's password back, as `forgiveSignIn` does. */
export const forgiveLinkPassword = (db: Database, attempt: LinkAttempt): Promise<void> =>
  db.transaction((tx) => forgive(tx, listLinkCounters(attempt)));

/** Reverts an attempt at a public link's password that was not made, as `cancelSignIn` does. */
export const cancelLinkPassword = (db: Database, attempt: LinkAttempt): Promise<void> =>
  cancel(db, listLinkCounters(attempt));

async function forgive(tx: Database, counters: Counters): Promise<void> {
  const [[source] = [""], ...shared] = counters;
  await tx.delete(signInAttempts).where(eq(signInAttempts.key, source));
  for (const [key] of shared) await takeBack(tx, key);
}

const cancel = (db: Database, counters: Counters): Promise<void> =>
  outliveCall(db).transaction(async (tx) => {
    for (const [key] of counters) await takeBack(tx, key);
  });

/** Counts an invalid one-time link. @throws ApiError 429 if there were too many from the address */
export const countWrongLink = (db: Database, address: string): Promise<void> =>
  countFailures(db, [[`link-address:${address}`, LINKS_OF_ADDRESS]]);

/** Counts a requested e-mail. @returns false if there were too many and none must be sent */
export const admitMailRequest = (db: Database, attempt: Attempt): Promise<boolean> =>
  admit(db, listMailCounters(attempt));

/**
 * Counts a failed sign-in without other throttling, for the audit log.
 * @returns false if the account has had too many and none must be recorded
 */
const admitFailureEntry = (db: Database, userId: string): Promise<boolean> =>
  admit(db, [[`failed:${userId}`, ONE_ACCOUNT]]);

/** Counts like `countFailures`. @returns false instead of throwing if there were too many */
async function admit(db: Database, counters: Counters): Promise<boolean> {
  try {
    await countFailures(db, counters);
    return true;
  } catch (error) {
    if (error instanceof ApiError) return false;
    throw error;
  }
}

/**
 * Counts an e-mailed invitation.
 * @param userId who sent it; null: the operator, who may invite a whole company at once
 * @throws ApiError 429 if the address received, or the user sent, too many
 */
export const countInvitation = (db: Database, email: string, userId: string | null): Promise<void> =>
  countFailures(
    db,
    [
      [toInvitedKey(email), INVITATIONS_TO_ADDRESS],
      ...(userId === null ? [] : [[`inviter:${userId}`, INVITATIONS_BY_USER] as const]),
    ],
    tooManyInvitations,
  );

/** Counts a failure in all of the counters or in none. */
const countFailures = (db: Database, counters: Counters, toMessage = tooManySignIns): Promise<void> =>
  db.transaction(async (tx) => {
    // A fixed order, so that two attempts can't deadlock.
    for (const [key, allowance] of counters) await countFailure(tx, key, allowance, toMessage);
  });

/** Reverts one failure and its wait. Earlier waits were over, or it would not have been counted. */
async function takeBack(tx: Database, key: string): Promise<void> {
  await tx
    .update(signInAttempts)
    .set({ failures: sql`greatest(${signInAttempts.failures} - 1, 0)`, blockedUntil: sql`clock_timestamp()` })
    .where(eq(signInAttempts.key, key));
}

async function countFailure(
  tx: Database,
  key: string,
  { free, longest, decay }: Allowance,
  toMessage: (seconds: number) => string,
): Promise<void> {
  const steps = sql`floor(extract(epoch from clock_timestamp() - ${signInAttempts.lastAt}) / ${decay}::int)`;
  const failures = sql`(greatest(${signInAttempts.failures} - ${steps}, 0) + 1)`;
  // Bounds the exponent, because 2^1024 overflows.
  const wait = sql`case when ${failures} <= ${free}::int then 0
    else least(${longest}::int, power(2, least(${failures} - ${free}::int - 1, 20))) end`;
  const [counted] = await tx
    .insert(signInAttempts)
    .values({ key, failures: 1, blockedUntil: sql`clock_timestamp()`, lastAt: sql`clock_timestamp()` })
    .onConflictDoUpdate({
      target: signInAttempts.key,
      set: {
        failures,
        blockedUntil: sql`clock_timestamp() + make_interval(secs => ${wait})`,
        // The rest of a step counts towards the next one, so that regular failures decay as well.
        lastAt: sql`case when ${failures} = 1 then clock_timestamp()
          else ${signInAttempts.lastAt} + make_interval(secs => ${steps} * ${decay}::int) end`,
      },
      // A free failure blocks nobody, not even for the microseconds by which the clocks of two CPUs differ.
      setWhere: sql`${signInAttempts.failures} <= ${free}::int or ${signInAttempts.blockedUntil} <= clock_timestamp()`,
    })
    .returning({ failures: signInAttempts.failures });
  if (counted) return;
  const [blocked] = await tx
    .select({
      seconds: sql<number>`extract(epoch from ${signInAttempts.blockedUntil} - clock_timestamp())::float8`,
    })
    .from(signInAttempts)
    .where(eq(signInAttempts.key, key));
  throw new ApiError("TOO_MANY_REQUESTS", toMessage(Math.max(1, Math.ceil(blocked?.seconds ?? 1))));
}

/**
 * Records a failed sign-in at an account in the audit log. The entry has no user as its actor, because it is unknown
 * who tried; the object is the account. Failures without an account are not recorded.
 */
export async function recordFailedSignIn(db: Database, userId: string, origin: SignInOrigin): Promise<void> {
  // Password attempts are already counted before the check, and none is checked while the account is blocked.
  if (origin.method !== "password" && !(await admitFailureEntry(db, userId))) return;
  await audit(db, ANONYMOUS, "session.fail", userId, null, origin);
}
