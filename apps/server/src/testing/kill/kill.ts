import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Connection, connectEmbedded, type Database } from "@minutes/db";
import { createTestDatabase, onPostgres, TEMPLATE_FILE } from "@minutes/testing";
import { type SQL, sql } from "drizzle-orm";

const WORKER = fileURLToPath(new URL("worker.ts", import.meta.url));
const TIMEOUT = 240_000;

/** The results over all rounds. */
export interface CrashTestReport {
  /** Kills that hit a recording between its start and its completion. */
  unfinished: number;
  completed: number;
  /** For all completed meetings, acknowledged or not. */
  deliveries: number;
}

/**
 * Kills a service that completes recordings `times` times, each at a random moment. Checks after each that everything
 * acknowledged is stored, everything stored is complete, and meetings and webhook deliveries match.
 * @throws Error for the first mismatch
 */
export async function killDuringCompletion(times: number): Promise<CrashTestReport> {
  const place = await (onPostgres ? createOnServer() : createOnDisk());
  const found: CrashTestReport = { unfinished: 0, completed: 0, deliveries: 0 };
  try {
    for (let round = 0; round < times; round++) {
      const acknowledged = await completeUntilKilled(place.address, String(round));
      const connection = await place.open();
      try {
        found.unfinished += await checkRecordings(connection.db, `kill-${round}`, acknowledged);
        found.deliveries = await checkDeliveries(connection.db);
      } finally {
        await place.done(connection);
      }
      found.completed += acknowledged.length;
    }
  } finally {
    await place.remove();
  }
  return found;
}

async function createOnDisk() {
  const directory = await mkdtemp(join(tmpdir(), "minutes-kill-"));
  const template = process.env[TEMPLATE_FILE];
  const first = await connectEmbedded({
    dataDir: directory,
    ...(template ? { from: new Blob([await readFile(template)]) } : {}),
  });
  await first.close();
  return {
    address: directory,
    open: (): Promise<Connection> => connectEmbedded({ dataDir: directory, migrate: false }),
    done: (connection: Connection) => connection.close(),
    remove: () => rm(directory, { recursive: true, force: true }),
  };
}

async function createOnServer() {
  const database = await createTestDatabase();
  return {
    address: database.url ?? "",
    open: async () => database.connection,
    done: async () => {},
    remove: () => database.close(),
  };
}

/**
 * Runs the worker, and kills it some time after its first acknowledged completion. @returns the acknowledged
 * completions
 */
async function completeUntilKilled(address: string, run: string): Promise<string[]> {
  const child = spawn(process.execPath, ["--liftoff-only", "--import", "tsx", WORKER, address, run], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  let [said, faults] = ["", ""];
  child.stderr.on("data", (chunk) => {
    faults += chunk;
  });
  const ended = once(child, "close");
  const late = setTimeout(() => child.kill("SIGKILL"), TIMEOUT);
  child.stdout.on("data", (chunk) => {
    if (said === "") setTimeout(() => child.kill("SIGKILL"), Math.random() * 400);
    said += chunk;
  });
  const [, signal] = await ended;
  clearTimeout(late);
  if (signal !== "SIGKILL" || said === "") throw new Error(`The worker ended by itself: ${faults}`);
  return said.trim().split("\n");
}

interface Row {
  readonly externalId: string;
  readonly state: string;
  readonly meetings: number;
  readonly segments: number;
  readonly participants: number;
  readonly tasks: number;
  readonly tags: number;
  readonly events: number;
  readonly chunks: number;
  readonly credits: number;
  readonly unlocked: number;
  readonly drafts: number;
}

/** Selects the number of rows of each kind that completions wrote. */
const selectCounts = (prefix: string) => sql`
  select r.external_id as "externalId", r.state,
    (select count(*)::int from meetings x where x.id = r.id) as meetings,
    (select count(*)::int from read_segments(r.id)) as segments,
    (select count(*)::int from participants x where x.meeting_id = r.id) as participants,
    (select count(*)::int from tasks x where x.meeting_id = r.id) as tasks,
    (select count(*)::int from meeting_tags x where x.meeting_id = r.id) as tags,
    (select count(*)::int from webhook_events x where x.meeting_id = r.id) as events,
    (select count(*)::int from find_chunks(array[r.id], array[0])) as chunks,
    (select count(*)::int from credit_charges x where x.recording_id = r.id) as credits,
    (select count(*)::int from summaries x where x.meeting_id = r.id and not x.locked) as unlocked,
    (select count(*)::int from recording_drafts x where x.recording_id = r.id) as drafts
  from recordings r where r.external_id like ${`${prefix}-%`} order by r.created_at`;

/** Credits of the worker's user, who is on the plan Plus. */
const CREDITS = 20;

const fail = (row: unknown) => {
  throw new Error(`After a kill this is not whole: ${JSON.stringify(row)}`);
};

async function selectRows<Row>(db: Database, statement: SQL): Promise<Row[]> {
  const result: unknown = await db.execute(statement);
  return (Array.isArray(result) ? result : (result as { rows: unknown[] }).rows) as Row[];
}

/**
 * Checks the result of all rounds: each completed meeting has one delivery, with its event, for each enabled webhook of
 * its owner and the owner's workspace, and no others exist. The rule is written here independently of the code that
 * enqueues.
 * @returns the number of deliveries
 */
async function checkDeliveries(db: Database): Promise<number> {
  const [found] = await selectRows<Record<"deliveries" | "expected" | "wrong" | "stray", number>>(
    db,
    sql`with pairs as (
      select r.id as meeting_id, w.id as webhook_id from recordings r join meetings m on m.id = r.id
      join members b on b.user_id = m.user_id
      join webhooks w on w.disabled_at is null and (w.user_id = m.user_id or w.workspace_id = b.workspace_id)
      where r.state = 'completed'
    ), sent as (
      select d.webhook_id, e.meeting_id from deliveries d
      join webhook_events e on e.id = d.event_id and e.meeting_id = d.meeting_id
    )
    select (select count(*)::int from deliveries) as deliveries, (select count(*)::int from pairs) as expected,
      (select count(*)::int from pairs p where
        (select count(*) from sent s where s.meeting_id = p.meeting_id and s.webhook_id = p.webhook_id) <> 1) as wrong,
      (select count(*)::int from deliveries d where not exists (select from pairs p
        where p.meeting_id = d.meeting_id and p.webhook_id = d.webhook_id)) as stray`,
  );
  if (!found || found.wrong + found.stray > 0 || found.deliveries !== found.expected) fail(found);
  return found?.deliveries ?? 0;
}

/** Checks the recordings of a round. @returns the number of started and unfinished recordings */
async function checkRecordings(
  db: Database,
  prefix: string,
  acknowledged: readonly string[],
): Promise<number> {
  const rows = await selectRows<Row>(db, selectCounts(prefix));
  const completed = rows.filter(({ state }) => state === "completed");
  for (const row of completed) {
    const { meetings, segments, participants, tasks, tags, events, credits, unlocked } = row;
    const whole = [meetings, segments, participants, tasks, tags, events].join() === "1,40,3,3,1,1";
    if (!whole || row.chunks === 0 || row.drafts > 0 || credits !== unlocked) fail(row);
  }
  const unfinished = rows.filter(({ state }) => state !== "completed");
  for (const row of unfinished) {
    const nothing = row.meetings + row.segments + row.participants + row.tasks + row.tags + row.events === 0;
    if (row.state !== "recording" || !nothing || row.chunks + row.credits > 0 || row.drafts !== 1) fail(row);
  }
  const charged = completed.reduce((sum, { credits }) => sum + credits, 0);
  if (charged !== Math.min(CREDITS, completed.length)) fail({ charged, completed: completed.length });
  const known = new Set(completed.map(({ externalId }) => externalId));
  for (const externalId of acknowledged) if (!known.has(externalId)) fail({ lost: externalId });
  return unfinished.length;
}
