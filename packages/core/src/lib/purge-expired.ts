import { runInBatches } from "@minutes/background";
import { type Database, schema } from "@minutes/db";
import { lte, type SQL, sql } from "drizzle-orm";
import type { PgColumn, PgTable } from "drizzle-orm/pg-core";

const { accessRequests, digests, idempotencyKeys, invitations, knownBrowsers, oauthClients, oauthGrants } =
  schema;
const {
  oauthTokens,
  oneTimeLinks,
  publicLinks,
  sessions,
  signInAttempts,
  signInChallenges,
  summaryRequests,
  transcriptions,
  webhookOldSecrets,
} = schema;

interface Expiring extends PgTable {
  readonly expiresAt: PgColumn;
}

/** Tables whose rows are worth nothing once they expired, with their primary keys. */
const EXPIRING: readonly (readonly [table: Expiring, ...key: PgColumn[]])[] = [
  [accessRequests, accessRequests.meetingId, accessRequests.userId],
  [digests, digests.id],
  [idempotencyKeys, idempotencyKeys.hash],
  [invitations, invitations.id],
  [knownBrowsers, knownBrowsers.hash, knownBrowsers.userId],
  [oauthTokens, oauthTokens.hash],
  [oauthGrants, oauthGrants.id],
  [oauthClients, oauthClients.id],
  [oneTimeLinks, oneTimeLinks.hash],
  [publicLinks, publicLinks.id],
  [sessions, sessions.id],
  [signInChallenges, signInChallenges.hash],
  [summaryRequests, summaryRequests.id],
  [transcriptions, transcriptions.id],
  [webhookOldSecrets, webhookOldSecrets.id],
];

/** Deletes what has expired, and failed sign-ins older than a day, which no longer count. */
export async function purgeExpired(db: Database): Promise<void> {
  for (const [table, ...key] of EXPIRING)
    await deleteInBatches(db, table, key, lte(table.expiresAt, sql`now()`));
  const { key, lastAt } = signInAttempts;
  await deleteInBatches(db, signInAttempts, [key], sql`${lastAt} < now() - interval '1 day'`);
}

/** Deletes the rows of a table that meet a condition, in batches. @param key its primary key */
export const deleteInBatches = (db: Database, table: PgTable, key: readonly PgColumn[], where: SQL) =>
  runInBatches((limit) => {
    const columns = sql.join([...key], sql`, `);
    const some = sql`select ${columns} from ${table} where ${where} limit ${limit}`;
    return db.delete(table).where(sql`(${columns}) in (${some})`).returning({ one: sql`1` });
  });
