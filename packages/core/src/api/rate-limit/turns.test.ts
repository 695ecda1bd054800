import { createTestDatabase, type TestDatabase } from "@minutes/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { UserCaller } from "../../access/callers.js";
import { createDeadline } from "../response.js";
import { takeTurn } from "./turns.js";

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.close());

const createCaller = (userId: string): UserCaller => ({
  ...{ kind: "user", userId, workspaceId: `${userId}'s` },
  via: { kind: "key", keyId: "key" },
});

/** Starts costly calls on a database with ten connections, and finishes them by name. */
async function createCalls() {
  const { db } = await database.connect({ poolSize: 10 });
  const running: string[] = [];
  const started: string[] = [];
  const finish = new Map<string, () => void>();
  const settle = () => new Promise((resolve) => setImmediate(resolve));
  const call = (
    name: string,
    {
      milliseconds = 60_000,
      onGone,
    }: { milliseconds?: number; onGone?: (end: () => void) => () => void } = {},
  ) => {
    const deadline = createDeadline(milliseconds);
    const work = () =>
      new Promise<string>((resolve) => {
        started.push(name);
        running.push(name);
        finish.set(name, () => {
          running.splice(running.indexOf(name), 1);
          resolve(name);
        });
      });
    // The first letter is the holder.
    return deadline.within(takeTurn(db, createCaller(name.slice(0, 1)), work, deadline, onGone));
  };
  const end = async (name: string) => {
    finish.get(name)?.();
    await settle();
  };
  /** Ends all calls as they start. @returns the highest number of one holder's that ran at once */
  const endAll = async () => {
    let most = 0;
    while (running.length > 0) {
      for (const holder of new Set(running.map((name) => name.slice(0, 1))))
        most = Math.max(most, running.filter((name) => name.startsWith(holder)).length);
      await end(running[0] as string);
    }
    return most;
  };
  return { call, started, running, end, endAll };
}

const A_CALLS = Array.from({ length: 12 }, (_, at) => `a${at}`);

test("a holder's costly calls leave connections to others, whose call starts before those that wait", async () => {
  const { call, started, running, end, endAll } = await createCalls();
  const calls = A_CALLS.map((name) => call(name));
  const atOnce = running.length;
  expect(atOnce).toBeLessThanOrEqual(2);
  calls.push(call("b0"), call("c0"));
  while (!started.includes("c0")) await end(running[0] as string);
  expect(started.filter((name) => name.startsWith("a")).length).toBeLessThanOrEqual(atOnce + 2);
  expect(await endAll()).toBeLessThanOrEqual(atOnce);
  // All were answered, those of a holder in their order.
  expect(await Promise.all(calls)).toEqual([...A_CALLS, "b0", "c0"]);
  expect(started.filter((name) => name.startsWith("a"))).toEqual(A_CALLS);
});

test("a call that waits ends with its deadline or with its client, and never starts", async () => {
  const { call, started, endAll } = await createCalls();
  const calls = ["a0", "a1"].map((name) => call(name));
  const late = expect(call("a-late", { milliseconds: 20 })).rejects.toMatchObject({ reason: "deadline" });
  let leave = () => {};
  const gone = call("a-gone", {
    onGone: (end) => {
      leave = end;
      return () => {};
    },
  });
  const refused = expect(gone).rejects.toThrow();
  const last = call("a-last");
  leave();
  await late;
  await refused;
  await endAll();
  expect(await Promise.all([...calls, last])).toEqual(["a0", "a1", "a-last"]);
  expect(started).toEqual(["a0", "a1", "a-last"]);
});

test("a call whose client is gone before it waits leaves its turn to the next one, and watches nothing", async () => {
  const { call, endAll } = await createCalls();
  const calls = ["a0", "a1"].map((name) => call(name));
  let watching = 0;
  const onGone = (end: () => void) => {
    watching++;
    end();
    return () => void watching--;
  };
  await Promise.all(["a-gone", "a-away"].map((name) => expect(call(name, { onGone })).rejects.toThrow()));
  const last = ["a-last", "a-end"].map((name) => call(name));
  await endAll();
  expect(await Promise.all([...calls, ...last])).toEqual(["a0", "a1", "a-last", "a-end"]);
  expect(watching).toBe(0);
});

test("a call that fails frees its slot", async () => {
  const { db } = await database.connect({ poolSize: 10 });
  const deadline = createDeadline(60_000);
  for (let at = 0; at < 5; at++) {
    const fail = () => Promise.reject(new Error("failed"));
    await expect(takeTurn(db, createCaller("a"), fail, deadline)).rejects.toThrow("failed");
  }
  expect(await takeTurn(db, createCaller("a"), async () => "done", deadline)).toBe("done");
});
