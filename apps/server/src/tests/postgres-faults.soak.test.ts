import { setTimeout as sleep } from "node:timers/promises";
import { needs } from "@minutes/testing";
import postgres from "postgres";
import { expect, onTestFinished, test } from "vitest";
import { fillDisk, type OwnPostgres, startOwnPostgres } from "../testing/own-postgres.js";
import { findLost } from "../testing/traffic.js";
import { startUnderLoad } from "../testing/under-load.js";

/** Number of PostgreSQL restarts. */
const RESTARTS = Number(process.env.FAULT_RESTARTS ?? 20);
const CLIENTS = { readers: 8, updaters: 4, importers: 4 };
/** Maximum duration of a call in ms: the deadline, 5 s or 60 s for an import, plus the answer. */
const LONGEST_CALL = 5_500;
const LONGEST_IMPORT = 60_500;
/** Time in ms after the database's recovery within which the service must recover. */
const BACK_WITHIN = 3_000;
/** Connections of a server: the pool of ten, one that listens, one of the delivery worker, and three for background work. */
const MOST_CONNECTIONS = 15;
const MAX_CONNECTIONS = 40;

interface Fault {
  /** Breaks the database `times` times, and calls `mended` after each recovery. */
  readonly inflict: (database: OwnPostgres, mended: () => Promise<void>) => Promise<void>;
  readonly postgres?: Parameters<typeof startOwnPostgres>[0];
}

const connect = (url: string) => postgres(url, { max: 1, fetch_types: false, onnotice: () => {} });

const restart = (mode: "fast" | "immediate"): Fault => ({
  inflict: async (database, mended) => {
    for (let round = 0; round < RESTARTS; round++) {
      await sleep(300);
      await database.stop(mode);
      await database.start();
      await mended();
    }
  },
});

const FAULTS: Readonly<Record<string, Fault>> = {
  [`restarted ${RESTARTS} times, fast`]: restart("fast"),
  [`restarted ${RESTARTS} times, immediate`]: restart("immediate"),
  "frozen for 8 s": {
    inflict: async (database, mended) => {
      const thaw = await database.freeze();
      await sleep(8_000);
      thaw();
      await mended();
    },
  },
  "all connections taken by others for 6 s": {
    postgres: { flags: `-c max_connections=${MAX_CONNECTIONS}` },
    inflict: async (database, mended) => {
      const others = await takeAllConnections(database.url);
      await sleep(6_000);
      await Promise.all(others.map((other) => other.end({ timeout: 1 })));
      await mended();
    },
  },
  "tables locked for 20 s": {
    inflict: async ({ url }, mended) => {
      const client = connect(url);
      await client.begin(async (transaction) => {
        await transaction.unsafe("lock table api_keys, ingest_keys, meetings in access exclusive mode");
        await sleep(20_000);
      });
      await mended();
      await client.end();
    },
  },
  "disk full for 8 s": {
    postgres: { diskSize: "160m", flags: "-c max_wal_size=32MB -c min_wal_size=32MB" },
    inflict: async (database, mended) => {
      const free = await fillDisk(`${database.data}/..`);
      await sleep(8_000);
      await free();
      // It ends if its log could not grow; a supervisor restarts it.
      await database.start();
      await mended();
    },
  },
};

/** Closes the server's connections and takes all slots until PostgreSQL refuses more. */
async function takeAllConnections(url: string): Promise<postgres.Sql[]> {
  const others: postgres.Sql[] = [];
  const take = async () => {
    const other = connect(url);
    try {
      await other`select 1`;
      others.push(other);
      return true;
    } catch {
      await other.end({ timeout: 1 });
      return false;
    }
  };
  while (await take());
  const [first] = others;
  if (!first) throw new Error("No connection could be taken.");
  // Slots that the server gets back in between are taken again.
  for (let round = 0; round < 20; round++) {
    await first`select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'minutes'`;
    while (await take());
  }
  return others;
}

/** Returns why a fault can't be simulated on this machine, or null. */
function missingFor({ postgres: options }: Fault): string | null {
  if (!options?.diskSize) return null;
  return process.getuid?.() === 0 && process.platform === "linux"
    ? null
    : "a file system of its own needs root";
}

for (const [name, fault] of Object.entries(FAULTS)) {
  test(`PostgreSQL ${name}: no process ends, each call is answered in time, nothing acknowledged is lost, nothing leaks`, {
    ...needs("postgres", "bash"),
    timeout: 900_000,
  }, async (context) => {
    const missing = missingFor(fault);
    if (missing) context.skip(missing);
    const database = await startOwnPostgres(fault.postgres);
    const place = { DATABASE_URL: database.url, SECRETS_KEY: Buffer.alloc(32).toString("base64") };
    const { people, server, traffic, hasExited } = await startUnderLoad(place, CLIENTS);
    await traffic.untilServed();

    let back = 0;
    await fault.inflict(database, async () => {
      back = Math.max(back, await traffic.untilServed());
    });
    const { statuses, longest, longestImport, imported, updated } = await traffic.stop();
    const lost = await findLost(server.url, people.key, { imported, updated });
    const client = connect(database.url);
    onTestFinished(() => client.end({ timeout: 1 }));
    const [sessions] =
      await client`select count(*)::int as n from pg_stat_activity where application_name = 'minutes'`;

    const report = {
      exited: hasExited(),
      longest: Math.round(longest),
      back: Math.round(back),
      connections: sessions?.n,
      longestImport: Math.round(longestImport),
      imports: imported.length,
    };
    console.log(name, JSON.stringify({ ...report, statuses }));
    expect(hasExited()).toBe(false);
    expect(Object.keys(statuses).filter((status) => status !== "200" && status !== "503")).toEqual([]);
    expect(longest).toBeLessThan(LONGEST_CALL);
    expect(longestImport).toBeLessThan(LONGEST_IMPORT);
    expect(back).toBeLessThan(BACK_WITHIN);
    expect(lost).toEqual([]);
    expect(sessions?.n).toBeLessThanOrEqual(MOST_CONNECTIONS);
    expect((await server.stop()).code).toBe(0);
  });
}
