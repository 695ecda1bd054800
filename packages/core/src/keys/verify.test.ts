import { openTestApi, type TestApi } from "@minutes/testing";
import { sql } from "drizzle-orm";
import { afterAll, beforeAll, expect, test } from "vitest";
import { OPERATOR } from "../access/actor.js";
import { disableKey, hashToken } from "./index.js";
import { KeyVerifier } from "./verify.js";

let api: TestApi;
beforeAll(async () => {
  api = await openTestApi();
});
afterAll(() => api.close());

/** Verifies keys concurrently and returns the result of each request. */
const verifyAll = async (keys: readonly string[], verifier = new KeyVerifier(api.db)) =>
  (await Promise.all(keys.map((key) => verifier.verify(hashToken(key))))).map((row) => row?.used);

test("requests of one statement are counted one by one in order of arrival", async () => {
  const anna = await api.given.person();
  const boris = await api.given.person();
  const { key: second } = await api.given.personalKey(anna);
  await verifyAll([second]);
  // Both of Anna's keys count against one quota.
  expect(
    await verifyAll([anna.key, boris.key, second, "jk_unknown", anna.key, boris.key, second, anna.key]),
  ).toEqual([2, 1, 3, undefined, 4, 2, 5, 6]);
  expect(await verifyAll([boris.key, anna.key])).toEqual([3, 7]);
});

test("an expired window restarts with all requests of the statement", async () => {
  const { key } = await api.given.person();
  await verifyAll([key, key]);
  await api.db.execute(sql`update rate_windows set started_at = started_at - interval '61 seconds'`);
  expect(await verifyAll([key, key, key])).toEqual([1, 2, 3]);
});

test("a key that is disabled while others wait is invalid; the others are valid", async () => {
  const [anna, boris] = [await api.given.person(), await api.given.person()];
  const verifier = new KeyVerifier(api.db);
  const first = verifyAll([anna.key], verifier);
  await disableKey(api.db, OPERATOR, anna.keyId);
  expect(await verifyAll([anna.key, boris.key], verifier)).toEqual([undefined, 1]);
  await first;
});

test("a statement that fails fails all of its requests, and the next one works", async () => {
  const { key } = await api.given.person();
  const verifier = new KeyVerifier(api.db);
  await api.db.execute(sql`alter table rate_windows rename to away`);
  const failed = Promise.allSettled([
    verifier.verify(hashToken(key)),
    verifier.verify(hashToken("jk_unknown")),
  ]);
  expect((await failed).map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  await api.db.execute(sql`alter table away rename to rate_windows`);
  expect(await verifyAll([key], verifier)).toEqual([1]);
});
