import { type Database, schema } from "@minutes/db";
import { eq, sql } from "drizzle-orm";
import type { Person } from "./accounts.js";
import type { Meeting } from "./given.js";

const { meetings, members, recordings, tasks } = schema;

async function getWorkspaceId(db: Database, owner: Person): Promise<string> {
  const [member] = await db.select().from(members).where(eq(members.userId, owner.userId));
  if (!member) throw new Error(`${owner.name} is in no workspace.`);
  return member.workspaceId;
}

/** Inserts many meetings with only a list row, `sameStart` per start time, a minute apart. */
export async function insertMeetings(
  db: Database,
  owner: Person,
  options: { count: number; sameStart?: number; firstStart?: string; prefix?: string },
): Promise<void> {
  const {
    count,
    sameStart = 1,
    firstStart = "2025-01-01T00:00:00.000Z",
    prefix = `bulk_${owner.userId}_`,
  } = options;
  const workspaceId = await getWorkspaceId(db, owner);
  // The digest randomizes the ids, so that insertion order is not id order.
  const id = sql`${prefix}::text || md5(i::text)`;
  await db.execute(sql`insert into ${recordings} (id, workspace_id, external_id, state)
    select ${id}, ${workspaceId}, ${prefix}::text || i, 'completed' from generate_series(0, ${count - 1}::int) i`);
  await db.execute(sql`insert into ${meetings} (id, user_id, workspace_id, title, start_time)
    select ${id}, ${owner.userId}, ${workspaceId}, 'Meeting ' || i,
      ${firstStart}::timestamptz + (i / ${sameStart}::int) * interval '1 minute'
    from generate_series(0, ${count - 1}::int) i`);
}

/** Inserts many tasks of one meeting, all created in the same millisecond by default. */
export async function insertTasks(
  db: Database,
  meeting: Meeting,
  options: { count: number; createdAt?: string; sameTime?: number; prefix?: string },
): Promise<void> {
  const { count, createdAt = "2025-01-01T00:00:00.000Z", sameTime = count, prefix = "bulk_" } = options;
  const workspaceId = await getWorkspaceId(db, meeting.owner);
  await db.execute(sql`insert into ${tasks} (id, meeting_id, user_id, workspace_id, position, text, created_at)
    select ${`${prefix}${meeting.meetingId}_`}::text || md5(i::text), ${meeting.meetingId}, ${meeting.owner.userId}, ${workspaceId}, 1000 + i,
      'Task ' || i, ${createdAt}::timestamptz + (i / ${sameTime}::int) * interval '1 millisecond'
    from generate_series(0, ${count - 1}::int) i`);
}
