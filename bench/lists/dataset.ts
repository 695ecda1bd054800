import {
  createPersonalKey,
  createUser,
  createWorkspace,
  createWorkspaceKey,
  joinWorkspace,
  OPERATOR,
} from "@minutes/core";
import { connectPostgres } from "@minutes/db";
import postgres from "postgres";

const USERS = 1_000;
/** Bumped when the data below changes, so that an old copy is not measured. */
const VERSION = 2;

/** Counts the owners: every owner has at least 100 meetings, so that all pages are full ones; with few meetings, few own them. */
const countOwners = (meetings: number): number => Math.min(USERS, meetings / 100);

/** A database of `meetings` meetings of 1,000 users in one workspace, and keys that read it. */
export interface Dataset {
  readonly meetings: number;
  readonly url: string;
  readonly workspaceId: string;
  readonly people: readonly { userId: string; key: string }[];
  readonly workspaceKey: string;
}

/** Finds the dataset or creates it, which takes tens of seconds for a million meetings. Creates new keys each time. */
export async function prepareDataset(serverUrl: string, meetings: number): Promise<Dataset> {
  const name = `minutes_bench_lists_v${VERSION}_${meetings}`;
  const url = Object.assign(new URL(serverUrl), { pathname: `/${name}` }).href;
  const admin = postgres(serverUrl, { max: 1, onnotice: () => {} });
  const [known] = await admin`select 1 from pg_database where datname = ${name}`;
  if (!known) {
    const draft = `${name}_draft`;
    await admin.unsafe(`drop database if exists ${draft}`);
    await admin.unsafe(`create database ${draft}`);
    await createData(Object.assign(new URL(serverUrl), { pathname: `/${draft}` }).href, meetings);
    await admin.unsafe(`alter database ${draft} rename to ${name}`);
  }
  await admin.end();
  return createKeys(url, meetings);
}

async function createData(url: string, meetings: number): Promise<void> {
  const { db, close } = await connectPostgres({ url });
  const { id: workspaceId } = await createWorkspace(db, OPERATOR, { name: "Bench", plan: "enterprise" });
  for (let n = 0; n < USERS; n++) {
    const { userId } = await createUser(db, OPERATOR, { email: `user${n}@bench.example`, name: `User ${n}` });
    await joinWorkspace(db, OPERATOR, userId, workspaceId, n === 0 ? "admin" : "member");
  }
  await close();
  const owners = countOwners(meetings);
  const sql = postgres(url, { max: 1, onnotice: () => {} });
  // The rows are consistent by construction; checking a million foreign keys one by one would take minutes.
  await sql`set session_replication_role = replica`;
  await sql`create temp table people as select row_number() over (order by email) - 1 as n, id, ${workspaceId}::text as workspace_id from users`;
  await sql`create temp table made as select 'mtg_' || md5(i::text) as id, p.id as user_id, p.workspace_id, i, p.n,
      date_trunc('milliseconds', timestamptz '2026-01-01' - ((hashint8(i)::bigint + 2147483648) % 31536000) * interval '1 second') as start_time
    from generate_series(1, ${meetings}) i join people p on p.n = i % ${owners}`;
  await sql`insert into recordings (id, workspace_id, external_id, state) select id, workspace_id, i::text, 'completed' from made`;
  await sql`insert into meetings (id, user_id, workspace_id, title, generated_title, start_time, end_time, calendar_event_id)
    select id, user_id, workspace_id, 'Weekly planning of team ' || (i % 97) || ', part ' || i, 'Planning: ' || md5((i * 7)::text),
      start_time, start_time + interval '30 minutes', case when i % 3 = 0 then 'evt_' || md5(i::text) end from made`;
  await sql`insert into tasks (id, meeting_id, user_id, workspace_id, position, text, completed, assignee_id, assignee_name, assignee_email, created_at)
    select 'tsk_' || md5(i::text || k), id, user_id, workspace_id, k, 'Send the revised figures to team ' || md5(i::text), i % 2 = 0,
      's' || k, 'User ' || n, 'user' || n || '@bench.example', start_time + interval '31 minutes' from made, generate_series(1, 2) k`;
  // Each user has three tags on a tenth of their meetings each, shares two of them with a neighbour, and shares twenty
  // meetings with the neighbour directly.
  await sql`insert into tags (id, user_id, name, color) select 'tag_' || n || '_' || k, id, 'tag ' || k, '#2563EB' from people, generate_series(0, 2) k`;
  await sql`insert into meeting_tags (tag_id, meeting_id, owner_id, start_time)
    select 'tag_' || n || '_' || k, id, user_id, start_time from made, generate_series(0, 2) k where (i / ${owners}) % 10 = k`;
  await sql`insert into tag_shares (user_id, tag_id, owner_id, workspace_id)
    select b.id, 'tag_' || a.n || '_' || k, a.id, a.workspace_id from people a join people b on b.n = (a.n + 1) % ${owners}, generate_series(0, 1) k where a.n < ${owners}`;
  await sql`insert into meeting_shares (user_id, meeting_id, owner_id, workspace_id, start_time)
    select b.id, m.id, m.user_id, m.workspace_id, m.start_time from made m join people b on b.n = (m.n + 1) % ${owners} where (m.i / ${owners}) % 50 = 7`;
  await sql`vacuum analyze`;
  await sql.end();
}

async function createKeys(url: string, meetings: number): Promise<Dataset> {
  const sql = postgres(url, { max: 1 });
  await sql`delete from api_keys`;
  const users = await sql<{ userId: string; workspaceId: string; role: string }[]>`
    select m.user_id as "userId", m.workspace_id as "workspaceId", m.role
    from members m join users u on u.id = m.user_id order by u.email limit ${countOwners(meetings)}`;
  await sql.end();
  const { db, close } = await connectPostgres({ url });
  const people: { userId: string; key: string }[] = [];
  for (const { userId } of users)
    people.push({ userId, key: (await createPersonalKey(db, userId, "bench")).key });
  const admin = users.find(({ role }) => role === "admin");
  if (!admin) throw new Error("The dataset has no users.");
  const { key: workspaceKey } = await createWorkspaceKey(db, admin.userId, "bench");
  await close();
  return { meetings, url, workspaceId: admin.workspaceId, people, workspaceKey };
}
