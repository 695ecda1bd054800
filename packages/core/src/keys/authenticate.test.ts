import { connectPostgres } from "@minutes/db";
import { startTestServer, type TestServer } from "@minutes/server/testing";
import { createPersonalKey, createWorkspaceKey, needs, openWire, send } from "@minutes/testing";
import { sql } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { OPERATOR } from "../access/actor.js";
import { disableKey, enableKey, generateToken, regenerateKey, revokeKey } from "./index.js";

let server: TestServer;
/** Another instance of the same installation. The embedded engine has only one. */
let second: TestServer;
beforeAll(async () => {
  server = await startTestServer();
  second = await startTestServer({ database: server.database });
});
afterAll(async () => {
  await second.close();
  await server.close();
});

const INVALID = [401, { error: "Invalid API key" }];
const ask = async (key: string, where = server) => {
  const { status, body } = await where.call(key, "me/tags.list");
  return [status, body];
};
const everywhere = async (key: string) => [await ask(key), await ask(key, second)];
const works = [200, expect.anything()];

describe("a change to a key takes effect with the next call, on every instance", () => {
  test("401: disabled, until it is enabled", async () => {
    const { key, keyId } = await server.given.person();
    expect(await everywhere(key)).toEqual([works, works]);
    await disableKey(server.db, OPERATOR, keyId);
    expect(await everywhere(key)).toEqual([INVALID, INVALID]);
    await enableKey(server.db, OPERATOR, keyId);
    expect(await everywhere(key)).toEqual([works, works]);
  });

  test("401: revoked, permanently", async () => {
    const { key, keyId } = await server.given.person();
    expect(await everywhere(key)).toEqual([works, works]);
    await revokeKey(server.db, OPERATOR, keyId);
    expect(await everywhere(key)).toEqual([INVALID, INVALID]);
    await expect(enableKey(server.db, OPERATOR, keyId)).rejects.toThrow("This key is revoked.");
    await expect(regenerateKey(server.db, OPERATOR, keyId)).rejects.toThrow("This key is revoked.");
    expect(await ask(key)).toEqual(INVALID);
  });

  test("401: the old value of a regenerated key; the new one works", async () => {
    const { key, keyId } = await server.given.person();
    const fresh = await regenerateKey(server.db, OPERATOR, keyId);
    expect(fresh.id).toBe(keyId);
    expect(await everywhere(key)).toEqual([INVALID, INVALID]);
    expect(await everywhere(fresh.key)).toEqual([works, works]);
  });

  test("401: a regenerated key stays disabled", async () => {
    const { keyId } = await server.given.person();
    await disableKey(server.db, OPERATOR, keyId);
    const fresh = await regenerateKey(server.db, OPERATOR, keyId);
    expect(await ask(fresh.key)).toEqual(INVALID);
  });

  test("401: disabled, revoked and regenerated workspace keys", async () => {
    const company = await server.given.company();
    expect((await server.call(company.key, "workspace/tasks.list")).status).toBe(200);
    await revokeKey(server.db, OPERATOR, company.keyId);
    expect((await second.call(company.key, "workspace/tasks.list")).status).toBe(401);
  });
});

test("401: a key that has expired; it works until then", async () => {
  const { key, keyId } = await server.given.person();
  const expire = (interval: string) =>
    server.db.execute(
      sql`update api_keys set expires_at = now() + ${interval}::interval where id = ${keyId}`,
    );
  await expire("1 minute");
  expect(await everywhere(key)).toEqual([works, works]);
  await expire("-1 millisecond");
  expect(await everywhere(key)).toEqual([INVALID, INVALID]);
});

describe("a read key", () => {
  const READ_ONLY = [403, { error: "This API key is read-only." }];

  test("403: every write of its kind, before the input is read; nothing is changed", async () => {
    const company = await server.given.company();
    const { meetingId } = await server.given.richMeeting(company.admin);
    const keys = [
      await createPersonalKey(server.db, company.admin.userId, "read", { access: "read" }),
      await createWorkspaceKey(server.db, company.admin.userId, "read", { access: "read" }),
    ];
    for (const [at, route] of ["me", "workspace"].entries()) {
      const { key = "" } = keys[at] ?? {};
      const page = await server.call(key, `${route}/tasks.list`);
      expect([page.status, JSON.stringify(page.body)]).toEqual([200, expect.stringContaining(meetingId)]);
      for (const [procedure, input] of [
        ["meetings.delete", { meetingId }],
        ["meetings.delete", { meetingId: 7 }],
        ["tasks.update", { taskId: "none", completed: true }],
      ] as const) {
        const { status, body } = await server.call(key, `${route}/${procedure}`, input);
        expect([status, body]).toEqual(READ_ONLY);
      }
      const { status, body } = await send(server.url, `/v1/${route}/tasks.update`, {
        method: "POST",
        headers: { "x-api-key": key, "content-type": "text/plain" },
        body: "{",
      });
      expect([status, body]).toEqual(READ_ONLY);
    }
    expect((await server.call(company.admin.key, "me/meetings.get", { meetingId })).status).toBe(200);
  });

  test("403: the wrong kind, 404: an unknown procedure and 405: a wrong method come first", async () => {
    const anna = await server.given.person();
    const { key } = await createPersonalKey(server.db, anna.userId, "read", { access: "read" });
    expect((await server.call(key, "workspace/tasks.update", { taskId: "x" })).body).toEqual({
      error: "This endpoint requires a workspace-scoped API key.",
    });
    const post = { method: "POST", headers: { "x-api-key": key } };
    expect((await send(server.url, "/v1/me/tasks.remove", post)).status).toBe(404);
    expect((await send(server.url, "/v1/me/tasks.list", post)).status).toBe(405);
  });
});

describe("401: not a key", () => {
  const good = generateToken("jk_");
  test.each([
    ["never issued", good],
    ["an ingest credential", generateToken("ik_")],
    ["a wrong checksum", `${good.slice(0, -1)}${good.endsWith("0") ? "1" : "0"}`],
    ["one character more", `${good}0`],
    ["another case", good.toUpperCase()],
    ["another prefix", `sk_${good.slice(3)}`],
    ["a bearer token", `Bearer ${good}`],
    ["SQL", "jk_' or '1'='1"],
    ["latin-1 bytes", "jk_\u00e9\u00e9"],
    ["eight thousand characters", "jk_".padEnd(8_000, "a")],
  ])("%s", async (_name, key) => {
    expect(await ask(key)).toEqual(INVALID);
  });

  test("two keys in one header line", async () => {
    const { key } = await server.given.person();
    expect(await ask(`${key}, ${key}`)).toEqual(INVALID);
  });

  test("a valid key in Authorization or the query counts as none", async () => {
    const { key } = await server.given.person();
    const answer = await server.call(null, "me/tags.list", undefined, {
      headers: { authorization: `Bearer ${key}` },
    });
    expect(answer.body).toEqual({ error: "Missing API key. Use header: x-api-key: <key>" });
  });

  test("malformed keys cost no query: the answer is the same with a dead database", async () => {
    const dead = await connectPostgres({ url: "postgres://nobody@127.0.0.1:9/none", migrate: false });
    const alone = await startTestServer({ connection: dead, database: server.database, deadline: 2_000 });
    expect(await ask("jk_junk", alone)).toEqual(INVALID);
    expect((await alone.call(null, "me/tags.list")).status).toBe(401);
    expect(await ask(generateToken("jk_"), alone)).toEqual([503, { error: "Service unavailable" }]);
    await alone.close();
    await dead.close();
  });
});

test("200: header names in any case", async () => {
  const { key } = await server.given.person();
  const answer = await server.call(null, "me/tags.list", undefined, { headers: { "X-API-Key": key } });
  expect(answer.status).toBe(200);
});

test("the time of a key's last use is stored, at most once a minute", async () => {
  const { key, keyId } = await server.given.person();
  const lastUsed = async () => {
    const rows = await server.db
      .select({ at: sql<string | null>`last_used_at::text`, updated: sql<string>`updated_at::text` })
      .from(sql`api_keys where id = ${keyId}`);
    return rows[0]?.at ?? null;
  };
  expect(await lastUsed()).toBeNull();
  await ask(key);
  await expect.poll(lastUsed).not.toBeNull();
  await server.db.execute(
    sql`update api_keys set last_used_at = now() - interval '40 seconds' where id = ${keyId}`,
  );
  const recent = await lastUsed();
  await ask(key);
  // Longer than uses are collected.
  await new Promise((resolve) => setTimeout(resolve, 1_200));
  expect(await lastUsed()).toBe(recent);
  await server.db.execute(
    sql`update api_keys set last_used_at = now() - interval '61 seconds' where id = ${keyId}`,
  );
  const old = await lastUsed();
  await ask(key);
  await expect.poll(lastUsed).not.toBe(old);
});

describe("round trips", needs("postgres"), () => {
  test("a call takes two round trips: one for key and quota, one for its statement", async () => {
    const wire = await openWire(server.database.url ?? "");
    const connection = await connectPostgres({ url: wire.url, migrate: false, poolSize: 1 });
    const instance = await startTestServer({ connection, database: server.database });
    const { key } = await server.given.person();
    const costOf = async (route: string) => {
      await instance.call(key, route); // prepares the statements and records the key's first use
      const costs: number[] = [];
      for (let call = 0; call < 4; call++) {
        const before = wire.roundTrips();
        await instance.call(key, route);
        costs.push(wire.roundTrips() - before);
      }
      // The first call's recorded use can be stored during a later call.
      return Math.min(...costs);
    };
    expect(await costOf("workspace/meetings.list")).toBe(1);
    expect(await costOf("me/nothing")).toBe(1);
    for (const route of ["me/meetings.list", "me/tasks.list", "me/tags.list"])
      expect([route, await costOf(route)]).toEqual([route, 2]);
    await instance.close();
    await connection.close();
    await wire.close();
  });
});

test("only the displayed part of a key is stored in plain text", async () => {
  const company = await server.given.company();
  const tables = await server.db
    .select({ name: sql<string>`tablename` })
    .from(sql`pg_tables where schemaname = 'public'`);
  expect(tables.length).toBeGreaterThan(15);
  for (const { name } of tables) {
    for (const { key } of [company, company.admin]) {
      const found = await server.db
        .select({ row: sql<string>`t::text` })
        .from(sql`${sql.identifier(name)} t where t::text like ${`%${key.slice(8, -5)}%`}`);
      expect([name, found]).toEqual([name, []]);
    }
  }
});
