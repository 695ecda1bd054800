import { LIMITS } from "@minutes/contract";
import { type Database, runNamedStatement, schema, writeArray } from "@minutes/db";
import { sql } from "drizzle-orm";

const { meetingShares, meetingTags, syncWaits, tagShares } = schema;

/** Interval in ms at which new waits renew the announcement. */
export const WAITS_ANNOUNCED_EVERY = 30_000;

/** Lifetime of an announcement in seconds: until the last wait under it has ended, and as long again for slow reads. */
const HOLDS = 2 * (WAITS_ANNOUNCED_EVERY / 1000 + LIMITS.syncWaitMax);

/**
 * Makes writes send change notifications for a while. Without waiting callers they don't, because PostgreSQL serializes
 * the commits of transactions that notify.
 * @see docs/decisions/0160-change-feed.md
 */
export async function enableChangeNotifications(db: Database): Promise<void> {
  const until = sql`now() + make_interval(secs => ${HOLDS})`;
  await db.insert(syncWaits).values({ until }).onConflictDoUpdate({ target: syncWaits.only, set: { until } });
}

/**
 * Returns the users who can read these meetings or tags through a share. Users who lost access are notified separately,
 * by the end of the share or the removal of the tag.
 * @param scopes of a notification; `meeting:<id>` and `tag:<id>` are looked up
 * @returns key holders in the form `user:<id>`
 */
export async function findReaders(db: Database, scopes: readonly string[]): Promise<string[]> {
  const pick = (prefix: string) =>
    writeArray(scopes.flatMap((scope) => (scope.startsWith(prefix) ? [scope.slice(prefix.length)] : [])));
  const values = { meetings: pick("meeting:"), tags: pick("tag:") };
  const rows = await runNamedStatement<{ id: string }>(db, "readers_of_changes", selectReaders, values);
  return rows.map(({ id }) => `user:${id}`);
}

const given = (name: string) => sql`any(${sql.placeholder(name)}::text::text[])`;

const selectReaders = () => sql`
  select user_id as id from ${meetingShares} where meeting_id = ${given("meetings")}
  union select t.user_id from ${meetingTags} b join ${tagShares} t on t.tag_id = b.tag_id
    where b.meeting_id = ${given("meetings")}
  union select user_id from ${tagShares} where tag_id = ${given("tags")}`;
