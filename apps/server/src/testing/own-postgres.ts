import { execFile } from "node:child_process";
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { findFreePort } from "@minutes/testing";
import { onTestFinished } from "vitest";

const run = promisify(execFile);
const SCRIPT = fileURLToPath(new URL("../../../../.ci/postgres", import.meta.url));

export interface OwnPostgresOptions {
  /** Additional server flags, such as `-c max_connections=40`. */
  readonly flags?: string;
  /**
   * Size of a separate file system for the data, such as `192m`; requires root. By default the data is in the temporary
   * directory.
   */
  readonly diskSize?: string;
  /** An existing data directory, such as a base backup; by default a new, empty one. */
  readonly data?: string;
  /** Additional environment of the server. */
  readonly env?: Readonly<Record<string, string>>;
}

/** A PostgreSQL server for a single test, which can break it. */
export interface OwnPostgres {
  readonly url: string;
  /** The data directory. */
  readonly data: string;
  /** A directory next to the data that the server's user can't write to. */
  readonly directory: string;
  /** Runs one of the server's programs, such as `pg_dump`, as the server's user. @returns its stdout */
  exec(program: string, ...args: readonly string[]): Promise<string>;
  /** Starts it unless it is running. Resolves when it answers. */
  start(): Promise<void>;
  /** Stops it as `pg_ctl -m fast` or `-m immediate` does, and waits for it. */
  stop(mode: "fast" | "immediate"): Promise<void>;
  /** Suspends all its processes; the returned function resumes them. */
  freeze(): Promise<() => void>;
}

const STOP_SIGNALS = { fast: "SIGINT", immediate: "SIGQUIT" } as const;

/** Starts a PostgreSQL server for one test; removed afterwards. */
export async function startOwnPostgres(options: OwnPostgresOptions = {}): Promise<OwnPostgres> {
  const directory = await mkdtemp(join(tmpdir(), "minutes-postgres-"));
  await chmod(directory, 0o711); // started by root, the server runs as another user
  const disk = join(directory, "disk");
  await mkdir(disk);
  await chmod(disk, 0o711);
  if (options.diskSize)
    await run("mount", ["-t", "tmpfs", "-o", `size=${options.diskSize},mode=711`, "tmpfs", disk]);
  const data = options.data ?? join(disk, "data");
  const env = {
    ...process.env,
    ...options.env,
    DATA: data,
    // Not the script's own choice: it must still be free when the server starts again.
    PGPORT: String(await findFreePort()),
    PGFLAGS: `-c fsync=off ${options.flags ?? ""}`,
  };
  const script = async (...args: string[]) => (await run(SCRIPT, args, { env })).stdout;
  const postmaster = async () =>
    Number((await readFile(join(data, "postmaster.pid"), "utf8")).split("\n")[0]);

  onTestFinished(async () => {
    await script("stop").catch(() => {});
    if (options.diskSize) await run("umount", ["--lazy", disk]);
    await rm(directory, { recursive: true, force: true });
  });
  const url = /DATABASE_URL=(\S+)/.exec(await script("start"))?.[1] ?? "";
  return {
    url,
    data,
    directory: disk,
    exec: (program, ...args) => script("exec", program, ...args),
    start: async () => void (await script("start")),
    stop: async (mode) => {
      const pid = await postmaster();
      process.kill(pid, STOP_SIGNALS[mode]);
      while (await isRunning(pid)) await sleep(20);
    },
    freeze: async () => {
      const pid = await postmaster();
      process.kill(pid, "SIGSTOP"); // first, so that it starts no more processes
      const children = (await readFile(`/proc/${pid}/task/${pid}/children`, "utf8")).trim().split(" ");
      const all = [pid, ...children.map(Number)];
      for (const one of all) kill(one, "SIGSTOP");
      return () => {
        for (const one of all) kill(one, "SIGCONT");
      };
    },
  };
}

/** Fills the file system of a directory. The returned function frees the space. */
export async function fillDisk(directory: string): Promise<() => Promise<void>> {
  const path = join(directory, "fill");
  // Writes as much as fits before the error.
  await writeFile(path, Buffer.alloc(2 ** 30)).catch(() => {});
  return () => rm(path, { force: true });
}

/** Returns false for a process that has ended, even if its parent has not noticed. */
async function isRunning(pid: number): Promise<boolean> {
  const status = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => null);
  return status !== null && !/\) Z /.test(status);
}

/** Sends a signal to a process that may have ended. */
function kill(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It has ended.
  }
}
