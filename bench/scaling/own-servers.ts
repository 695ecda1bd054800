import { execFile } from "node:child_process";
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import postgres from "postgres";

const SCRIPT = fileURLToPath(new URL("../../.ci/postgres", import.meta.url));

/** The bench's own primary and standby, on disk, with ordinary syncing. */
export interface ServerPair {
  readonly primary: string;
  readonly standby: string;
  /** Sets what a commit waits for, for all sessions. */
  setCommit(level: "local" | "on" | "remote_apply"): Promise<void>;
  stop(): Promise<void>;
}

/** Starts both with `.ci/postgres`; `setCommit` determines how synchronous the standby is. */
export async function startPair(): Promise<ServerPair> {
  const place = await mkdtemp(join(tmpdir(), "minutes-standby-"));
  await chmod(place, 0o777); // started by root, the servers run as another user
  const data = (name: string) => join(place, name);
  const start = async (name: string) => {
    const { stdout } = await run({ DATA: data(name) }, "start");
    const url = /DATABASE_URL=(\S+)/.exec(stdout)?.[1];
    if (!url) throw new Error(`The server ${name} did not say its address.`);
    return url;
  };
  const primary = await start("primary");
  await run(
    {},
    "exec",
    "pg_basebackup",
    "-d",
    primary,
    "-D",
    data("standby"),
    "-R",
    "-X",
    "stream",
    "-c",
    "fast",
  );
  const standby = await start("standby");
  const client = postgres(primary, { max: 1, fetch_types: false });
  await client`alter system set synchronous_standby_names = '*'`.simple();
  return {
    primary,
    standby,
    setCommit: async (level) => {
      await client.unsafe(`alter system set synchronous_commit = ${level}`).simple();
      await client`select pg_reload_conf()`;
    },
    stop: async () => {
      await client.end();
      for (const name of ["standby", "primary"]) await run({ DATA: data(name) }, "stop");
      await rm(place, { recursive: true, force: true });
    },
  };
}

const run = (env: Record<string, string>, ...args: string[]) =>
  promisify(execFile)(SCRIPT, args, { env: { ...process.env, ...env } });
