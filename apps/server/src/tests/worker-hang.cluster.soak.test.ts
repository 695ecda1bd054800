import { readFileSync } from "node:fs";
import { onCluster, waitFor } from "@minutes/testing";
import { sql } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { startTestServer, type TestServer } from "../testing/index.js";

const MEETINGS = 12;
const WARM_UP = 20;
const ROUNDS = 3;

/** Lists the processes of one worker on this machine: its postmaster, then that one's children. */
async function listProcesses({ db }: TestServer): Promise<number[]> {
  const rows = await db
    .select({ pid: sql<number>`result::int` })
    .from(
      sql`run_command_on_workers($$select split_part(pg_read_file('postmaster.pid'), e'\\n', 1)$$) order by nodeport`,
    );
  const postmaster = rows.at(-1)?.pid ?? 0;
  const children = readFileSync(`/proc/${postmaster}/task/${postmaster}/children`, "utf8");
  return [postmaster, ...children.trim().split(" ").map(Number)];
}

/** Sends a signal to processes; ignores those that have ended. */
function signal(processes: readonly number[], name: NodeJS.Signals): void {
  for (const pid of processes)
    try {
      process.kill(pid, name);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
    }
}

/** Counts the coordinator's sessions that are running a statement. */
async function countRunning({ db }: TestServer): Promise<number> {
  return db.$count(
    sql`pg_stat_activity`,
    sql`datname = current_database() and state = 'active' and pid <> pg_backend_pid()`,
  );
}

describe.runIf(onCluster)("a worker of the cluster hangs", () => {
  test("calls that need it get 503, others 200, and all are answered again once it continues", async () => {
    const server = await startTestServer({ deadline: 3_000 });
    const anna = await server.given.person();
    const transcript = [{ speakerId: "a", speakerName: "Anna", text: "The release moves to Thursday." }];
    const meetings: string[] = [];
    for (let at = 0; at < MEETINGS; at++)
      meetings.push((await server.given.meeting(anna, { transcript })).meetingId);
    const search = async () =>
      (await server.call(anna.key, "me/meetings.search", { query: "release" })).status;
    const read = async (meetingId: string) =>
      (await server.call(anna.key, "me/meetings.get", { meetingId })).status;
    const readAll = () => Promise.all(meetings.map(read));

    // Opens connections of all sessions to the worker: the coordinator can't cancel what runs on them.
    for (let round = 0; round < WARM_UP; round++) expect(new Set(await readAll())).toEqual(new Set([200]));

    const hung = await listProcesses(server);
    signal(hung, "SIGSTOP");
    try {
      expect(new Set(await readAll())).toEqual(new Set([200, 503]));
      expect(await search()).toBe(503);
      // The pool replaces connections that wait for the worker.
      for (let round = 0; round < ROUNDS; round++) await readAll();
      expect((await server.call(anna.key, "me/meetings.list", {})).status).toBe(200);
    } finally {
      signal(hung, "SIGCONT");
    }
    await waitFor(async () => expect(new Set(await readAll())).toEqual(new Set([200])));
    await waitFor(async () => expect(await search()).toBe(200));
    // The coordinator's sessions waited for the worker and end with it.
    await waitFor(async () => expect(await countRunning(server)).toBe(0));
    await server.close();
  });
});
