import { access, mkdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { createUser, createWorkspace, joinWorkspace, OPERATOR } from "@minutes/core";
import { type Connection, connectEmbedded, connectPostgres } from "@minutes/db";
import { createPersonalKey, createWorkspaceKey } from "@minutes/testing";
import { sql } from "drizzle-orm";
import postgres from "postgres";

const USERS = 1_000;
/** Meetings with a transcript of 520 turns. */
const LONG_MEETINGS = 200;
/** Number of updated tasks. */
const TASKS = 200;
/** Increment it when the data below changes, so that an old copy is not measured. */
const VERSION = 4;

/** Returns the number of owners. Each has at least 100 meetings, so that all pages are full. */
const countOwners = (meetings: number): number => Math.min(USERS, meetings / 100);

/** A database of `meetings` meetings of 1,000 users in one workspace, and keys that read it. */
export interface Dataset {
  readonly meetings: number;
  /** Environment variables with which a server opens the database. */
  readonly settings: Readonly<Record<string, string>>;
  readonly workspaceId: string;
  readonly people: readonly { userId: string; key: string }[];
  readonly workspaceKey: string;
  /** Meetings with a long transcript. */
  readonly longMeetings: readonly string[];
  readonly tasks: readonly string[];
}

/**
 * Finds the dataset on a server or creates it, which takes tens of seconds for a million meetings. Creates new keys
 * each time.
 * @param copy name of a copy to create and use, so that writes of earlier runs leave no traces
 */
export async function preparePostgres(serverUrl: string, meetings: number, copy?: string): Promise<Dataset> {
  const name = `minutes_bench_requests_v${VERSION}_${meetings}`;
  const toUrl = (database: string) => Object.assign(new URL(serverUrl), { pathname: `/${database}` }).href;
  const admin = postgres(serverUrl, { max: 1, onnotice: () => {} });
  const [known] = await admin`select 1 from pg_database where datname = ${name}`;
  if (!known) {
    const draft = `${name}_draft`;
    await admin.unsafe(`drop database if exists ${draft}`);
    await admin.unsafe(`create database ${draft}`);
    await createData(await connectPostgres({ url: toUrl(draft), poolSize: 1 }), meetings);
    await admin.unsafe(`alter database ${draft} rename to ${name}`);
  }
  if (copy) {
    await admin.unsafe(`drop database if exists ${copy} with (force)`);
    await admin.unsafe(`create database ${copy} template ${name}`);
  }
  await admin.end();
  const url = toUrl(copy ?? name);
  return readDataset(await connectPostgres({ url }), meetings, { DATABASE_URL: url });
}

/** Finds the embedded engine's dataset in a directory or creates it. Creates new keys each time. */
export async function prepareEmbedded(directory: string, meetings: number): Promise<Dataset> {
  const dataDir = join(directory, `requests-v${VERSION}-${meetings}`);
  const isKnown = await access(dataDir).then(
    () => true,
    () => false,
  );
  if (!isKnown) {
    const draft = `${dataDir}-draft`;
    await rm(draft, { recursive: true, force: true });
    await mkdir(draft, { recursive: true });
    await createData(await connectEmbedded({ dataDir: draft }), meetings);
    await rename(draft, dataDir);
  }
  return readDataset(await connectEmbedded({ dataDir }), meetings, { DATA_DIR: dataDir });
}

/** Creates the data and closes the connection. */
async function createData({ db, close }: Connection, meetings: number): Promise<void> {
  const { id: workspaceId } = await createWorkspace(db, OPERATOR, { name: "Bench", plan: "enterprise" });
  for (let n = 0; n < USERS; n++) {
    const { userId } = await createUser(db, OPERATOR, { email: `user${n}@bench.example`, name: `User ${n}` });
    await joinWorkspace(db, OPERATOR, userId, workspaceId, n === 0 ? "admin" : "member");
  }
  const owners = countOwners(meetings);
  for (const statement of [
    // The rows are consistent by construction; checking a million foreign keys would take minutes.
    "set session_replication_role = replica",
    `create temp table people as select row_number() over (order by email) - 1 as n, id, '${workspaceId}'::text as workspace_id from users`,
    `create temp table made as select 'mtg_' || md5(i::text) as id, p.id as user_id, p.workspace_id, i, p.n,
      date_trunc('milliseconds', timestamptz '2026-01-01' - ((hashint8(i)::bigint + 2147483648) % 31536000) * interval '1 second') as start_time
    from generate_series(1, ${meetings}) i join people p on p.n = i % ${owners}`,
    `insert into recordings (id, workspace_id, external_id, state) select id, workspace_id, i::text, 'completed' from made`,
    `insert into meetings (id, user_id, workspace_id, title, generated_title, start_time, end_time, calendar_event_id)
    select id, user_id, workspace_id, 'Weekly planning of team ' || (i % 97) || ', part ' || i, 'Planning: ' || md5((i * 7)::text),
      start_time, start_time + interval '30 minutes', case when i % 3 = 0 then 'evt_' || md5(i::text) end from made`,
    `insert into tasks (id, meeting_id, user_id, workspace_id, position, text, completed, assignee_id, assignee_name, assignee_email, created_at)
    select 'tsk_' || md5(i::text || k), id, user_id, workspace_id, k, 'Send the revised figures to team ' || md5(i::text), i % 2 = 0,
      's' || k, 'User ' || n, 'user' || n || '@bench.example', start_time + interval '31 minutes' from made, generate_series(1, 2) k`,
    `insert into summaries (meeting_id, markdown, html, short)
    select id, repeat('A point that was settled. ', 40), repeat('<p>A point that was settled.</p>', 40), 'In short.' from made where i <= ${LONG_MEETINGS}`,
    `insert into participants (meeting_id, id, position, name) select id, 's' || k, k, 'Speaker ' || k from made, generate_series(0, 4) k
    where i <= ${LONG_MEETINGS}`,
    `insert into transcript_segments (meeting_id, position, speaker_id, text, start_seconds, end_seconds)
    select id, k, 's' || k % 5, 'And then we said about ' || md5(i::text || k) || ' that it would have to wait until the figures of the next quarter are there.',
      k * 4, k * 4 + 3 from made, generate_series(0, 519) k where i <= ${LONG_MEETINGS}`,
    // Each user has three tags on a tenth of their meetings each, shares two of them with a neighbor, and shares
    // twenty meetings with the neighbor directly.
    `insert into tags (id, user_id, name, color) select 'tag_' || n || '_' || k, id, 'tag ' || k, '#2563EB' from people, generate_series(0, 2) k`,
    `insert into meeting_tags (tag_id, meeting_id, owner_id, start_time)
    select 'tag_' || n || '_' || k, id, user_id, start_time from made, generate_series(0, 2) k where (i / ${owners}) % 10 = k`,
    `insert into tag_shares (user_id, tag_id, owner_id, workspace_id)
    select b.id, 'tag_' || a.n || '_' || k, a.id, a.workspace_id from people a join people b on b.n = (a.n + 1) % ${owners}, generate_series(0, 1) k where a.n < ${owners}`,
    `insert into meeting_shares (user_id, meeting_id, owner_id, workspace_id, start_time)
    select b.id, m.id, m.user_id, m.workspace_id, m.start_time from made m join people b on b.n = (m.n + 1) % ${owners} where (m.i / ${owners}) % 50 = 7`,
    "vacuum analyze",
  ])
    await db.execute(sql.raw(statement));
  await close();
}

/** Creates keys, reads the data needed by requests, and closes the connection. */
async function readDataset(
  { db, close }: Connection,
  meetings: number,
  settings: Readonly<Record<string, string>>,
): Promise<Dataset> {
  const query = async <Row>(text: string) => {
    const result: unknown = await db.execute(sql.raw(text));
    return (Array.isArray(result) ? result : (result as { rows: Row[] }).rows) as Row[];
  };
  await query("delete from api_keys");
  const users = await query<{ userId: string; workspaceId: string; role: string }>(`
    select m.user_id as "userId", m.workspace_id as "workspaceId", m.role
    from members m join users u on u.id = m.user_id order by u.email limit ${countOwners(meetings)}`);
  const people: { userId: string; key: string }[] = [];
  for (const { userId } of users)
    people.push({ userId, key: (await createPersonalKey(db, userId, "bench")).key });
  const admin = users.find(({ role }) => role === "admin");
  if (!admin) throw new Error("The dataset has no users.");
  const { key: workspaceKey } = await createWorkspaceKey(db, admin.userId, "bench");
  const longMeetings = await query<{ id: string }>("select meeting_id as id from summaries order by 1");
  const tasks = await query<{ id: string }>(`select id from tasks order by id limit ${TASKS}`);
  await close();
  return {
    meetings,
    settings,
    workspaceId: admin.workspaceId,
    people,
    workspaceKey,
    longMeetings: longMeetings.map(({ id }) => id),
    tasks: tasks.map(({ id }) => id),
  };
}
