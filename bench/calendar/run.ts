/**
 * `pnpm bench:calendar`: matching a user's meetings with the events of a calendar on the embedded engine, on disk: events that
 * follow one after another, and as many at once, which none of a meeting's people tells apart. Prints the least of several rounds.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { parseArgs } from "node:util";
import { linkMeetings } from "@minutes/core";
import { connectEmbedded, type Database, schema } from "@minutes/db";
import { givenOn, insertMeetings } from "@minutes/testing";
import { sql } from "drizzle-orm";

const { calendarEntries, calendars, meetings, participants } = schema;
const { values: options } = parseArgs({
  options: {
    events: { type: "string", default: "5000" },
    meetings: { type: "string", default: "1000" },
    rounds: { type: "string", default: "3" },
    help: { type: "boolean", default: false },
  },
});
if (options.help) {
  console.log("pnpm bench:calendar [--events 5000] [--meetings 1000] [--rounds 3]");
  process.exit(0);
}
const EVENTS = Number(options.events);
const MEETINGS = Number(options.meetings);
/** Number of people of each meeting, and of each event; they are others. */
const PEOPLE = 10;

/** Creates a user with meetings and a calendar. @param apart minutes between two meetings, and between two events */
async function createScene(db: Database, apart: number): Promise<string> {
  const person = await givenOn(db).person();
  const { userId } = person;
  await insertMeetings(db, person, { count: MEETINGS });
  const start = (nth: string) =>
    sql`now() - interval '50 days' + ${sql.raw(nth)} * ${apart}::int * interval '1 minute'`;
  await db.execute(sql`update ${meetings} set start_time = ${start("n.nth")}, end_time = ${start("n.nth")} + interval '50 minutes'
    from (select id, row_number() over (order by id) as nth from ${meetings} where user_id = ${userId}) n where n.id = ${meetings}.id`);
  await db.execute(sql`insert into ${participants} (meeting_id, id, name, email, position)
    select m.id, 's' || s, 'Speaker ' || s, 'speaker' || s || '@example.com', s
    from ${meetings} m, generate_series(1, ${PEOPLE}::int) s where m.user_id = ${userId}`);
  await db
    .insert(calendars)
    .values({ userId, secret: new Uint8Array([1]), secretKeyId: "k", host: "calendar.example.com" });
  const attendees = Array.from({ length: PEOPLE }, (_, at) => ({
    ...{ name: `Guest ${at}`, email: `guest${at}@example.com`, responseStatus: null, organizer: false },
  }));
  await db.execute(sql`insert into ${calendarEntries} (user_id, id, uid, title, start_time, end_time, all_day, attendees)
    select ${userId}, 'cev_' || n, 'uid' || n, 'Event ' || n, ${start("n")}, ${start("n")} + interval '55 minutes', false,
      ${JSON.stringify(attendees)} from generate_series(1, ${EVENTS}::int) n`);
  await db.execute(sql`analyze`);
  return userId;
}

/** Figures of a round. */
interface Figures {
  readonly linked: number;
  readonly seconds: number;
  /** Processor time in ms. */
  readonly cpu: number;
  /** Longest time in ms for which the event loop was held. */
  readonly held: number;
}

/** Matches as the server does. */
async function measure(db: Database, userId: string): Promise<Figures> {
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  const before = process.cpuUsage();
  const began = performance.now();
  await linkMeetings(db, userId, new AbortController().signal);
  const seconds = (performance.now() - began) / 1_000;
  const { user, system } = process.cpuUsage(before);
  delay.disable();
  const linked = await db.$count(meetings, sql`user_id = ${userId} and calendar_event_id is not null`);
  return { linked, seconds, cpu: (user + system) / 1_000, held: delay.max / 1e6 };
}

/** Returns a row of the table: the least of each figure. */
function summarize(name: string, rounds: readonly Figures[]) {
  const least = (figure: keyof Figures) => Math.min(...rounds.map((round) => round[figure]));
  return {
    ...{ name, events: EVENTS, meetings: MEETINGS, linked: least("linked") },
    ...{
      s: Number(least("seconds").toFixed(2)),
      "CPU ms a meeting": Number((least("cpu") / MEETINGS).toFixed(2)),
    },
    "event loop held ms": Math.round(least("held")),
  };
}

const dataDir = await mkdtemp(join(tmpdir(), "minutes-bench-"));
const { db, close } = await connectEmbedded({ dataDir });
try {
  const rows = [];
  for (const [name, apart] of [
    ["one after another", 10],
    ["all at once", 0],
  ] as const) {
    const first: Figures[] = [];
    const again: Figures[] = [];
    for (let round = 0; round < Number(options.rounds); round++) {
      const userId = await createScene(db, apart);
      first.push(await measure(db, userId));
      again.push(await measure(db, userId));
    }
    rows.push(summarize(name, first), summarize(`${name}, linked`, again));
  }
  console.table(rows);
} finally {
  await close();
  await rm(dataDir, { recursive: true, force: true });
}
