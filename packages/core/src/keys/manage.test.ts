import { schema } from "@minutes/db";
import {
  asUser,
  createPersonalKey,
  createTestDatabase,
  createWorkspaceKey,
  type Given,
  givenOn,
  onPostgres,
  type TestDatabase,
} from "@minutes/testing";
import { asc, eq } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { OPERATOR } from "../access/actor.js";
import { joinWorkspace } from "../workspaces/index.js";
import { disableKey, isToken, listKeys, listWorkspaceKeys, regenerateKey, revokeKey } from "./index.js";

let database: TestDatabase;
let given: Given;
beforeAll(async () => {
  database = await createTestDatabase();
  given = givenOn(database.db);
});
afterAll(() => database.close());

const succeeded = (results: PromiseSettledResult<unknown>[]) =>
  results.filter((result) => result.status === "fulfilled").length;

describe("quotas", () => {
  test("409: a fourth personal key; revoked ones don't count, disabled ones do", async () => {
    const { db } = database;
    const anna = await given.person();
    await createPersonalKey(db, anna.userId, "second");
    const third = await createPersonalKey(db, anna.userId, "third");
    const fourth = () => createPersonalKey(db, anna.userId, "fourth");
    const refusal = "A user can have 3 personal keys. Revoke one first.";
    await expect(fourth()).rejects.toMatchObject({ code: "CONFLICT", message: refusal });
    await disableKey(db, OPERATOR, third.id);
    await expect(fourth()).rejects.toThrow(refusal);
    await revokeKey(db, OPERATOR, third.id);
    await expect(fourth()).resolves.toHaveProperty("key");
    await expect(fourth()).rejects.toThrow(refusal);
  });

  test("409: an eleventh workspace key", async () => {
    const company = await given.company();
    for (let key = 2; key <= 10; key++) await given.workspaceKey(company);
    await expect(given.workspaceKey(company)).rejects.toMatchObject({
      code: "CONFLICT",
      message: "A workspace can have 10 workspace keys. Revoke one first.",
    });
  });

  test("100 concurrent creations make exactly three personal keys", async () => {
    const anna = await given.person();
    const other = onPostgres ? (await database.connect()).db : database.db;
    const results = await Promise.allSettled(
      Array.from({ length: 100 }, (_, at) =>
        createPersonalKey(at % 2 ? other : database.db, anna.userId, `key ${at}`),
      ),
    );
    expect(succeeded(results)).toBe(2);
    expect(await listKeys(database.db, { userId: anna.userId })).toHaveLength(3);
  });

  test("100 concurrent creations by two admins make exactly ten workspace keys", async () => {
    const company = await given.company();
    const ben = await given.person();
    await joinWorkspace(database.db, OPERATOR, ben.userId, company.workspaceId, "admin");
    const results = await Promise.allSettled(
      Array.from({ length: 100 }, (_, at) =>
        createWorkspaceKey(database.db, at % 2 ? ben.userId : company.admin.userId, `key ${at}`),
      ),
    );
    expect(succeeded(results)).toBe(9);
    expect(
      (await listWorkspaceKeys(database.db, asUser(company.admin.userId, company.workspaceId))).workspace,
    ).toHaveLength(10);
  });
});

describe("access", () => {
  test("403: a member who is not an admin can create a personal key, but no workspace key", async () => {
    const anna = await given.member(await given.company());
    await expect(createWorkspaceKey(database.db, anna.userId, "mine")).rejects.toMatchObject({
      code: "FORBIDDEN",
      message: "Only a workspace admin can create a workspace key.",
    });
    await expect(createPersonalKey(database.db, anna.userId, "mine")).resolves.toHaveProperty("key");
  });

  test("403: only its owner manages a personal key, not even an admin", async () => {
    const company = await given.company();
    const anna = await given.member(company);
    for (const change of [revokeKey, disableKey, regenerateKey])
      await expect(change(database.db, asUser(company.admin.userId), anna.keyId)).rejects.toMatchObject({
        code: "FORBIDDEN",
      });
    await expect(disableKey(database.db, asUser(anna.userId), anna.keyId)).resolves.toBeUndefined();
  });

  test("403: only its admins manage a workspace key", async () => {
    const company = await given.company();
    const anna = await given.member(company);
    const stranger = await given.company();
    for (const who of [anna, stranger.admin])
      await expect(revokeKey(database.db, asUser(who.userId), company.keyId)).rejects.toMatchObject({
        code: "FORBIDDEN",
      });
    await expect(
      revokeKey(database.db, asUser(company.admin.userId), company.keyId),
    ).resolves.toBeUndefined();
  });

  test("404: a key or a user that doesn't exist", async () => {
    await expect(revokeKey(database.db, OPERATOR, "key_none")).rejects.toMatchObject({ code: "NOT_FOUND" });
    await expect(createPersonalKey(database.db, "usr_none", "x")).rejects.toMatchObject({
      code: "NOT_FOUND",
    });
  });
});

test("a key is shown in full once; afterwards only its beginning and last four characters", async () => {
  const anna = await given.person();
  const [listed] = await listKeys(database.db, { userId: anna.userId });
  expect(isToken("jk_", anna.key)).toBe(true);
  expect(listed).toMatchObject({ prefix: anna.key.slice(0, 7), lastFour: anna.key.slice(-4) });
  expect(JSON.stringify(listed)).not.toContain(anna.key.slice(7, -4));
  const fresh = await regenerateKey(database.db, OPERATOR, anna.keyId);
  const [again] = await listKeys(database.db, { userId: anna.userId });
  expect(again).toMatchObject({ lastFour: fresh.key.slice(-4), lastUsedAt: null });
});

test("every change to a key is in the audit log, without the key", async () => {
  const anna = await given.person();
  const { id } = await given.personalKey(anna);
  await disableKey(database.db, asUser(anna.userId), id);
  await revokeKey(database.db, OPERATOR, id);
  const rows = await database.db
    .select()
    .from(schema.auditLog)
    .where(eq(schema.auditLog.object, id))
    .orderBy(asc(schema.auditLog.id));
  expect(rows.map((row) => [row.actor, row.action])).toEqual([
    [anna.userId, "key.create"],
    [anna.userId, "key.disable"],
    ["operator", "key.revoke"],
  ]);
});
