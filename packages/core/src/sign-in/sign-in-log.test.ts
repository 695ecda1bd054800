import { schema } from "@minutes/db";
import { startTestServer, type TestServer } from "@minutes/server/testing";
import {
  type Company,
  givePassword,
  openSignedInBrowser,
  PASSWORD,
  readPayload,
  type TestBrowser,
  testBrowser,
  testPasskey,
} from "@minutes/testing";
import { and, asc, eq, like } from "drizzle-orm";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { createSetupToken, createSignInToken } from "./links.js";

const { auditLog, signInAttempts, users } = schema;
const ADDRESS = "192.0.2.77";
const NETWORK = "192.0.2.0/24";
const SITE = { id: "localhost", origin: "http://localhost" };

let server: TestServer;
let company: Company;
beforeAll(async () => {
  server = await startTestServer({ trustProxy: 1 });
  company = await server.given.company();
});
beforeEach(() => server.db.delete(signInAttempts));
afterAll(() => server.close());

const from = (address: string) => ({ headers: { "x-forwarded-for": address } });
/** Calls a procedure of `/identity/v1` from `ADDRESS`. */
const call = (procedure: string, input: object = {}, browser = testBrowser(server)) =>
  browser.write(`identity/v1/${procedure}`, input, from(ADDRESS));
const wrongPassword = (email: string) => call("password.signIn", { email, password: "wrong password 1" });

const select = {
  actor: auditLog.actor,
  action: auditLog.action,
  method: auditLog.method,
  network: auditLog.network,
};
/** Returns a user's successful sign-ins from `ADDRESS`, oldest first. */
const signInsOf = (userId: string) =>
  server.db
    .select({ method: auditLog.method, network: auditLog.network })
    .from(auditLog)
    .where(
      and(eq(auditLog.actor, userId), eq(auditLog.action, "session.create"), eq(auditLog.network, NETWORK)),
    )
    .orderBy(asc(auditLog.id));
const failuresAt = (userId: string) =>
  server.db
    .select(select)
    .from(auditLog)
    .where(and(eq(auditLog.object, userId), like(auditLog.action, "session.fail%")))
    .orderBy(asc(auditLog.id));
const failure = (method: string) => ({
  actor: "anonymous",
  action: "session.fail",
  method,
  network: NETWORK,
});

/** Signs a browser in with a passkey of the site. */
const signInWith = async (passkey: ReturnType<typeof testPasskey>, fault = {}) => {
  const { challenge } = readPayload<{ challenge: string }>(await call("passkey.createChallenge"));
  return call("passkey.signIn", { response: passkey.sign(challenge, fault) });
};
const givePasskey = async (browser: TestBrowser) => {
  const passkey = testPasskey(SITE);
  const { challenge } = readPayload<{ challenge: string }>(
    await browser.write("settings/v1/account.createPasskeyOptions"),
  );
  const added = { name: "Laptop", response: passkey.create(challenge) };
  readPayload(await browser.write("settings/v1/account.createPasskey", added));
  return passkey;
};

describe("the audit log records a sign-in with its method and network", () => {
  test("by password, link and passkey; no full address is stored", async () => {
    const anna = await server.given.member(company);
    const browser = await givePassword(server, anna);
    const passkey = await givePasskey(browser);
    readPayload(await call("password.signIn", { email: anna.email, password: PASSWORD }));
    readPayload(await call("link.use", { token: await createSignInToken(server.db, anna.userId) }));
    readPayload(await signInWith(passkey));
    const methods = ["password", "link", "passkey"];
    expect(await signInsOf(anna.userId)).toEqual(methods.map((method) => ({ method, network: NETWORK })));
    const everything = JSON.stringify(await server.db.select().from(auditLog));
    for (const secret of [ADDRESS, anna.email, PASSWORD, "Test browser"])
      expect(everything).not.toContain(secret);
  });

  test("by an invitation, whose account and entries name the person, not the operator", async () => {
    const admin = await openSignedInBrowser(server, company.admin);
    const { link } = readPayload<{ link: string }>(
      await admin.write("settings/v1/invitations.create", { role: "member" }),
    );
    const account = { token: link.split("#")[1], email: "new@joins.test", name: "New", password: PASSWORD };
    readPayload(await call("invitations.accept", account));
    const [user] = await server.db.select().from(users).where(eq(users.email, "new@joins.test"));
    const userId = user?.id ?? "";
    expect(await signInsOf(userId)).toEqual([{ method: "invitation", network: NETWORK }]);
    const entries = await server.db
      .select(select)
      .from(auditLog)
      .where(eq(auditLog.object, userId))
      .orderBy(asc(auditLog.id));
    expect(entries.map(({ actor, action }) => [actor, action])).toEqual([
      [userId, "user.create"],
      [userId, "member.leave"],
      [userId, "member.join"],
    ]);
  });

  test("by the set-up, whose account and entries name the person", async () => {
    const fresh = await startTestServer({ trustProxy: 1 });
    const token = await createSetupToken(fresh.db);
    const facts = { token, workspaceName: "Acme", name: "Ann", email: "ann@acme.test", password: PASSWORD };
    readPayload(await testBrowser(fresh).write("identity/v1/setup.complete", facts, from(ADDRESS)));
    const [user] = await fresh.db.select().from(users).where(eq(users.email, "ann@acme.test"));
    const entries = await fresh.db
      .select(select)
      .from(auditLog)
      .where(eq(auditLog.actor, user?.id ?? ""))
      .orderBy(asc(auditLog.id));
    expect(entries.map(({ action, method, network }) => [action, method, network])).toEqual([
      ["user.create", null, null],
      ["member.leave", null, null],
      ["member.join", null, null],
      ["setup.complete", null, null],
      ["session.create", "setup", NETWORK],
    ]);
    await fresh.close();
  });
});

describe("the audit log records a failed sign-in", () => {
  test("by password, at an account with and without one; the workspace's admins can read it", async () => {
    const [anna, without] = [await server.given.member(company), await server.given.member(company)];
    await givePassword(server, anna);
    for (const { userId, email } of [anna, without]) {
      expect((await wrongPassword(email)).status).toBe(401);
      await expect.poll(() => failuresAt(userId)).toEqual([failure("password")]);
    }
    const admin = await openSignedInBrowser(server, company.admin);
    const read = async (who: TestBrowser) =>
      readPayload<{ entries: object[] }>(
        await who.read("settings/v1/audit.list", { action: "session.fail", object: anna.userId }),
      ).entries;
    expect(await read(admin)).toMatchObject([
      { ...failure("password"), actorEmail: null, object: anna.userId },
    ]);
    const stranger = await openSignedInBrowser(server, (await server.given.company()).admin);
    expect(await read(stranger)).toEqual([]);
  });

  test("by passkey, at most a hundred times and then as rarely as passwords can be tried", async () => {
    const anna = await server.given.member(company);
    const passkey = await givePasskey(await openSignedInBrowser(server, anna));
    expect((await signInWith(passkey, { origin: "http://evil.example" })).status).toBe(401);
    expect(await failuresAt(anna.userId)).toEqual([failure("passkey")]);
    await server.db.update(signInAttempts).set({ failures: 110 }).where(like(signInAttempts.key, "failed:%"));
    for (let turn = 0; turn < 4; turn++)
      expect((await signInWith(passkey, { origin: "http://evil.example" })).status).toBe(401);
    // The first one is recorded; the others come during its wait of five minutes.
    expect(await failuresAt(anna.userId)).toHaveLength(2);
    readPayload(await signInWith(passkey));
  });

  test("but none at an address without an account, for a used link or for an unknown passkey", async () => {
    const before = await server.db.$count(auditLog, eq(auditLog.action, "session.fail"));
    const anna = await server.given.member(company);
    const token = await createSignInToken(server.db, anna.userId);
    readPayload(await call("link.use", { token }));
    expect((await call("link.use", { token })).status).toBe(401);
    expect((await signInWith(testPasskey(SITE))).status).toBe(401);
    expect((await wrongPassword("nobody@example.com")).status).toBe(401);
    // Written after those above would have been.
    expect((await wrongPassword(anna.email)).status).toBe(401);
    await expect.poll(() => failuresAt(anna.userId)).toHaveLength(1);
    expect(await server.db.$count(auditLog, eq(auditLog.action, "session.fail"))).toBe(before + 1);
  });

  test("but none while an account has to wait: a flood of guesses can't fill the log", async () => {
    const anna = await server.given.member(company);
    await givePassword(server, anna);
    const answers = await Promise.all(Array.from({ length: 40 }, () => wrongPassword(anna.email)));
    const checked = answers.filter(({ status }) => status === 401).length;
    expect(answers.filter(({ status }) => status === 429).length).toBeGreaterThan(0);
    await expect.poll(() => failuresAt(anna.userId)).toHaveLength(checked);
  });
});
