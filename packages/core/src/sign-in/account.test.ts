import { schema } from "@minutes/db";
import { startTestServer, type TestServer } from "@minutes/server/testing";
import {
  givePassword,
  openSignedInBrowser,
  PASSWORD,
  type Person,
  readPayload,
  testBrowser,
} from "@minutes/testing";
import { eq, sql } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { OPERATOR } from "../access/actor.js";
import { leaveWorkspace } from "../workspaces/index.js";
import { createSignInToken } from "./links.js";
import { endAllSessions } from "./sessions/manage.js";

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.close());

const NEW = "another long password";
const signIn = ({ email }: Person, password: string) =>
  testBrowser(server).write("identity/v1/password.signIn", { email, password });

describe("the account", () => {
  test("a session cookie reads the caller's own meetings, with a separate quota for the console", async () => {
    const anna = await server.given.person();
    const { meetingId } = await server.given.meeting(anna);
    const browser = await openSignedInBrowser(server, anna);
    const list = readPayload<{ meetings: { id: string }[] }>(await browser.read("console/v1/meetings.list"));
    expect(list.meetings.map(({ id }) => id)).toEqual([meetingId]);
    const scopes = (await server.db.select().from(schema.rateWindows)).map(({ scope }) => scope);
    expect(scopes).toContain(`console:${anna.userId}`);
    const stranger = await openSignedInBrowser(server, await server.given.person());
    expect((await stranger.read("console/v1/meetings.get", { meetingId })).status).toBe(403);
    expect((await testBrowser(server).read("console/v1/meetings.list")).status).toBe(401);
  });

  test("a changed password immediately ends all other sessions and links, and the old password", async () => {
    const anna = await server.given.person();
    const browser = await givePassword(server, anna);
    const other = await openSignedInBrowser(server, anna);
    const link = await createSignInToken(server.db, anna.userId);
    readPayload(await browser.write("settings/v1/account.setPassword", { current: PASSWORD, password: NEW }));
    expect((await browser.read("settings/v1/account.get")).status).toBe(200);
    expect((await other.read("settings/v1/account.get")).status).toBe(401);
    expect((await testBrowser(server).write("identity/v1/link.use", { token: link })).status).toBe(401);
    expect((await signIn(anna, PASSWORD)).status).toBe(401);
    expect((await signIn(anna, NEW)).status).toBe(200);
  });

  test("403: a wrong or missing current password changes nothing", async () => {
    const anna = await server.given.person();
    const browser = await givePassword(server, anna);
    for (const current of ["wrong password 1", null]) {
      const answer = await browser.write("settings/v1/account.setPassword", { current, password: NEW });
      expect(answer.status).toBe(403);
    }
    expect((await signIn(anna, PASSWORD)).status).toBe(200);
  });

  test("403: a session older than 15 minutes can't change how to sign in or create keys until its user signs in again", async () => {
    const anna = await server.given.person();
    const browser = await openSignedInBrowser(server, anna);
    const { passkeys, companyAccounts, sessions } = schema;
    const bytes = Buffer.from("x".repeat(16));
    await server.db.insert(passkeys).values({
      ...{ id: `pk_${anna.userId}`, userId: anna.userId, name: "Laptop", counter: 0 },
      ...{ credentialId: Buffer.from(anna.userId), publicKey: bytes },
    });
    const issuer = "https://login.example.com";
    await server.db
      .insert(companyAccounts)
      .values({ id: `acc_${anna.userId}`, userId: anna.userId, issuer, subject: anna.userId });
    const changes: [string, object][] = [
      ["account.setPassword", { current: null, password: NEW }],
      ["account.deletePasskey", { passkeyId: `pk_${anna.userId}` }],
      ["account.deleteCompanyAccount", { accountId: `acc_${anna.userId}` }],
      ["keys.create", { kind: "personal", name: "Stolen" }],
      ["keys.regenerate", { keyId: anna.keyId }],
    ];
    await server.db
      .update(sessions)
      .set({ createdAt: sql`now() - interval '16 minutes'` })
      .where(eq(sessions.userId, anna.userId));
    for (const [procedure, input] of changes) {
      const { status, headers, body } = await browser.write(`settings/v1/${procedure}`, input);
      expect([procedure, status, headers["x-sign-in"], body]).toEqual([
        procedure,
        403,
        "again",
        { error: "Sign in again first: this requires a sign-in within the last 15 minutes." },
      ]);
    }
    expect((await server.call(anna.key, "me/tags.list")).status).toBe(200);
    const token = await createSignInToken(server.db, anna.userId);
    readPayload(await browser.write("identity/v1/link.use", { token }));
    for (const [procedure, input] of changes)
      expect([procedure, (await browser.write(`settings/v1/${procedure}`, input)).status]).toEqual([
        procedure,
        200,
      ]);
  });

  test("an old session can change the password with the current one", async () => {
    const anna = await server.given.person();
    const browser = await givePassword(server, anna);
    await server.db.update(schema.sessions).set({ createdAt: sql`now() - interval '16 minutes'` });
    readPayload(await browser.write("settings/v1/account.setPassword", { current: PASSWORD, password: NEW }));
  });

  test("a user lists and ends their own sessions, and nobody else's", async () => {
    const anna = await server.given.person();
    const [here, there] = [await openSignedInBrowser(server, anna), await openSignedInBrowser(server, anna)];
    const stranger = await openSignedInBrowser(server, await server.given.person());
    const list = async () =>
      readPayload<{ sessions: { id: string; current: boolean; label: string }[] }>(
        await here.read("settings/v1/account.listSessions"),
      ).sessions;
    const sessions = await list();
    expect(sessions.map(({ current, label }) => [current, label]).sort()).toEqual([
      [false, "Test browser"],
      [true, "Test browser"],
    ]);
    const sessionId = sessions.find(({ current }) => !current)?.id;
    const end = { sessionId };
    expect((await stranger.write("settings/v1/account.endSession", end)).status).toBe(404);
    readPayload(await here.write("settings/v1/account.endSession", end));
    expect((await there.read("settings/v1/account.get")).status).toBe(401);
    expect(await list()).toHaveLength(1);
  });

  test("an idle session that has ended is not listed", async () => {
    const anna = await server.given.person();
    const [here] = [await openSignedInBrowser(server, anna), await openSignedInBrowser(server, anna)];
    const { sessions } = schema;
    const longAgo = sql`now() - make_interval(secs => ${sessions.idleSeconds} + 1)`;
    const list = async () =>
      readPayload<{ sessions: { id: string; current: boolean }[] }>(
        await here.read("settings/v1/account.listSessions"),
      ).sessions;
    const other = (await list()).find(({ current }) => !current)?.id ?? "";
    await server.db.update(sessions).set({ lastUsedAt: longAgo }).where(eq(sessions.id, other));
    expect((await list()).map(({ current }) => current)).toEqual([true]);
  });

  test("the operator's sign-out and a removal end sessions and links immediately", async () => {
    const company = await server.given.company();
    const [anna, ben] = [await server.given.member(company), await server.given.member(company)];
    const browsers = [await openSignedInBrowser(server, anna), await openSignedInBrowser(server, ben)];
    const link = await createSignInToken(server.db, anna.userId);
    await endAllSessions(server.db, OPERATOR, anna.userId);
    await leaveWorkspace(server.db, OPERATOR, ben.userId);
    for (const browser of browsers) expect((await browser.read("console/v1/meetings.list")).status).toBe(401);
    expect((await testBrowser(server).write("identity/v1/link.use", { token: link })).status).toBe(401);
  });
});

test("403: a page's call after another account signed in in the same browser; nothing changes", async () => {
  const [anna, ben] = [await server.given.person({ name: "Anna" }), await server.given.person()];
  const browser = await openSignedInBrowser(server, anna);
  const [shown, other] = [anna, ben].map(({ userId }) => ({ "x-user-id": userId }));
  const change = (headers: Record<string, string> = {}) =>
    browser.write("settings/v1/account.update", { name: "Changed" }, { headers });
  const refused = await change(other);
  expect([refused.status, refused.headers["x-sign-in"]]).toEqual([403, "other"]);
  expect((await browser.read("console/v1/meetings.list", {}, { headers: { ...other } })).status).toBe(403);
  const { name } = readPayload<{ name: string }>(await browser.read("settings/v1/account.get"));
  expect(name).toBe("Anna");
  expect((await change(shown)).status).toBe(200);
});

describe("other sites' pages", () => {
  const FOREIGN = [
    { "sec-fetch-site": "cross-site" },
    { "sec-fetch-site": "same-site" },
    { "sec-fetch-site": "none" },
  ];

  test("403: a change with the session's cookie, in any form; nothing changes", async () => {
    const anna = await server.given.person({ name: "Anna" });
    const browser = await openSignedInBrowser(server, anna);
    const change = (headers: Record<string, string>) =>
      browser.write("settings/v1/account.update", { name: "Changed" }, { headers });
    for (const headers of FOREIGN) expect((await change(headers)).status).toBe(403);
    expect((await change({ "content-type": "text/plain" })).status).toBe(415);
    const { cookie } = browser;
    const send = (headers: Record<string, string>) =>
      fetch(`${server.url}/settings/v1/account.update`, {
        method: "POST",
        headers: { cookie, "content-type": "application/json", ...headers },
        body: JSON.stringify({ json: { name: "Changed" } }),
      });
    // Old browsers send only `Origin`, and other programs send neither.
    expect((await send({})).status).toBe(403);
    expect((await send({ origin: "https://evil.example" })).status).toBe(403);
    expect(readPayload(await browser.read("settings/v1/account.get"))).toMatchObject({ name: "Anna" });
    expect((await send({ origin: "http://localhost" })).status).toBe(200);
  });

  test("403: signing in from another site, so that it can't sign a visitor in to an attacker's account", async () => {
    const anna = await server.given.person();
    for (const headers of FOREIGN) {
      const token = await createSignInToken(server.db, anna.userId);
      const answer = await testBrowser(server).write("identity/v1/link.use", { token }, { headers });
      expect(answer.status).toBe(403);
      expect(answer.headers["set-cookie"]).toBeUndefined();
    }
  });
});
