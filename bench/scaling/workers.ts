/**
 * `pnpm bench:workers`: imports and searches with 1, 2 and 4 workers, and as many times the data and the readers. All
 * servers share this machine, so it compares the CPU time of a request on each server, not its duration.
 */
import { parseArgs } from "node:util";
import { MeetingImport } from "@minutes/contract";
import { createUser, importMeeting, OPERATOR, setPlan } from "@minutes/core";
import { connectPostgres, type Database } from "@minutes/db";
import { type SearchScope, searchChunks } from "@minutes/search";
import { findSearchBenchmark } from "@minutes/testing";
import { sql } from "drizzle-orm";
import { readQmsumMeetings } from "../ingest/dataset.js";
import { createDatabaseClock } from "../requests/database-cpu.js";
import { copyMeetings } from "../search/copies.js";
import { readSplit } from "../search/dataset.js";
import { createSpreadDatabase } from "./cluster.js";

const { values: options } = parseArgs({
  options: {
    copies: { type: "string", default: "3" },
    imports: { type: "string", default: "60" },
    searches: { type: "string", default: "120" },
    workers: { type: "string", default: "1,2,4" },
    help: { type: "boolean", default: false },
  },
});
const coordinatorUrl = process.env.BENCH_CITUS_URL;
if (options.help || !coordinatorUrl) {
  console.log(
    "BENCH_CITUS_URL=postgres://… pnpm bench:workers [--workers 1,2,4] [--copies 3] [--imports 60] [--searches 120]\n" +
      "Needs a database of a Citus coordinator that knows as many workers, all on this machine.",
  );
  process.exit(options.help ? 0 : 2);
}
const SOURCE = "source@bench.example";
const CONNECTIONS = 4;
const meetings = readQmsumMeetings(SOURCE)
  .slice(0, Number(options.imports))
  .map(({ input }) => MeetingImport.parse(input));
const queries = readSplit(`${findSearchBenchmark()}/val`).queries.map(({ text }) => text);

/** The meetings of a user. */
const toScope = (userId: string): SearchScope => ({
  name: "bench",
  values: { caller: userId },
  meetings: (inRange) => sql`
    select m.id from meetings m where m.user_id = ${sql.placeholder("caller")} and ${inRange(sql`m.start_time`)}`,
});

type Cost = readonly number[];
const rows: { route: string; workers: number; cost: Cost }[] = [];
for (const workers of options.workers.split(",").map(Number)) {
  const database = await createSpreadDatabase(coordinatorUrl, workers);
  const connection = await connectPostgres({ url: database.url, migrate: false });
  const clocks = database.nodes.map(createDatabaseClock);
  try {
    /** Returns the CPU time of one of `count` requests on each server, in ms. */
    const measure = async (count: number, work: () => Promise<void>): Promise<Cost> => {
      const read = () => Promise.all(clocks.map((clock) => clock.read()));
      const before = await read();
      await work();
      return (await read()).map((at, node) => (at - (before[node] ?? 0)) / count / 1_000);
    };
    const { db } = connection;
    await createPerson(db, SOURCE);
    const half = meetings.length / 2;
    for (const meeting of meetings.slice(0, half)) await importMeeting(db, meeting); // warms up
    const importing = await measure(meetings.length - half, async () => {
      for (const meeting of meetings.slice(half)) await importMeeting(db, meeting);
    });
    rows.push({ route: "import", workers, cost: importing });
    const readers: string[] = [];
    for (let nth = 0; nth < workers; nth++) {
      const email = `reader${nth}@bench.example`;
      readers.push(await createPerson(db, email));
      await copyMeetings(db, SOURCE, email, Number(options.copies));
    }
    await db.execute(sql`analyze`);
    await search(db, readers, Number(options.searches) / 2); // warms up
    const searching = await measure(Number(options.searches), () =>
      search(db, readers, Number(options.searches)),
    );
    rows.push({ route: "search", workers, cost: searching });
  } finally {
    await Promise.all([connection.close(), ...clocks.map((clock) => clock.close())]);
    await database.drop();
  }
}
const round2 = (value: number): number => Number(value.toPrecision(2));
console.table(
  rows.map(({ route, workers, cost: [coordinator = 0, ...others] }) => {
    const [, first = 0] = rows.find((row) => row.route === route)?.cost ?? [];
    return {
      route,
      workers,
      "coordinator ms": round2(coordinator),
      "workers ms": others.map(round2).join(" + "),
      // As many times the requests as workers; the busiest one limits them.
      "requests of a worker, × one": round2(first / (Math.max(...others) * workers)),
    };
  }),
);

async function createPerson(db: Database, email: string): Promise<string> {
  const { workspaceId } = await createUser(db, OPERATOR, { email, name: email });
  await setPlan(db, OPERATOR, workspaceId, "team");
  const [user] = await db.select({ id: sql<string>`id` }).from(sql`users where email = ${email}`);
  return user?.id ?? "";
}

/** Searches as each reader in turn, on a few connections at once. */
async function search(db: Database, readers: readonly string[], count: number): Promise<void> {
  let at = 0;
  const searchOn = async () => {
    for (let nth = at++; nth < count; nth = at++)
      await searchChunks(db, toScope(readers[nth % readers.length] ?? ""), {
        query: queries[nth % queries.length] ?? "",
        startDate: "2000-01-01T00:00:00.000Z",
        endDate: "2040-01-01T00:00:00.000Z",
      });
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, searchOn));
}
