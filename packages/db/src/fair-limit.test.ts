import { createTestDatabase, needs } from "@minutes/testing";
import { sql } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { FairLimit, TooManyWaitingError } from "./fair-limit.js";
import { isUnavailable } from "./faults.js";
import { runNamedStatement } from "./statement.js";

const PATIENT = { waiting: 10, patience: 60_000 };

/** Starts tasks that run until they are finished by name. */
function createTasks(limit: FairLimit) {
  const started: string[] = [];
  const finish = new Map<string, () => void>();
  const run = (holder: string, name: string) =>
    limit.run(holder, () => {
      started.push(name);
      return new Promise<void>((resolve) => finish.set(name, resolve));
    });
  const end = async (name: string) => {
    finish.get(name)?.();
    await new Promise(setImmediate);
  };
  return { started, run, end };
}

test("a holder's tasks wait for each other, and not for those of another holder", async () => {
  const { started, run, end } = createTasks(new FairLimit({ ...PATIENT, total: 4, perHolder: 2 }));
  for (const name of ["a1", "a2", "a3", "a4"]) void run("a", name);
  void run("b", "b1");
  expect(started).toEqual(["a1", "a2", "b1"]);
  await end("a2");
  expect(started).toEqual(["a1", "a2", "b1", "a3"]);
  // None is left waiting, to be refused while another file runs in this worker.
  for (const name of ["a1", "a3", "a4", "b1"]) await end(name);
  expect(started).toEqual(["a1", "a2", "b1", "a3", "a4"]);
});

test("holders take turns when all slots are taken", async () => {
  const { started, run, end } = createTasks(new FairLimit({ ...PATIENT, total: 1, perHolder: 1 }));
  for (const name of ["a1", "a2", "a3"]) void run("a", name);
  for (const name of ["b1", "b2"]) void run("b", name);
  for (const name of ["a1", "b1", "a2", "b2"]) await end(name);
  expect(started).toEqual(["a1", "b1", "a2", "b2", "a3"]);
});

test("503: a task is refused if too many wait, and if it waits for too long; the slot of a failed task is free again", async () => {
  const limit = new FairLimit({ total: 1, perHolder: 1, waiting: 1, patience: 50 });
  const { started, run, end } = createTasks(limit);
  void run("a", "a1");
  // Handled at once: it can be refused before the next line ends.
  const late = expect(run("a", "a2")).rejects.toSatisfy(isUnavailable);
  await expect(run("a", "a3")).rejects.toBeInstanceOf(TooManyWaitingError);
  await late;
  await end("a1");
  await expect(limit.run("a", () => Promise.reject(new Error("failed")))).rejects.toThrow("failed");
  void run("a", "a4");
  expect(started).toEqual(["a1", "a4"]);
});

describe("heavy statements", needs("postgres"), () => {
  test("have a shorter timeout than others, and take few connections of a holder", async () => {
    const database = await createTestDatabase();
    const { db } = await database.connect({ poolSize: 5, statementTimeout: 2_000 });
    const sleep = (name: string, options = {}) =>
      Promise.resolve(runNamedStatement(db, name, () => sql`select pg_sleep(60)`, {}, options)).catch(
        () => name,
      );
    const searches = Array.from({ length: 5 }, () => sleep("heavy", { holder: "anna" }));
    const list = sleep("light");
    const running = sql`pg_stat_activity where query like '%pg_sleep(60)' and state = 'active' and datname = current_database()`;
    await expect.poll(() => database.db.$count(running)).toBe(2);
    expect(await Promise.race([list, ...searches])).toBe("heavy");
    await Promise.all([list, ...searches]);
    await database.close();
  });
});

test(
  "a heavy statement on the embedded engine lets a call of two statements end after another one",
  needs("embedded"),
  async () => {
    const database = await createTestDatabase();
    const ended: string[] = [];
    const run = async (name: string, options: { holder?: string } = {}) => {
      const rows = sql.raw(options.holder ? "1000000" : "1");
      const statement = () => sql`select count(*) from generate_series(1, ${rows})`;
      await runNamedStatement(database.db, name, statement, {}, options);
      ended.push(name);
    };
    await run("first search", { holder: "anna" });
    const search = run("second search", { holder: "anna" });
    await run("key");
    await run("list");
    await search;
    expect(ended).toEqual(["first search", "key", "list", "second search"]);
    await database.close();
  },
);
