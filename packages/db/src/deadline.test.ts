import { createTestDatabase, needs, type TestDatabase } from "@minutes/testing";
import { sql } from "drizzle-orm";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { Connection, Database } from "./database.js";
import { Deadline, endWith, outliveCall } from "./deadline.js";
import { observeStatements, runNamedStatement } from "./statement.js";

let database: TestDatabase;
let other: Connection;
beforeAll(async () => {
  database = await createTestDatabase();
  other = await database.connect({ poolSize: 1 });
  await database.db.execute(sql`create table notes (id int primary key)`);
});
afterAll(() => database.close());
beforeEach(() => database.db.execute(sql`delete from notes`));

const late = new Error("late");
const passSoon = () => new Deadline(100, () => late);
const countNotes = () => database.db.$count(sql`notes`);
const insert = (db: Database, id: number) => db.execute(sql`insert into notes values (${id})`);

/** A promise and its resolution. */
function hold() {
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  return { held, release };
}

/** Keeps the pool of `other`, and the embedded engine, busy until it is released. */
async function occupy() {
  const started = hold();
  const ended = hold();
  const running = other.db.transaction(async () => {
    started.release();
    await ended.held;
  });
  await started.held;
  return async () => {
    ended.release();
    await running;
  };
}

test("in time, a limited database works as another one", async () => {
  const limited = endWith(new Deadline(60_000, () => late), other.db);
  const seen: string[] = [];
  observeStatements(other.db, ({ name }) => seen.push(name));
  await insert(limited, 1);
  await limited.transaction(async (tx) => {
    await insert(tx, 2);
    await tx.transaction((inner) => insert(inner, 3));
  });
  const named = () =>
    runNamedStatement(limited, "count_notes", () => sql`select count(*)::int from notes`, {});
  expect(await named()).toEqual([{ count: 3 }]);
  expect(seen).toEqual(["transaction", "count_notes"]);
});

test("a transaction whose work is late is rolled back, and runs no further statement", async () => {
  const deadline = passSoon();
  const [stored, { held, release }] = [hold(), hold()];
  const work = endWith(deadline, database.db).transaction(async (tx) => {
    await insert(tx, 1);
    stored.release();
    await held;
    await insert(tx, 2);
  });
  await stored.held;
  await expect(deadline.within(work)).rejects.toBe(late);
  release();
  await expect(work).rejects.toHaveProperty("cause", late);
  expect(await countNotes()).toBe(0);
});

test("a transaction is not committed after the deadline", async () => {
  const deadline = passSoon();
  const [stored, { held, release }] = [hold(), hold()];
  const work = endWith(deadline, database.db).transaction(async (tx) => {
    await insert(tx, 1);
    stored.release();
    await held;
  });
  await stored.held;
  await expect(deadline.within(work)).rejects.toBe(late);
  release();
  await expect(work).rejects.toBe(late);
  expect(await countNotes()).toBe(0);
});

test.each([
  ["a statement", (db: Database) => insert(db, 1)],
  [
    "a named statement",
    (db: Database) => runNamedStatement(db, "insert_note", () => sql`insert into notes values (1)`, {}),
  ],
  ["a transaction", (db: Database) => db.transaction((tx) => insert(tx, 1))],
] as const)("%s that waits for the database at the deadline never runs", async (_what, run) => {
  const free = await occupy();
  const deadline = passSoon();
  const work = Promise.resolve(run(endWith(deadline, other.db)));
  work.catch(() => {});
  // The embedded engine can't be asked to forget a statement, so its caller waits for what becomes of it.
  const answer = deadline.within(work);
  answer.catch(() => {});
  await expect.poll(() => isPast(deadline)).toBe(true);
  await free();
  await expect(answer).rejects.toBe(late);
  await expect(work).rejects.toThrow();
  expect(await countNotes()).toBe(0);
  await expect(async () => run(endWith(deadline, other.db))).rejects.toThrow();
});

test("a late call can take back what it did before", async () => {
  const deadline = passSoon();
  const limited = endWith(deadline, database.db);
  const [stored, { held, release }] = [hold(), hold()];
  const call = async () => {
    await insert(limited, 1);
    stored.release();
    await held;
    await insert(limited, 2).catch(() => outliveCall(limited).execute(sql`delete from notes`));
  };
  const work = call();
  await stored.held;
  await expect(deadline.within(work)).rejects.toBe(late);
  release();
  await work;
  expect(await countNotes()).toBe(0);
});

const isPast = (deadline: Deadline): boolean => {
  try {
    deadline.check();
    return false;
  } catch {
    return true;
  }
};

describe("on PostgreSQL", needs("postgres"), () => {
  const waiting = sql`pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;

  test("the running statement of a late transaction is canceled", async () => {
    await insert(database.db, 1);
    await other.db.transaction(async (tx) => {
      await tx.execute(sql`select from notes for update`);
      const deadline = passSoon();
      const work = endWith(deadline, database.db).transaction(async (mine) => {
        await insert(mine, 2);
        await mine.execute(sql`delete from notes where id = 1`);
      });
      work.catch(() => {});
      await expect.poll(() => tx.$count(waiting)).toBe(1);
      await expect(deadline.within(work)).rejects.toBe(late);
      // The other session still has its lock.
      await expect(work).rejects.toMatchObject({ cause: { code: "57014" } });
    });
    expect(await countNotes()).toBe(1);
  });

  test("a statement that was sent, and a commit, decide the call", async () => {
    const slow = passSoon();
    const sent = endWith(slow, database.db).execute(sql`insert into notes select 1 from pg_sleep(0.4)`);
    await slow.within(Promise.resolve(sent));
    expect(await countNotes()).toBe(1);

    await database.db.execute(sql`create function slow_commit() returns trigger language plpgsql as
      $$ begin perform pg_sleep(0.4); return null; end $$`);
    await database.db.execute(sql`create constraint trigger slow_commit after insert on notes
      deferrable initially deferred for each row execute function slow_commit()`);
    const deadline = passSoon();
    const stored = hold();
    const committed = endWith(deadline, database.db).transaction(async (tx) => {
      await insert(tx, 2);
      stored.release();
    });
    await stored.held;
    await deadline.within(committed);
    await database.db.execute(sql`drop trigger slow_commit on notes`);
    expect(await countNotes()).toBe(2);
  });
});
