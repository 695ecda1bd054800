import { schema } from "@minutes/db";
import { startTestServer, type TestServer } from "@minutes/server/testing";
import {
  type Company,
  type Inbox,
  openInbox,
  openSignedInBrowser,
  PASSWORD,
  type Person,
  type ReceivedMail,
  readPayload,
  type TestBrowser,
  testBrowser,
} from "@minutes/testing";
import { eq } from "drizzle-orm";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { createSmtpMailer } from "../mailer.js";

let server: TestServer;
let company: Company;
let admin: TestBrowser;
let inbox: Inbox;
/** The e-mails received by the mail server. */
let mails: ReceivedMail[];
beforeAll(async () => {
  inbox = await openInbox();
  mails = inbox.mails;
  server = await startTestServer({
    mailer: createSmtpMailer({ url: inbox.url, from: "Minutes <minutes@example.com>" }),
    publicUrl: "http://localhost:3000",
  });
  company = await server.given.company();
  admin = await openSignedInBrowser(server, company.admin);
});
beforeEach(async () => {
  mails.length = 0;
  await server.db.delete(schema.signInAttempts);
});
afterAll(async () => {
  await server.close();
  await inbox.close();
});

interface Invited {
  readonly id: string;
  readonly link: string | null;
  readonly mailed: boolean;
}
/** Creates an invitation. The token comes from the answer or, if it has no link, from the e-mail. */
const invite = async (input: object = {}): Promise<Invited & { token: string }> => {
  const invitation = readPayload<Invited>(
    await admin.write("settings/v1/invitations.create", { role: "member", ...input }),
  );
  const link = invitation.link ?? /\S+\/invitation#\S+/.exec(mails.at(-1)?.text ?? "")?.[0];
  return { ...invitation, token: link?.split("#")[1] ?? "" };
};
const accept = (browser: TestBrowser, input: object) =>
  browser.write("identity/v1/invitations.accept", input);
const accountOf = async (browser: TestBrowser) =>
  readPayload<{ email: string; role: string; workspaceId: string }>(
    await browser.read("settings/v1/account.get"),
  );

describe("an invitation", () => {
  test("creates an account in the workspace with its role, and is mailed to its address", async () => {
    const { token, link, mailed } = await invite({ email: "New@Example.com", role: "admin" });
    expect([mailed, link]).toEqual([true, null]);
    const text = expect.stringContaining(`http://localhost:3000/invitation#${token}`);
    expect(mails).toMatchObject([{ to: ["new@example.com"], text }]);
    const browser = testBrowser(server);
    expect(readPayload(await browser.write("identity/v1/invitations.get", { token }))).toMatchObject({
      email: "new@example.com",
      role: "admin",
    });
    readPayload(await accept(browser, { token, name: "New", password: PASSWORD }));
    expect(await accountOf(browser)).toMatchObject({
      email: "new@example.com",
      role: "admin",
      workspaceId: company.workspaceId,
    });
  });

  test("moves a signed-in user who accepts into the workspace", async () => {
    const anna = await server.given.person();
    const browser = await openSignedInBrowser(server, anna);
    const { token } = await invite();
    readPayload(await accept(browser, { token }));
    expect(await accountOf(browser)).toMatchObject({ workspaceId: company.workspaceId, role: "member" });
    // The audit log names them, not the operator.
    const log = await server.db.select().from(schema.auditLog).where(eq(schema.auditLog.object, anna.userId));
    const joined = log.filter((entry) => entry.workspaceId === company.workspaceId);
    expect(joined.map(({ actor, action }) => [actor, action])).toEqual([[anna.userId, "member.join"]]);
  });

  test("401: the second of three who accept concurrently; one account is created", async () => {
    const { token } = await invite();
    const answers = await Promise.all(
      Array.from({ length: 3 }, (_, at) =>
        accept(testBrowser(server), {
          token,
          email: `race${at}@invited.test`,
          name: "R",
          password: PASSWORD,
        }),
      ),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 401, 401]);
    const made = (await server.db.select().from(schema.users)).filter(({ email }) =>
      email.endsWith("@invited.test"),
    );
    expect(made).toHaveLength(1);
  });

  test("403: another address; 401: an address that has an account; 400: fields of a new account are missing", async () => {
    const anna = await server.given.person();
    const { token } = await invite({ email: anna.email });
    const account = { token, name: "X", password: PASSWORD };
    const stranger = await openSignedInBrowser(server, await server.given.person());
    expect((await accept(stranger, { token })).status).toBe(403);
    expect((await accept(testBrowser(server), { ...account, email: "x@y.test" })).status).toBe(403);
    expect((await accept(testBrowser(server), account)).status).toBe(401);
    const { token: open } = await invite();
    expect((await accept(testBrowser(server), { token: open })).status).toBe(400);
    // None of the refusals used them up.
    readPayload(await accept(await openSignedInBrowser(server, anna), { token }));
    readPayload(await accept(testBrowser(server), { ...account, token: open, email: "open@y.test" }));
  });

  test("401: a revoked, expired or malformed token", async () => {
    const [revoked, expired] = [await invite(), await invite()];
    const before = readPayload<{ invitations: object[] }>(await admin.read("settings/v1/invitations.list"));
    expect(JSON.stringify(before)).not.toContain("miv_");
    readPayload(await admin.write("settings/v1/invitations.revoke", { invitationId: revoked.id }));
    await server.db.update(schema.invitations).set({ expiresAt: "2025-01-01T00:00:00.000Z" });
    for (const token of [revoked.token, expired.token, "miv_x"])
      expect((await accept(testBrowser(server), { token })).status).toBe(401);
    expect(readPayload(await admin.read("settings/v1/invitations.list"))).toEqual({ invitations: [] });
  });

  test("403: a member calls admin procedures, and nothing changes; 404: an admin of another workspace", async () => {
    const { id } = await invite();
    const victim = await server.given.member(company);
    const seen = await openSignedInBrowser(server, victim);
    const member = await openSignedInBrowser(server, await server.given.member(company));
    const outsider = await openSignedInBrowser(server, (await server.given.company()).admin);
    const calls = (browser: TestBrowser) => [
      browser.read("settings/v1/invitations.list"),
      browser.write("settings/v1/invitations.create", { role: "admin" }),
      browser.write("settings/v1/invitations.revoke", { invitationId: id }),
      browser.write("settings/v1/members.signOut", { userId: victim.userId }),
    ];
    for (const answer of await Promise.all(calls(member))) expect(answer.status).toBe(403);
    const [, , revoke, signOut] = await Promise.all(calls(outsider));
    expect([revoke?.status, signOut?.status]).toEqual([404, 404]);
    const list = readPayload<{ invitations: { id: string }[] }>(
      await admin.read("settings/v1/invitations.list"),
    );
    expect(list.invitations.map((invitation) => invitation.id)).toEqual([id]);
    expect((await seen.read("settings/v1/account.get")).status).toBe(200);
    readPayload(await admin.write("settings/v1/members.signOut", { userId: victim.userId }));
    expect((await seen.read("settings/v1/account.get")).status).toBe(401);
  });
});

describe("invitations by e-mail", () => {
  const create = (browser: TestBrowser, email: string) =>
    browser.write("settings/v1/invitations.create", { role: "member", email });
  const inviter = async () => openSignedInBrowser(server, await server.given.person());

  test("429: after three to one address, across inviters and processes; other addresses get theirs", async () => {
    const inviters = await Promise.all(Array.from({ length: 12 }, inviter));
    const answers = [];
    for (const browser of inviters) answers.push(await create(browser, "flooded@example.com"));
    // The fourth is the first that makes the next one wait.
    expect(answers.slice(0, 4).map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    const refused = answers.filter(({ status }) => status === 429);
    expect(refused.length).toBeGreaterThan(0);
    expect(refused[0]?.text).toMatch(/Too many invitations by e-mail. Try again in \d+ seconds?\./);
    expect(mails).toHaveLength(answers.length - refused.length);
    expect((await create(await inviter(), "calm@example.com")).status).toBe(200);
  });

  test("429: after thirty by one inviter, across addresses; links to pass on are not counted", async () => {
    const browser = await inviter();
    const statuses: number[] = [];
    for (let count = 0; count < 60 && !statuses.includes(429); count++)
      statuses.push((await create(browser, `all${count}@example.com`)).status);
    expect(statuses.slice(0, 31)).toEqual(Array(31).fill(200));
    expect(statuses).toContain(429);
    expect((await browser.write("settings/v1/invitations.create", { role: "member" })).status).toBe(200);
  });

  test("400: a name with line breaks or other control characters, which the e-mail would quote", async () => {
    const browser = await inviter();
    for (const name of ["Anna\nOpen https://evil.example", "Anna\r", "A\u2028B", "A\u0007B", "A\u0085B"]) {
      const answer = await browser.write("settings/v1/account.setName", { name: `${name} x` });
      expect([answer.status, answer.text]).toEqual([400, expect.stringContaining("one line")]);
      const setup = { name: "Key", kind: "personal" };
      const key = await browser.write("settings/v1/keys.create", { ...setup, name: `${name} x` });
      expect(key.status).toBe(400);
    }
    expect((await browser.write("settings/v1/account.setName", { name: "Zoë O’Neill 李" })).status).toBe(200);
  });

  test("quote older names on one line", async () => {
    const owner = await server.given.company({
      name: "Acme\n\nYour account is closed: https://evil.example",
    });
    await create(await openSignedInBrowser(server, owner.admin), "quoted@example.com");
    expect(mails.at(-1)?.text).toContain('workspace "Acme Your account');
  });
});

describe("a link by e-mail", () => {
  const request = (email: string) => testBrowser(server).write("identity/v1/link.request", { email });

  test("signs its user in, once; an unknown address gets the same answer and no e-mail", async () => {
    const anna: Person = await server.given.person();
    const [known, unknown] = [await request(anna.email), await request("nobody@example.com")];
    expect([unknown.status, unknown.text]).toEqual([known.status, known.text]);
    await expect.poll(() => mails.length).toBe(1);
    expect(mails[0]?.to).toEqual([anna.email]);
    const token = /http:\/\/localhost:3000\/sign-in#(\S+)/.exec(mails[0]?.text ?? "")?.[1] ?? "";
    const browser = testBrowser(server);
    readPayload(await browser.write("identity/v1/link.use", { token }));
    expect((await accountOf(browser)).email).toBe(anna.email);
    expect((await testBrowser(server).write("identity/v1/link.use", { token })).status).toBe(401);
    expect(mails).toHaveLength(1);
  });

  test("shows its user and the session it would end, without being used up; 401 afterwards", async () => {
    const [anna, ben] = [await server.given.person(), await server.given.person()];
    await request(anna.email);
    await expect.poll(() => mails.length).toBe(1);
    const token = /sign-in#(\S+)/.exec(mails[0]?.text ?? "")?.[1] ?? "";
    const others = await openSignedInBrowser(server, ben);
    const own = await openSignedInBrowser(server, anna);
    for (const [browser, replaces] of [
      [testBrowser(server), null],
      [others, ben.email],
      [own, null],
    ] as const)
      expect(readPayload(await browser.write("identity/v1/link.get", { token }))).toEqual({
        ...{ email: anna.email, replaces },
      });
    expect((await accountOf(others)).email).toBe(ben.email);
    readPayload(await testBrowser(server).write("identity/v1/link.use", { token }));
    for (const used of [token, "mlk_x"])
      expect((await others.write("identity/v1/link.get", { token: used })).status).toBe(401);
  });

  test("is valid for 15 minutes, and stored as a hash", async () => {
    const anna = await server.given.person();
    await server.db.delete(schema.oneTimeLinks);
    await request(anna.email);
    await expect.poll(() => mails.length).toBe(1);
    const token = /sign-in#(\S+)/.exec(mails[0]?.text ?? "")?.[1] ?? "";
    const [link] = await server.db.select().from(schema.oneTimeLinks);
    const minutes = (Date.parse(link?.expiresAt ?? "") - Date.now()) / 60_000;
    expect(Math.round(minutes)).toBe(15);
    expect(Buffer.from(link?.hash ?? []).toString("latin1")).not.toContain(token);
    await server.db.update(schema.oneTimeLinks).set({ expiresAt: "2025-01-01T00:00:00.000Z" });
    expect((await testBrowser(server).write("identity/v1/link.use", { token })).status).toBe(401);
  });

  test("is sent in the background, so the response time reveals nothing", async () => {
    const anna = await server.given.person();
    const slow = await startTestServer({ database: server.database, mailer: () => new Promise(() => {}) });
    for (const email of [anna.email, "nobody@example.com"])
      expect((await testBrowser(slow).write("identity/v1/link.request", { email })).status).toBe(200);
    await slow.close();
  });

  test("takes an account from a creator who used the owner's address", async () => {
    const { token } = await invite();
    const attacker = testBrowser(server);
    const email = "victim@example.com";
    readPayload(await accept(attacker, { token, email, name: "Not them", password: PASSWORD }));
    const { key } = readPayload<{ key: string }>(
      await attacker.write("settings/v1/keys.create", { kind: "personal", name: "Back door" }),
    );
    expect((await server.call(key, "me/meetings.list")).status).toBe(200);
    // The first use of the key is mailed.
    await expect.poll(() => mails.splice(0).length).toBe(1);
    await request(email);
    await expect.poll(() => mails.length).toBe(1);
    const link = /sign-in#(\S+)/.exec(mails[0]?.text ?? "")?.[1] ?? "";
    const owner = testBrowser(server);
    readPayload(await owner.write("identity/v1/link.use", { token: link }));
    expect((await accountOf(owner)).email).toBe(email);
    expect((await attacker.read("settings/v1/account.get")).status).toBe(401);
    expect((await server.call(key, "me/meetings.list")).status).toBe(401);
    const again = await testBrowser(server).write("identity/v1/password.signIn", {
      email,
      password: PASSWORD,
    });
    expect(again.status).toBe(401);
  });

  test("confirms the address and ends nothing if used in a browser signed in to the account", async () => {
    const { token } = await invite();
    const browser = testBrowser(server);
    const email = "honest@example.com";
    readPayload(await accept(browser, { token, email, name: "Honest", password: PASSWORD }));
    await request(email);
    await expect.poll(() => mails.length).toBe(1);
    const link = /sign-in#(\S+)/.exec(mails[0]?.text ?? "")?.[1] ?? "";
    readPayload(await browser.write("identity/v1/link.use", { token: link }));
    const again = await testBrowser(server).write("identity/v1/password.signIn", {
      email,
      password: PASSWORD,
    });
    expect(again.status).toBe(200);
    const [user] = await server.db.select().from(schema.users).where(eq(schema.users.email, email));
    expect(user?.emailConfirmed).toBe(true);
  });

  test("is sent at most three times in a row, however often it is requested", async () => {
    const anna = await server.given.person();
    const answers = await Promise.all(Array.from({ length: 12 }, () => request(anna.email)));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    await expect.poll(() => mails.length).toBeGreaterThan(0);
    expect(mails.length).toBeLessThanOrEqual(4);
  });

  test("404: without a mail server", async () => {
    const silent = await startTestServer({ database: server.database });
    const answer = await testBrowser(silent).write("identity/v1/link.request", { email: "a@b.test" });
    expect(answer.status).toBe(404);
    expect(readPayload(await testBrowser(silent).read("identity/v1/session.get"))).toMatchObject({
      ways: { password: true, magicLink: false },
    });
    await silent.close();
  });
});
