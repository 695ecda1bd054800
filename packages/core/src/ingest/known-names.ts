import { type Database, runNamedStatement, schema } from "@minutes/db";
import { sql } from "drizzle-orm";
import type { UserCaller } from "../access/index.js";

const { meetings, members, participants, users } = schema;

/** Number of a person's latest meetings whose speakers they know, and maximum number of names. */
const MEETINGS = 200;
const NAMES = 1_000;

/** Lists names that a person knows: members of the workspace, and speakers of the person's own latest meetings. */
export async function listKnownNames(db: Database, { userId, workspaceId }: UserCaller): Promise<string[]> {
  const rows = await runNamedStatement<{ readonly name: string }>(db, "known_names", selectKnownNames, {
    userId,
    workspaceId,
  });
  return rows.map(({ name }) => name);
}

const selectKnownNames = () => sql`
  select distinct name from (
    (select u.name from ${members} m join ${users} u on u.id = m.user_id
      where m.workspace_id = ${sql.placeholder("workspaceId")} limit ${sql.raw(String(NAMES))})
    union all
    (select p.name from (
        select id from ${meetings} where user_id = ${sql.placeholder("userId")}
        order by start_time desc, id desc limit ${sql.raw(String(MEETINGS))}
      ) m join ${participants} p on p.meeting_id = m.id)
  ) known where name is not null limit ${sql.raw(String(NAMES))}`;
