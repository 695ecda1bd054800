import { openTestApi, type TestApi } from "@minutes/testing";
import { sql } from "drizzle-orm";
import { integer, pgTable, text, timestamp } from "drizzle-orm/pg-core";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { claimLeases, extendLeases, isClaimable } from "./lease.js";

/** A table with a fencing token. */
const work = pgTable("lease_test", {
  name: text("name").primaryKey(),
  leasedUntil: timestamp("leased_until", { withTimezone: true, mode: "string" }).notNull(),
  attempt: integer("attempt").notNull(),
});
const leases = { table: work, key: work.name, until: work.leasedUntil, token: work.attempt };

let api: TestApi;
const names = ["a", "b", "c"];
beforeAll(async () => {
  api = await openTestApi();
  await api.db.execute(
    sql`create table lease_test (name text primary key, leased_until timestamptz not null, attempt integer not null)`,
  );
  await api.db
    .insert(work)
    .values(names.map((name) => ({ name, leasedUntil: "2025-01-01T00:00:00Z", attempt: 0 })));
});
beforeEach(() => api.db.update(work).set({ leasedUntil: "2025-01-01T00:00:00Z" }));
afterAll(() => api.close());

const claim = (limit: number) =>
  claimLeases<{ key: string; token: number }>(api.db, leases, {
    where: isClaimable(work.leasedUntil, 60),
    orderBy: sql`${work.name}`,
    limit,
    lease: 60,
    returning: { key: work.name, token: work.attempt },
  });

test("a claim takes at most its limit of rows, each only once", async () => {
  const first = await claim(2);
  const second = await claim(2);
  expect([first.length, second.length]).toEqual([2, 1]);
  expect([...first, ...second].map(({ key }) => key).sort()).toEqual([...names].sort());
  expect(await claim(2)).toEqual([]);
});

test("a released row can be claimed immediately, with a higher token", async () => {
  const [before] = await claim(1);
  if (!before) throw new Error("nothing was claimed");
  expect(await extendLeases(api.db, leases, [before], -1)).toBe(1);
  const [after] = await claim(1);
  expect(after).toEqual({ key: before.key, token: before.token + 1 });
});

test("a worker whose lease was taken over neither renews nor releases it", async () => {
  const [before] = await claim(1);
  if (!before) throw new Error("nothing was claimed");
  await extendLeases(api.db, leases, [before], -1);
  const [after] = await claim(1);
  expect(await extendLeases(api.db, leases, [before], -1)).toBe(0);
  expect((await claim(3)).map(({ key }) => key)).not.toContain(after?.key);
});

test("a lease that a clock set 40 days ahead can be claimed once the clock is right, a current one can't", async () => {
  const [current, ahead] = await claim(2);
  if (!current || !ahead) throw new Error("nothing was claimed");
  await extendLeases(api.db, leases, [ahead], 40 * 86_400);
  const claimed = (await claim(3)).map(({ key }) => key);
  expect(claimed).toContain(ahead.key);
  expect(claimed).not.toContain(current.key);
});
