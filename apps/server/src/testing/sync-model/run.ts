import { type Connection, type Database, getFaultCode } from "@minutes/db";
import { type Company, createRandom, givenOn, onPostgres, type Person, waitForFeed } from "@minutes/testing";
import { sql } from "drizzle-orm";
import type { TestServer } from "../server.js";
import { compareCopy, isConnectionFault, type Reader, readPages } from "./reader.js";
import { type Cast, chooseWrite } from "./writes.js";

/** Maximum concurrent transactions. The embedded engine has one connection, so none can stay open. */
const WRITERS = onPostgres ? 3 : 0;
/** Steps after which all transactions end and the copies are compared. */
const STEPS_PER_ROUND = 60;
/** Time in ms that a writer waits for another one's lock before its transaction fails. */
const LOCK_TIMEOUT = 60;

/** The part of a server that the model uses. */
export type ModelServer = Pick<TestServer, "call" | "data" | "database" | "db">;

export interface SyncModelOptions {
  readonly seed: number;
  readonly steps: number;
  /** Kills the server's process during its work, and starts another one on the same data. */
  readonly kill?: (server: ModelServer) => Promise<ModelServer>;
}

/** One in this many steps kills the server. */
const STEPS_PER_KILL = 250;

/** A transaction that stays open until it is told how to end. */
interface OpenTransaction {
  readonly end: (how: "commit" | "roll back") => void;
  readonly ended: Promise<unknown>;
}

/**
 * Runs random actions of writers and readers: transactions stay open and commit in another order than they began,
 * writers and the server are killed, readers stop within pages. Whenever all is quiet, each copy must equal what the
 * API returns.
 * @throws Error with the seed and the step
 */
export async function runSyncModel(first: ModelServer, options: SyncModelOptions): Promise<void> {
  const random = createRandom(options.seed);
  let server: ModelServer = first;
  const cast = await createCast(server.db);
  const readers = createReaders(cast);
  const writers: Connection[] = [];
  for (let at = 0; at < WRITERS; at++) writers.push(await server.database.connect({ poolSize: 1 }));
  const open: (OpenTransaction | undefined)[] = writers.map(() => undefined);
  const endAll = async () => {
    for (const [at, transaction] of open.entries()) {
      transaction?.end(random.chance(0.8) ? "commit" : "roll back");
      await transaction?.ended;
      open[at] = undefined;
    }
  };
  let step = 0;
  const rounds = { all: 0, empty: 0 };
  try {
    for (; step < options.steps; step++) {
      if (options.kill && random.chance(1 / STEPS_PER_KILL)) {
        // Writers' transactions stay open in the meantime.
        const calls = startCalls(server, cast, random.pick(readers));
        server = await options.kill(server);
        await calls;
      }
      const at = random.int(writers.length + 1);
      const writer = writers[at];
      if (random.chance(0.3)) {
        const reader = random.pick(readers);
        await readPages(server, reader, reader.hasty ? 1 + random.int(2) : 1_000, 1 + random.int(6));
      } else if (!writer) await runAlone(server.db, await chooseWrite(server.db, cast, random));
      else if (open[at]) {
        if (random.chance(0.1)) await killWriters(server.db);
        open[at]?.end(random.chance(0.8) ? "commit" : "roll back");
        await open[at]?.ended;
        open[at] = undefined;
      } else open[at] = await begin(writer.db, await chooseWrite(server.db, cast, random));
      if ((step + 1) % STEPS_PER_ROUND > 0) continue;
      await endAll();
      for (const reader of readers) await compareWhenQuiet(server, reader);
      rounds.all++;
      if (readers.every(({ copy }) => ![...copy.keys()].some((name) => name.startsWith("meeting "))))
        rounds.empty++;
    }
    await endAll();
    for (const reader of readers) await compareWhenQuiet(server, reader);
    // Empty copies are trivially equal.
    if (rounds.empty > rounds.all / 2) throw new Error("The readers had no meetings most of the time.");
  } catch (error) {
    throw new Error(`Seed ${options.seed}, step ${step}: ${(error as Error).message}`, { cause: error });
  } finally {
    await endAll();
    await Promise.all(writers.map((writer) => writer.close()));
  }
}

/** Starts a read and writes that a kill will interrupt. */
async function startCalls(server: ModelServer, { people }: Cast, reader: Reader): Promise<void> {
  const writes = people.map(async ({ key }) => {
    const { tasks } = await server.data(key, "me/tasks.list", { limit: 1 });
    const [task] = tasks;
    if (task) await server.call(key, "me/tasks.update", { taskId: task.id, completed: !task.completed });
  });
  const cut = [readPages(server, reader, reader.hasty ? 1 : 1_000, 2), ...writes];
  for (const result of await Promise.allSettled(cut)) {
    if (result.status === "rejected" && !isConnectionFault(result.reason)) throw result.reason;
  }
}

async function createCast(db: Database): Promise<Cast> {
  const given = givenOn(db);
  const companies: Company[] = [await given.company(), await given.company()];
  const people: Person[] = [];
  for (const company of [...companies, ...companies]) people.push(await given.member(company));
  return { people, companies };
}

const createReaders = ({ people, companies }: Cast): Reader[] => [
  ...people.slice(0, 2).map((person, at) => ({
    name: person.name,
    key: person.key,
    side: "me" as const,
    detail: at === 1,
    hasty: at === 0,
    cursor: undefined,
    copy: new Map(),
    removed: new Set<string>(),
  })),
  {
    name: "a workspace",
    key: companies[0]?.key ?? "",
    side: "workspace",
    detail: true,
    hasty: false,
    cursor: undefined,
    copy: new Map(),
    removed: new Set<string>(),
  },
];

/** Rethrows unexpected errors of a write: it may be refused by a rule, time out on a lock, or find its rows gone. */
function requireExpected(error: unknown): void {
  const code = getFaultCode(error) ?? "";
  if (
    !/^(NOT_FOUND|FORBIDDEN|CONFLICT|55P03|40P01|23\d\d\d|57P01|CONNECTION_\w+|ECONNRESET|EPIPE|25P02)$/.test(
      code,
    )
  )
    throw error;
}

const runAlone = (db: Database, write: (tx: Database) => Promise<unknown>): Promise<unknown> =>
  db
    .transaction(async (tx) => {
      await tx.execute(sql`select set_config('lock_timeout', ${String(LOCK_TIMEOUT)}, true)`);
      await write(tx);
    })
    .catch(requireExpected);

/** Begins a transaction, writes, and leaves it open. */
async function begin(
  db: Database,
  write: (tx: Database) => Promise<unknown>,
): Promise<OpenTransaction | undefined> {
  let end: OpenTransaction["end"] = () => {};
  const told = new Promise<"commit" | "roll back">((resolve) => {
    end = resolve;
  });
  let written: () => void = () => {};
  const isWritten = new Promise<void>((resolve) => {
    written = resolve;
  });
  let isOpen = true;
  const rolledBack = new Error("rolled back");
  const ended = db
    .transaction(async (tx) => {
      await tx.execute(sql`select set_config('lock_timeout', ${String(LOCK_TIMEOUT)}, true)`);
      await write(tx);
      written();
      if ((await told) === "roll back") throw rolledBack;
    })
    .catch((error: unknown) => {
      isOpen = false;
      if (error !== rolledBack) requireExpected(error);
    })
    .finally(written);
  await isWritten;
  if (!isOpen) await ended;
  return isOpen ? { end, ended } : undefined;
}

/** Ends the sessions of all open transactions, as if their processes had died. */
const killWriters = (db: Database): Promise<unknown> =>
  db.execute(sql`select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and state = 'idle in transaction' and pid <> pg_backend_pid()`);

/** Reads to the end and compares. */
async function compareWhenQuiet(server: ModelServer, reader: Reader): Promise<void> {
  await waitForFeed(server.db);
  await readPages(server, reader, 1_000, 20);
  await compareCopy(server, reader);
}
