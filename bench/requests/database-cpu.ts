import { readFile } from "node:fs/promises";
import postgres from "postgres";

/** Length of a kernel clock tick, the unit of /proc, in microseconds. */
const TICK = 10_000;

/**
 * Creates a clock of the CPU time used by a database's connections, in microseconds. It reads /proc, so the server must
 * run on this machine; elsewhere it is 0.
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

/** Reads a process's user and system time in microseconds; 0 if there is no such process. */
async function readProcessTime(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => null);
  if (stat === null) return 0;
  // The program name is in parentheses and can contain spaces.
  const [, user, system] = /\) (?:\S+ ){11}(\d+) (\d+)/.exec(stat) ?? [];
  return (Number(user) + Number(system)) * TICK;
}
