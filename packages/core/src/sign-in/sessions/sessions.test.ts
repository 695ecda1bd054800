import { createHash } from "node:crypto";
import { schema } from "@minutes/db";
import { type TestServer, useColleagues } from "@minutes/server/testing";
import { asUser, type Company, createSettingsCalls, type Person } from "@minutes/testing";
import { eq, sql } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { OPERATOR } from "../../access/actor.js";
import { generateToken } from "../../keys/index.js";
import { eraseUser } from "../../workspaces/index.js";
import { createSession } from "./create.js";
import { endAllSessions, endSession, listSessions } from "./manage.js";

let server: TestServer;
let company: Company;
let anna: Person;
let boris: Person;
useColleagues((colleagues) => {
  ({ server, company, anna, boris } = colleagues);
});

const ask = createSettingsCalls(() => server);
const done = [200, { success: true }];

describe("a sign-in", () => {
  const again = [401, "The sign-in is not valid or has expired. Sign in again."];
  /** Makes the user's sessions this many seconds older. */
  const age = (seconds: number) =>
    server.db
      .update(schema.sessions)
      .set({
        createdAt: sql`created_at - make_interval(secs => ${seconds})`,
        expiresAt: sql`expires_at - make_interval(secs => ${seconds})`,
        lastUsedAt: sql`last_used_at - make_interval(secs => ${seconds})`,
      })
      .where(eq(schema.sessions.userId, anna.userId));

  test("401: none, an unknown or changed token, another scheme, an API key", async () => {
    const none = await server.call(null, "settings/members.list");
    expect([none.status, none.body]).toEqual([
      401,
      { error: "Sign in first: Authorization: Bearer <token>" },
    ]);
    const token = await server.given.session(anna);
    const changed = token.replace(/.$/, (last) => (last === "A" ? "B" : "A"));
    for (const wrong of [generateToken("mst_"), changed, anna.key, "mst_", "mst_a.b.c"]) {
      expect(await ask(wrong, "members.list")).toEqual(again);
    }
    const basic = { headers: { authorization: `Basic ${token}` } };
    expect((await server.call(null, "settings/members.list", undefined, basic)).status).toBe(401);
  });

  test("401: a token after an hour; 200 until then", async () => {
    const token = await server.given.session(anna);
    await age(3_590);
    expect((await ask(token, "members.list"))[0]).toBe(200);
    await age(11);
    expect(await ask(token, "members.list")).toEqual(again);
  });

  test("401: a browser's session after a week without use, or 30 days; 200 until then", async () => {
    const create = async () => (await createSession(server.db, anna.userId, "browser", "Firefox")).token;
    const used = await create();
    await age(7 * 86_400 - 60);
    expect((await ask(used, "members.list"))[0]).toBe(200);
    const unused = await create();
    await age(7 * 86_400 + 1);
    expect(await ask(unused, "members.list")).toEqual(again);
    const old = await create();
    await server.db.update(schema.sessions).set({ expiresAt: sql`now() - interval '1 second'` });
    expect(await ask(old, "members.list")).toEqual(again);
  });

  test("401: a session that its user ended, and every session after a sign-out; 404: another user's session", async () => {
    const member = await server.given.member(company);
    const [one, two] = [await server.given.session(member), await server.given.session(member)];
    const [first] = await listSessions(server.db, member.userId);
    await expect(endSession(server.db, boris.userId, first?.id ?? "")).rejects.toThrow("No such session.");
    await endSession(server.db, member.userId, first?.id ?? "");
    const statuses = [(await ask(one, "members.list"))[0], (await ask(two, "members.list"))[0]];
    expect(statuses.toSorted()).toEqual([200, 401]);
    await endAllSessions(server.db, OPERATOR, member.userId);
    for (const token of [one, two]) expect(await ask(token, "members.list")).toEqual(again);
    await expect(endAllSessions(server.db, asUser(boris.userId), member.userId)).rejects.toThrow(
      "Only this user can do this.",
    );
  });

  test("401: a member who was removed, and a user who was erased", async () => {
    const removed = await server.given.member(company);
    const token = await server.given.session(removed);
    expect(await ask(company.admin, "members.remove", { userId: removed.userId })).toEqual(done);
    expect(await ask(token, "members.list")).toEqual(again);
    const erased = await server.given.session(removed);
    await eraseUser(server.db, OPERATOR, removed.userId);
    expect(await ask(erased, "members.list")).toEqual(again);
  });

  test("a session is stored by its hash, and its token is nowhere", async () => {
    const token = await server.given.session(boris);
    const rows = await server.db
      .select()
      .from(schema.sessions)
      .where(eq(schema.sessions.userId, boris.userId));
    expect(rows.map(({ hash }) => Buffer.from(hash).toString("hex"))).toContain(
      createHash("sha256").update(token).digest("hex"),
    );
    expect(JSON.stringify(rows)).not.toContain(token);
    expect(JSON.stringify(await listSessions(server.db, boris.userId))).not.toMatch(/hash|mst_/);
  });

  test("401: a token opens neither /v1 nor ingest", async () => {
    for (const path of ["/v1/me/meetings.list", "/ingest/v1/vocabulary.get"]) {
      const headers = { "x-api-key": await server.given.session(anna) };
      const response = await fetch(`${server.url}${path}`, { headers });
      expect(response.status).toBe(401);
    }
  });
});
