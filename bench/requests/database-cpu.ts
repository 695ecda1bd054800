import { readFile } from "node:fs/promises";
import postgres from "postgres";

/** Microseconds of one tick of the kernel's clock, in which /proc counts. */
const TICK = 10_000;

/**
 * Makes a function that reads the processor time which the connections to a database have used so far, in microseconds. It
 * reads /proc, so the server has to run on this machine; elsewhere it is 0.
 */
export function createDatabaseClock(url: string): { read(): Promise<number>; close(): Promise<void> } {
  const client = postgres(url, { max: 1, onnotice: () => {} });
  return {
    read: async () => {
      const rows = await client<{ pid: number }[]>`
        select pid from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`;
      const times = await Promise.all(rows.map(({ pid }) => readProcessTime(pid)));
      return times.reduce((sum, time) => sum + time, 0);
    },
    close: () => client.end(),
  };
}

/** Reads user and system time of a process, in microseconds; 0 where there is no such process. */
async function readProcessTime(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => null);
  if (stat === null) return 0;
  // The name of the program is in parentheses and may have blanks.
  const [, user, system] = /\) (?:\S+ ){11}(\d+) (\d+)/.exec(stat) ?? [];
  return (Number(user) + Number(system)) * TICK;
}
