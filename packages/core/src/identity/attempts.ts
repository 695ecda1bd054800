import { tooManySignIns } from "@minutes/contract";
import { type Database, schema } from "@minutes/db";
import { eq, sql } from "drizzle-orm";
import { ApiError } from "../errors.js";
import { hashToken } from "../keys/index.js";

const { signInAttempts } = schema;

/** How many failures are free, and how the wait grows after them: 1 s, 2 s, 4 s, … */
interface Delays {
  readonly free: number;
  /** Seconds at most. */
  readonly longest: number;
}

const ACCOUNT: Delays = { free: 5, longest: 300 };
/** People behind one address share it. */
const ADDRESS: Delays = { free: 20, longest: 300 };
/** E-mails that a person asks for. */
const MAIL: Delays = { free: 3, longest: 3_600 };

const hashEmail = (email: string): string => Buffer.from(hashToken(email)).toString("hex");
const toAccountKey = (email: string): string => `account:${hashEmail(email)}`;
const toMailKey = (email: string): string => `mail:${hashEmail(email)}`;

/** Returns the keys under which attempts with an e-mail address are counted, whichever case it was typed in. */
export const listAttemptKeys = (email: string): string[] =>
  [...new Set([email, email.toLowerCase()])].flatMap((typed) => [toAccountKey(typed), toMailKey(typed)]);

const toAttemptAddressKey = (address: string): string => `address:${address}`;

/**
 * Counts an attempt as failed before it is made, so that attempts at the same time, also on other processes, can't
 * outrun the count.
 * @param email of the account; null for an attempt that names none, such as a one-time link.
 * @throws ApiError 429 while the account or the address has to wait. It counts nothing then.
 */
export async function throttleSignIn(db: Database, email: string | null, address: string): Promise<void> {
  await db.transaction(async (tx) => {
    // Always in this order: two attempts then never wait for each other.
    if (email !== null) await countFailure(tx, toAccountKey(email), ACCOUNT);
    await countFailure(tx, toAttemptAddressKey(address), ADDRESS);
  });
}

/** Forgets the account's failures, and takes back what `throttleSignIn` counted for the address. */
export async function forgiveSignIn(db: Database, email: string | null, address: string): Promise<void> {
  if (email !== null) await db.delete(signInAttempts).where(eq(signInAttempts.key, toAccountKey(email)));
  await db
    .update(signInAttempts)
    .set({ failures: sql`greatest(${signInAttempts.failures} - 1, 0)` })
    .where(eq(signInAttempts.key, toAttemptAddressKey(address)));
}

/** Counts an e-mail that is asked for. @returns false when there have been too many: send none. */
export async function admitMailRequest(db: Database, email: string, address: string): Promise<boolean> {
  try {
    await db.transaction(async (tx) => {
      await countFailure(tx, toMailKey(email), MAIL);
      await countFailure(tx, toAttemptAddressKey(address), ADDRESS);
    });
    return true;
  } catch (error) {
    if (error instanceof ApiError) return false;
    throw error;
  }
}

async function countFailure(tx: Database, key: string, { free, longest }: Delays): Promise<void> {
  const failures = sql`case when ${signInAttempts.lastAt} < now() - interval '1 day' then 1 else ${signInAttempts.failures} + 1 end`;
  // The exponent has a bound of its own: 2^1024 is not a number.
  const wait = sql`case when ${failures} <= ${free}::int then 0
    else least(${longest}::int, power(2, least(${failures} - ${free}::int - 1, 20))) end`;
  const [counted] = await tx
    .insert(signInAttempts)
    .values({ key, failures: 1, blockedUntil: sql`now()`, lastAt: sql`now()` })
    .onConflictDoUpdate({
      target: signInAttempts.key,
      set: {
        failures,
        blockedUntil: sql`clock_timestamp() + make_interval(secs => ${wait})`,
        lastAt: sql`now()`,
      },
      setWhere: sql`${signInAttempts.blockedUntil} <= clock_timestamp()`,
    })
    .returning({ failures: signInAttempts.failures });
  if (counted) return;
  const [blocked] = await tx
    .select({
      seconds: sql<number>`extract(epoch from ${signInAttempts.blockedUntil} - clock_timestamp())::float8`,
    })
    .from(signInAttempts)
    .where(eq(signInAttempts.key, key));
  throw new ApiError("TOO_MANY_REQUESTS", tooManySignIns(Math.max(1, Math.ceil(blocked?.seconds ?? 1))));
}
