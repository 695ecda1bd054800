import { chmod } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { needs } from "@minutes/testing";
import postgres from "postgres";
import { expect, onTestFinished, test } from "vitest";
import { type OwnPostgres, startOwnPostgres } from "../testing/own-postgres.js";
import { temporaryDir } from "../testing/process.js";
import { findLost } from "../testing/traffic.js";
import { startUnderLoad } from "../testing/under-load.js";

const CLIENTS = { readers: 25, updaters: 10, importers: 15 };
/** Time in ms after the promotion within which the service must answer again. */
const BACK_WITHIN = 10_000;
/** Time in ms from the fault to the promotion, as a cluster manager needs it. */
const DECISION = 8_000;

/** Starts a primary and a synchronous standby. */
async function startPair(): Promise<{ primary: OwnPostgres; standby: OwnPostgres }> {
  const primary = await startOwnPostgres();
  const place = await temporaryDir();
  await chmod(place, 0o777); // started by root, the servers run as another user
  const data = join(place, "standby");
  await primary.exec("pg_basebackup", "-d", primary.url, "-D", data, "-R", "-X", "stream", "-c", "fast");
  const standby = await startOwnPostgres({ data });
  const client = postgres(primary.url, { max: 1, fetch_types: false });
  onTestFinished(() => client.end({ timeout: 1 }));
  await client`alter system set synchronous_standby_names = '*'`.simple();
  await client`select pg_reload_conf()`;
  const isSynchronous = async () => {
    const [row] = await client`select 1 from pg_stat_replication where sync_state = 'sync'`;
    return row !== undefined;
  };
  while (!(await isSynchronous())) await sleep(50);
  return { primary, standby };
}

/** The primary's fault before the standby is promoted. */
const FAULTS: Readonly<Record<string, (primary: OwnPostgres) => Promise<void>>> = {
  "frozen, and never wakes": async (primary) => {
    const thaw = await primary.freeze();
    onTestFinished(thaw);
  },
  "frozen and killed": async (primary) => {
    const thaw = await primary.freeze();
    await sleep(2_000);
    await Promise.all([primary.stop("immediate"), thaw()]);
  },
  killed: (primary) => primary.stop("immediate"),
};

test.each(Object.entries(FAULTS))(
  "the primary is %s, its standby is promoted: nothing acknowledged is lost, no process restarts",
  {
    ...needs("postgres", "bash"),
    timeout: 600_000,
  },
  async (name, inflict) => {
    const { primary, standby } = await startPair();
    const place = {
      DATABASE_URL: primary.url.replace(
        new URL(primary.url).host,
        (host) => `${host},${new URL(standby.url).host}`,
      ),
      SECRETS_KEY: Buffer.alloc(32).toString("base64"),
    };
    const { people, server, traffic, hasExited } = await startUnderLoad(place, CLIENTS);
    await traffic.untilServed();

    await sleep(3_000);
    await inflict(primary);
    await sleep(DECISION);
    await standby.exec("pg_ctl", "-D", standby.data, "-w", "-s", "promote");
    const back = await traffic.untilServed();
    const { statuses, longest, imported, updated } = await traffic.stop();
    const lost = await findLost(server.url, people.key, { imported, updated });
    console.log(
      JSON.stringify({
        fault: name,
        clients: 50,
        statuses,
        longest: Math.round(longest),
        back: Math.round(back),
        imported: imported.length,
        updated: updated.size,
        lost: lost.length,
      }),
    );

    expect(lost).toEqual([]);
    expect(hasExited()).toBe(false);
    expect(Object.keys(statuses).toSorted()).toEqual(["200", "503"]);
    expect(back).toBeLessThan(BACK_WITHIN);
  },
);
