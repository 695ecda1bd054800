import { MESSAGES } from "@minutes/contract";
import { schema } from "@minutes/db";
import { startTestServer, type TestServer } from "@minutes/server/testing";
import {
  type Company,
  openSignedInBrowser,
  PASSWORD,
  type Person,
  readPayload,
  type TestBrowser,
  testBrowser,
} from "@minutes/testing";
import { eq, sql } from "drizzle-orm";
import { beforeAll, describe, expect, test } from "vitest";
import { OPERATOR } from "../access/actor.js";
import { joinWorkspace, leaveWorkspace } from "../workspaces/index.js";
import { createSignInToken } from "./links.js";
import { signIn, usePasswordScene } from "./testing/password-scene.js";

const { auditLog, sessions, signInAttempts } = schema;

let server: TestServer;
let anna: Person;
usePasswordScene((scene) => {
  ({ server, anna } = scene);
});

const attempt = (email: string, password: string, at: { url: string } = server) =>
  signIn(at, email, password);

const use = (token: string) => testBrowser(server).write("identity/v1/link.use", { token });

describe("a one-time link", () => {
  test("401: the second of ten concurrent browsers, and every later one", async () => {
    const token = await createSignInToken(server.db, anna.userId);
    const statuses = (await Promise.all(Array.from({ length: 10 }, () => use(token)))).map(
      (one) => one.status,
    );
    expect(statuses.sort()).toEqual([200, ...Array.from({ length: 9 }, () => 401)]);
    expect((await use(token)).status).toBe(401);
  });

  test("429: guesses over four processes wait after twenty failures of the address; a valid link never waits", async () => {
    const others = await Promise.all([1, 2, 3].map(() => startTestServer({ database: server.database })));
    const servers = [server, ...others];
    await use("mlk_guess");
    await server.db.update(signInAttempts).set({ failures: 18 });
    const guesses = await Promise.all(
      Array.from({ length: 16 }, (_, at) =>
        testBrowser(servers[at % 4] ?? server).write("identity/v1/link.use", { token: `mlk_guess${at}` }),
      ),
    );
    // Two are free; each further one waits for the previous delay.
    expect(guesses.filter(({ status }) => status === 429).length).toBeGreaterThanOrEqual(10);
    await server.db
      .update(signInAttempts)
      .set({ failures: 25, blockedUntil: sql`clock_timestamp() + interval '1 minute'` });
    expect((await use("mlk_guess")).status).toBe(429);
    expect((await use(await createSignInToken(server.db, anna.userId))).status).toBe(200);
    expect((await attempt(anna.email, PASSWORD)).status).toBe(200);
    for (const other of others) await other.close();
  });

  test("a valid link counts nothing for its address", async () => {
    expect((await use(await createSignInToken(server.db, anna.userId))).status).toBe(200);
    expect(await server.db.select().from(signInAttempts)).toEqual([]);
  });

  test("401: an expired link and a malformed token", async () => {
    expect((await use(await createSignInToken(server.db, anna.userId, -1))).status).toBe(401);
    expect((await use("nonsense")).status).toBe(401);
  });
});

describe("a sign-in link that an admin creates for a member", () => {
  let company: Company;
  beforeAll(async () => {
    company = await server.given.company();
  });
  const admin = () => openSignedInBrowser(server, company.admin);
  const create = async (browser: TestBrowser, userId: string) =>
    browser.write("settings/v1/members.createSignInLink", { userId });

  async function joinByLink(email: string) {
    const invitation = await (await admin()).write("settings/v1/invitations.create", { role: "member" });
    const { link } = readPayload<{ link: string }>(invitation);
    const browser = testBrowser(server);
    const account = { token: link.split("#")[1], email, name: "New", password: PASSWORD };
    readPayload(await browser.write("identity/v1/invitations.accept", account));
    return readPayload<{ userId: string }>(await browser.read("settings/v1/account.get")).userId;
  }

  test("200: works once for an account that was created in the workspace, and is in the audit log", async () => {
    const userId = await joinByLink("new@here.example");
    const { token } = readPayload<{ token: string }>(await create(await admin(), userId));
    const browser = testBrowser(server);
    expect((await browser.write("identity/v1/link.use", { token })).status).toBe(200);
    expect(readPayload(await browser.read("settings/v1/account.get"))).toMatchObject({ userId });
    expect((await use(token)).status).toBe(401);
    const log = await server.db.select().from(auditLog).where(eq(auditLog.action, "session.link"));
    expect(log).toMatchObject([
      { actor: company.admin.userId, object: userId, shownIn: company.workspaceId },
    ]);
  });

  test("403: an account that somebody brought along, and one that was elsewhere in between", async () => {
    const guest = await server.given.person();
    await joinWorkspace(server.db, OPERATOR, guest.userId, company.workspaceId);
    const refused = [403, { error: MESSAGES.memberFromElsewhere }];
    const answer = await create(await admin(), guest.userId);
    expect([answer.status, answer.body]).toEqual(refused);
    const userId = await joinByLink("back@here.example");
    await leaveWorkspace(server.db, OPERATOR, userId);
    expect((await create(await admin(), userId)).status).toBe(404);
    await joinWorkspace(server.db, OPERATOR, userId, company.workspaceId);
    const back = await create(await admin(), userId);
    expect([back.status, back.body]).toEqual(refused);
  });

  test("403: a member, and an admin who signed in long ago; 404: an admin of another workspace", async () => {
    const userId = await joinByLink("third@here.example");
    const member = await openSignedInBrowser(server, await server.given.member(company));
    expect((await create(member, userId)).status).toBe(403);
    const outsider = await openSignedInBrowser(server, (await server.given.company()).admin);
    expect((await create(outsider, userId)).status).toBe(404);
    const late = await admin();
    await server.db.update(sessions).set({ createdAt: "2025-01-01T00:00:00.000Z" });
    expect((await create(late, userId)).status).toBe(403);
  });
});
