import { createHash } from "node:crypto";
import { schema } from "@minutes/db";
import { startTestServer, type TestServer } from "@minutes/server/testing";
import { type Company, findPayload, type Person } from "@minutes/testing";
import { eq, sql } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { OPERATOR } from "../actor.js";
import { generateToken } from "../keys/index.js";
import { createSession, endAllSessions, endSession, listSessions } from "../sessions/index.js";
import { eraseUser } from "../workspaces/index.js";

let server: TestServer;
let company: Company;
let anna: Person;
let boris: Person;
beforeAll(async () => {
  server = await startTestServer();
  company = await server.given.company();
  anna = await server.given.member(company);
  boris = await server.given.member(company);
});
afterAll(() => server.close());

async function ask(who: Person | string, route: string, input?: object) {
  const token = typeof who === "string" ? who : await server.given.session(who);
  const answer = await server.call(token, `settings/${route}`, input);
  return [answer.status, findPayload(answer) ?? (answer.body as { error: string }).error];
}
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
    await server.db.update(schema.sessions).set({ expiresAt: sql`now()` });
    expect(await ask(old, "members.list")).toEqual(again);
  });

  test("401: a session that its user ended, and every session after a sign-out; 404: another user's session", async () => {
    const [one, two] = [await server.given.session(anna), await server.given.session(anna)];
    const [first] = (await listSessions(server.db, anna.userId)).slice(-1);
    await expect(endSession(server.db, boris.userId, first?.id ?? "")).rejects.toThrow("No such session.");
    await endSession(server.db, anna.userId, first?.id ?? "");
    const statuses = [(await ask(one, "members.list"))[0], (await ask(two, "members.list"))[0]];
    expect(statuses.toSorted()).toEqual([200, 401]);
    await endAllSessions(server.db, OPERATOR, anna.userId);
    for (const token of [one, two]) expect(await ask(token, "members.list")).toEqual(again);
    await expect(
      endAllSessions(server.db, { kind: "user", userId: boris.userId }, anna.userId),
    ).rejects.toThrow("Only this user can do this.");
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

describe("members", () => {
  test("200: lists them; only an admin sets roles and removes others; everyone can leave", async () => {
    const [, list] = await ask(anna, "members.list");
    expect((list as { members: { email: string }[] }).members.map(({ email }) => email)).toEqual(
      [company.admin.email, anna.email, boris.email].sort((a, b) =>
        a === company.admin.email ? -1 : b === company.admin.email ? 1 : a < b ? -1 : 1,
      ),
    );
    const onlyAdmins = [403, "Only a workspace admin can do this."];
    expect(await ask(anna, "members.setRole", { userId: boris.userId, role: "admin" })).toEqual(onlyAdmins);
    expect(await ask(anna, "members.remove", { userId: boris.userId })).toEqual(onlyAdmins);
    const leaver = await server.given.member(company);
    expect(await ask(leaver, "members.remove", { userId: leaver.userId })).toEqual(done);
    const removed = await server.given.member(company);
    expect(await ask(company.admin, "members.remove", { userId: removed.userId })).toEqual(done);
  });

  test("404: users of another workspace look unknown", async () => {
    const stranger = await server.given.person();
    for (const userId of [stranger.userId, "usr_no"]) {
      const noMember = [404, "No such member."];
      expect(await ask(company.admin, "members.remove", { userId })).toEqual(noMember);
      expect(await ask(company.admin, "members.setRole", { userId, role: "member" })).toEqual(noMember);
    }
    const unknown = [404, "No user has this e-mail address."];
    const meeting = await server.given.meeting(anna);
    const share = { meetingId: meeting.meetingId, email: stranger.email };
    expect(await ask(anna, "meetings.share", share)).toEqual(unknown);
    expect(await ask(anna, "meetings.share", { ...share, email: "no@example.com" })).toEqual(unknown);
  });
});

describe("shares and tags", () => {
  test("200: sharing and unsharing take effect immediately in lists, gets, search and tasks", async () => {
    const seen = async (meetingId: string) => {
      const get = await server.call(boris.key, "me/meetings.get", { meetingId });
      const list = await server.data(boris.key, "me/meetings.list");
      const tasks = await server.data(boris.key, "me/tasks.list", { meetingId });
      const found = await server.data(boris.key, "me/meetings.search", { query: "zymurgy" });
      return [
        get.status === 200,
        list.meetings.some(({ id }) => id === meetingId),
        tasks.tasks.length > 0,
        found.results.some((chunk) => chunk.meetingId === meetingId),
      ];
    };
    const [all, none] = [Array(4).fill(true), Array(4).fill(false)];
    const { meetingId } = await server.given.meeting(anna, {
      transcript: [{ speakerId: "s", speakerName: "Anna", text: "About zymurgy." }],
      tasks: [{ text: "Brew" }],
    });
    const share = { meetingId, email: boris.email };
    expect(await seen(meetingId)).toEqual(none);
    expect(await ask(anna, "meetings.share", share)).toEqual(done);
    expect(await seen(meetingId)).toEqual(all);
    const [, shares] = await ask(anna, "shares.list", { meetingId });
    expect(shares).toMatchObject({ shares: [{ email: boris.email }] });
    expect(await ask(anna, "meetings.unshare", share)).toEqual(done);
    expect(await seen(meetingId)).toEqual(none);

    expect(await ask(anna, "meetings.tag", { meetingId, name: "Beer" })).toEqual(done);
    const [, list] = await ask(anna, "tags.list");
    const [tag] = (list as { tags: { id: string; name: string }[] }).tags.filter(
      ({ name }) => name === "Beer",
    );
    const tagId = tag?.id ?? "";
    expect(await ask(anna, "tags.share", { tagId, email: boris.email })).toEqual(done);
    expect(await seen(meetingId)).toEqual(all);
    expect(await ask(anna, "meetings.untag", { meetingId, tagId })).toEqual(done);
    expect(await seen(meetingId)).toEqual(none);
    await ask(anna, "meetings.tag", { meetingId, name: "Beer" });
    expect(await seen(meetingId)).toEqual(all);
    expect(await ask(anna, "members.remove", { userId: anna.userId })).toEqual(done);
    expect(await seen(meetingId)).toEqual(none);
    await server.given.joins(anna, company);
  });
});

test("404: another user's tag can't be shared, unshared or deleted, like an unknown one", async () => {
  const { meetingId } = await server.given.meeting(anna);
  await ask(anna, "meetings.tag", { meetingId, name: "Mine" });
  const [, { tags }] = (await ask(anna, "tags.list")) as [number, { tags: { id: string; name: string }[] }];
  const tagId = tags.find(({ name }) => name === "Mine")?.id;
  for (const id of [tagId, "tag_none"]) {
    for (const name of ["tags.share", "tags.unshare"]) {
      const answer = await ask(boris, name, { tagId: id, email: anna.email });
      expect(answer).toEqual([404, "No such tag."]);
    }
    expect(await ask(boris, "tags.delete", { tagId: id })).toEqual([404, "No such tag."]);
  }
});

describe("vocabulary", () => {
  test("200: two lists, which a recorder reads; 403: only admins change the team's", async () => {
    expect(await ask(anna, "vocabulary.add", { list: "personal", term: " Zeta " })).toEqual(done);
    expect(await ask(anna, "vocabulary.add", { list: "personal", term: "Zeta" })).toEqual(done);
    expect(await ask(anna, "vocabulary.add", { list: "personal", term: "Ähre" })).toEqual(done);
    expect(await ask(anna, "vocabulary.add", { list: "team", term: "Mire" })).toEqual([
      403,
      "Only a workspace admin can do this.",
    ]);
    expect(await ask(company.admin, "vocabulary.add", { list: "team", term: "Mire" })).toEqual(done);
    const both = { personal: ["Zeta", "Ähre"], team: ["Mire"] };
    expect(await ask(anna, "vocabulary.list")).toEqual([200, both]);
    const key = await server.given.ingestKey(company);
    const read = await server.call(key, "ingest/vocabulary.get", { ownerEmail: anna.email });
    expect(read.body).toEqual({ result: { data: { json: both } } });
    expect(await ask(anna, "vocabulary.remove", { list: "personal", term: "Zeta" })).toEqual(done);
    expect(await ask(anna, "vocabulary.remove", { list: "personal", term: "Zeta" })).toEqual([
      404,
      "No such term.",
    ]);
    expect((await ask(anna, "vocabulary.add", { list: "personal", term: "x".repeat(101) }))[0]).toBe(400);
    expect((await ask(anna, "vocabulary.add", { list: "personal", term: "x".repeat(100) }))[0]).toBe(200);
  });

  test.each([
    ["pro", 50],
    ["team", 100],
    ["enterprise", 250],
  ] as const)("409: %s has %i terms per list", async (plan, allowed) => {
    const theirs = await server.given.company({ plan });
    const terms = Array.from({ length: allowed - 1 }, (_, term) => ({
      id: `trm_${plan}_${term}`,
      workspaceId: theirs.workspaceId,
      term: `Term ${term}`,
    }));
    await server.db.insert(schema.vocabularyTerms).values(terms);
    expect(await ask(theirs.admin, "vocabulary.add", { list: "team", term: "The last" })).toEqual(done);
    expect(await ask(theirs.admin, "vocabulary.add", { list: "team", term: "One more" })).toEqual([
      409,
      "The list is full. Remove a term first, or choose a plan that allows more.",
    ]);
    expect(await ask(theirs.admin, "vocabulary.add", { list: "personal", term: "Own" })).toEqual(done);
  });
});

describe("credentials of members who leave", () => {
  test("200: an admin sees the credentials a member created, and revokes them with the membership; 403: a member", async () => {
    const theirs = await server.given.company();
    const second = await server.given.member(theirs);
    const third = await server.given.member(theirs);
    expect(await ask(theirs.admin, "members.setRole", { userId: second.userId, role: "admin" })).toEqual(
      done,
    );
    const [, made] = await ask(second, "keys.create", { kind: "workspace", name: "CI" });
    const { id, key } = made as { id: string; key: string };
    const [, listed] = await ask(theirs.admin, "keys.listWorkspace");
    expect((listed as { workspace: object[] }).workspace).toContainEqual(
      expect.objectContaining({ id, createdBy: { userId: second.userId, email: second.email } }),
    );
    const created = { userId: second.userId };
    expect((await ask(third, "members.credentials", created))[0]).toBe(403);
    expect(await ask(theirs.admin, "members.credentials", created)).toEqual([
      200,
      { credentials: [{ kind: "workspace key", id, name: "CI" }] },
    ]);
    expect((await server.call(key, "workspace/meetings.list")).status).toBe(200);
    const removal = { ...created, revokeCredentials: true };
    expect((await ask(third, "members.remove", removal))[0]).toBe(403);
    expect(await ask(theirs.admin, "members.remove", removal)).toEqual(done);
    expect((await server.call(key, "workspace/meetings.list")).status).toBe(401);
  });
});

describe("plan and keys", () => {
  test("200: plan, limits and usage", async () => {
    expect(await ask(anna, "plan.get")).toEqual([
      200,
      { plan: "team", limits: expect.objectContaining({ creditsPerMonth: null }), creditsUsed: 0 },
    ]);
  });

  test("200: creates a read-only key with an expiry; 400: one that expires in the past, or an ingest key", async () => {
    const terms = { access: "read", expiresAt: "2099-12-31" };
    const [status, made] = await ask(anna, "keys.create", { kind: "personal", name: "Agent", ...terms });
    expect(status).toBe(200);
    const { id, key } = made as { id: string; key: string };
    const [, { personal }] = (await ask(anna, "keys.list")) as [number, { personal: { id: string }[] }];
    const listed = { access: "read", expiresAt: "2099-12-31T23:59:59.999Z" };
    expect(personal.find((one) => one.id === id)).toMatchObject(listed);
    expect(personal.find((one) => one.id === anna.keyId)).toMatchObject({ access: "full", expiresAt: null });
    expect((await server.call(key, "me/tasks.update", { taskId: "x", completed: true })).status).toBe(403);
    for (const [refused, sentence] of [
      [{ kind: "personal", expiresAt: "2020-01-01" }, "expiresAt must be in the future."],
      [{ kind: "personal", expiresAt: "soon" }, expect.stringContaining("expiresAt")],
      [{ kind: "personal", access: "write" }, expect.stringContaining("access")],
      [{ kind: "ingest", access: "read" }, "kind: an ingest key takes neither access nor expiresAt"],
    ] as const)
      expect(await ask(company.admin, "keys.create", { name: "No", ...refused })).toEqual([400, sentence]);
    expect(await ask(anna, "keys.revoke", { keyId: id })).toEqual(done);
  });

  test("200: creates, lists and revokes keys; 403: only admins manage a workspace's keys", async () => {
    const [status, made] = await ask(boris, "keys.create", { kind: "personal", name: "Laptop" });
    expect(status).toBe(200);
    const { id, key } = made as { id: string; key: string };
    expect((await server.call(key, "me/meetings.list")).status).toBe(200);
    const [, list] = await ask(boris, "keys.list");
    expect(JSON.stringify(list)).toContain(id);
    expect(JSON.stringify(list)).not.toContain(key);
    expect(await ask(anna, "keys.revoke", { keyId: id })).toEqual([
      403,
      "Only its owner can manage this key.",
    ]);
    expect(await ask(boris, "keys.revoke", { keyId: id })).toEqual(done);
    expect((await server.call(key, "me/meetings.list")).status).toBe(401);

    expect((await ask(boris, "keys.create", { kind: "ingest", name: "Recorder" }))[0]).toBe(403);
    expect((await ask(boris, "keys.listWorkspace"))[0]).toBe(403);
    const [, ingest] = await ask(company.admin, "keys.create", { kind: "ingest", name: "Recorder" });
    const recorder = ingest as { id: string; key: string };
    expect(recorder.key).toMatch(/^ik_/);
    const read = () => server.call(recorder.key, "ingest/vocabulary.get", { ownerEmail: anna.email });
    expect((await read()).status).toBe(200);
    for (const action of ["disableIngest", "enableIngest", "revokeIngest"])
      expect((await ask(boris, `keys.${action}`, { keyId: recorder.id }))[0]).toBe(403);
    expect(await ask(company.admin, "keys.disableIngest", { keyId: recorder.id })).toEqual(done);
    const { status: refused, body } = await read();
    expect([refused, body]).toEqual([401, { error: "Invalid API key" }]);
    const [, listed] = await ask(company.admin, "keys.listWorkspace");
    expect((listed as { ingest: object[] }).ingest).toContainEqual(
      expect.objectContaining({ id: recorder.id, disabledAt: expect.any(String) }),
    );
    expect(await ask(company.admin, "keys.enableIngest", { keyId: recorder.id })).toEqual(done);
    expect((await read()).status).toBe(200);
    expect(await ask(company.admin, "keys.revokeIngest", { keyId: recorder.id })).toEqual(done);
    expect(await ask(company.admin, "keys.enableIngest", { keyId: recorder.id })).toEqual([
      409,
      "This key is revoked. Create a new one.",
    ]);
    expect((await read()).status).toBe(401);
  });
});
