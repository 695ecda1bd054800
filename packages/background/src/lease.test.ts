import { schema } from "@minutes/db";
import { type TestServer, testServer } from "@minutes/testing";
import { sql } from "drizzle-orm";
import { afterAll, beforeAll, expect, test } from "vitest";
import { claimLeases, extendLeases } from "./lease.js";

const { searchLearning } = schema;

/** A table with a fencing token. */
const leases = {
  table: searchLearning,
  key: searchLearning.workspaceId,
  until: searchLearning.leasedUntil,
  token: searchLearning.attempt,
};

let server: TestServer;
let workspaces: string[];
beforeAll(async () => {
  server = await testServer();
  workspaces = [];
  for (let number = 0; number < 3; number++) workspaces.push((await server.given.company()).workspaceId);
  await server.db.insert(searchLearning).values(
    workspaces.map((workspaceId) => ({
      workspaceId,
      generation: 0,
      attempt: 0,
      leasedUntil: "2025-01-01",
    })),
  );
});
afterAll(() => server.close());

const claim = (limit: number) =>
  claimLeases<{ key: string; token: number }>(server.db, leases, {
    where: sql`${searchLearning.leasedUntil} < now()`,
    orderBy: sql`${searchLearning.workspaceId}`,
    limit,
    lease: 60,
    returning: { key: searchLearning.workspaceId, token: searchLearning.attempt },
  });

test("a claim takes no more rows than its limit, and each row once", async () => {
  const first = await claim(2);
  const second = await claim(2);
  expect([first.length, second.length]).toEqual([2, 1]);
  expect([...first, ...second].map(({ key }) => key).sort()).toEqual([...workspaces].sort());
  expect(await claim(2)).toEqual([]);
  await extendLeases(server.db, leases, [...first, ...second], -1);
});

test("a released row can be claimed at once, with a higher token", async () => {
  const [before] = await claim(1);
  if (!before) throw new Error("nothing was claimed");
  expect(await extendLeases(server.db, leases, [before], -1)).toBe(1);
  const [after] = await claim(1);
  expect(after).toEqual({ key: before.key, token: before.token + 1 });
  await extendLeases(server.db, leases, after ? [after] : [], -1);
});

test("a worker whose lease another one took over neither renews nor releases it", async () => {
  const [before] = await claim(1);
  if (!before) throw new Error("nothing was claimed");
  await extendLeases(server.db, leases, [before], -1);
  const [after] = await claim(1);
  expect(await extendLeases(server.db, leases, [before], -1)).toBe(0);
  expect((await claim(3)).map(({ key }) => key)).not.toContain(after?.key);
});
