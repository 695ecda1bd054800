import { schema } from "@minutes/db";
import { openSignedInBrowser, PASSWORD, readPayload, type TestBrowser, testBrowser } from "@minutes/testing";
import { eq, like } from "drizzle-orm";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { toActingUser } from "../access/index.js";
import { inviteAndMail } from "./invitations.js";
import { accept, accountOf, type MailScene, openMailScene, readToken } from "./testing/mail-scene.js";

let scene: MailScene;
let server: MailScene["server"];
let company: MailScene["company"];
let admin: MailScene["admin"];
let mails: MailScene["mails"];
beforeAll(async () => {
  scene = await openMailScene();
  ({ server, company, admin, mails } = scene);
});
beforeEach(async () => {
  mails.length = 0;
  await server.db.delete(schema.signInAttempts);
});
afterAll(() => scene.close());

describe("an invitation", () => {
  test("creates an account in the workspace with its role, and is mailed to its address", async () => {
    const { token, link, mailed } = await scene.invite({ email: "New@Example.com", role: "admin" });
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

  test("says who invites and to which workspace, with the address only if the admin confirmed it", async () => {
    const { userId, name, email } = company.admin;
    await scene.invite({ email: "first@example.com" });
    expect(mails[0]?.text).toContain(`${name} (${email}) invites you to the workspace "Company `);
    const setAdmin = (change: object) =>
      server.db.update(schema.users).set(change).where(eq(schema.users.id, userId));
    await setAdmin({ emailConfirmed: false, name: "Ada\nLink" });
    const { token } = await scene.invite();
    mails.length = 0;
    // A link that others have seen is mailed in the name of who created it.
    readPayload(await accept(testBrowser(server), { token, email: "second@example.com" }));
    await setAdmin({ emailConfirmed: true, name });
    expect(mails[0]?.text).toContain(
      'Ada Link (e-mail address not confirmed) invites you to the workspace "Company ',
    );
    expect(mails[0]?.text).not.toContain(email);
  });

  test("moves a signed-in user who accepts into the workspace", async () => {
    const anna = await server.given.person();
    const browser = await openSignedInBrowser(server, anna);
    const { token } = await scene.invite();
    readPayload(await accept(browser, { token }));
    expect(await accountOf(browser)).toMatchObject({ workspaceId: company.workspaceId, role: "member" });
    // The audit log names them, not the operator.
    const log = await server.db.select().from(schema.auditLog).where(eq(schema.auditLog.object, anna.userId));
    const joined = log.filter((entry) => entry.workspaceId === company.workspaceId);
    expect(joined.map(({ actor, action }) => [actor, action])).toEqual([[anna.userId, "member.join"]]);
  });

  test("401: the second of three who accept concurrently; one e-mail is sent, and one account created", async () => {
    const { token } = await scene.invite();
    const race = async (inputs: object[]) => {
      const answers = await Promise.all(inputs.map((input) => accept(testBrowser(server), input)));
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 401, 401]);
    };
    await race([0, 1, 2].map((at) => ({ token, email: `race${at}@invited.test` })));
    expect(mails).toHaveLength(1);
    const account = { token: readToken(mails), name: "R", password: PASSWORD };
    await race([account, account, account]);
    const made = await server.db
      .select()
      .from(schema.users)
      .where(like(schema.users.email, "race%@invited.test"));
    expect(made).toMatchObject([{ emailConfirmed: true }]);
  });

  test("a link that others have seen answers the same for every address, and its owner learns the rest by e-mail", async () => {
    const anna = await server.given.person();
    const answers = [];
    for (const email of [anna.email, "nobody@example.com"]) {
      const { token } = await scene.invite();
      mails.length = 0;
      const browser = testBrowser(server);
      const offer = await browser.write("identity/v1/invitations.get", { token });
      const { status, text } = await accept(browser, { token, email, name: "X", password: PASSWORD });
      answers.push([offer.text, status, text, browser.cookie]);
      expect(mails).toMatchObject([{ to: [email], text: expect.stringContaining("/invitation#miv_") }]);
      expect((await accept(browser, { token, email })).status).toBe(401);
    }
    expect(answers[0]).toEqual(answers[1]);
    expect(await server.db.$count(schema.users, eq(schema.users.email, "nobody@example.com"))).toBe(0);
    const last = { token: readToken(mails), name: "Nobody", password: PASSWORD };
    readPayload(await accept(testBrowser(server), last));
  });

  test("403: another address; 401: an address that has an account; 400: fields of a new account are missing", async () => {
    const anna = await server.given.person();
    const { token } = await scene.invite({ email: anna.email });
    const account = { token, name: "X", password: PASSWORD };
    const stranger = await openSignedInBrowser(server, await server.given.person());
    expect((await accept(stranger, { token })).status).toBe(403);
    expect((await accept(testBrowser(server), { ...account, email: "x@y.test" })).status).toBe(403);
    expect((await accept(testBrowser(server), account)).status).toBe(401);
    const { token: unnamed } = await scene.invite({ email: "named@y.test" });
    const { token: open } = await scene.invite();
    for (const missing of [unnamed, open])
      expect((await accept(testBrowser(server), { token: missing })).status).toBe(400);
    // None of the refusals used them up.
    readPayload(await accept(await openSignedInBrowser(server, anna), { token }));
    readPayload(await accept(testBrowser(server), { ...account, token: unnamed }));
    readPayload(await accept(testBrowser(server), { token: open, email: "open@y.test" }));
  });

  test("shows its address only to its owner and to who creates the account; others who are signed in learn that it is not theirs", async () => {
    const anna = await server.given.person({ email: "anna@invited.test" });
    const { token } = await scene.invite({ email: anna.email });
    const look = async (by: TestBrowser) => {
      const answer = await by.write("identity/v1/invitations.get", { token });
      const { email, forOther } = readPayload<{ email: string; forOther: boolean }>(answer);
      return { email, forOther, names: answer.text.includes("anna@") };
    };
    const masked = "a•••@invited.test";
    const stranger = await openSignedInBrowser(server, await server.given.person());
    const [own, visitor] = [await openSignedInBrowser(server, anna), testBrowser(server)];
    expect(await look(own)).toEqual({ email: anna.email, forOther: false, names: true });
    expect(await look(visitor)).toEqual({ email: anna.email, forOther: false, names: true });
    expect(await look(stranger)).toEqual({ email: masked, forOther: true, names: false });
    // Once others have seen the link, as without a mail server, another one is mailed to the address.
    await server.db
      .update(schema.invitations)
      .set({ mailed: false })
      .where(eq(schema.invitations.email, anna.email));
    expect(await look(visitor)).toEqual({ email: masked, forOther: false, names: false });
    readPayload(await accept(testBrowser(server), { token }));
    expect(mails.at(-1)).toMatchObject({ to: [anna.email] });
  });

  test("renews the open one to its address: same ID, new link and role; concurrent ones of two admins too", async () => {
    const second = await server.given.member(company);
    const roles = { userId: second.userId, role: "admin" };
    readPayload(await admin.write("settings/v1/members.setRole", roles));
    const browsers = [admin, await openSignedInBrowser(server, second)];
    const input = { role: "member", email: "twice@example.com" };
    const answers = await Promise.all(
      browsers.map((by) => by.write("settings/v1/invitations.create", input)),
    );
    const made = answers.map((answer) => readPayload<{ id: string; renewed: boolean }>(answer));
    expect(made.map(({ renewed }) => renewed).sort()).toEqual([false, true]);
    const [earlier, last] = [readToken(mails), await scene.invite({ ...input, role: "admin" })];
    const ids = [...made, last].map(({ id }) => id);
    expect(new Set(ids).size).toBe(1);
    const list = readPayload<{ invitations: { email: string }[] }>(
      await admin.read("settings/v1/invitations.list"),
    );
    const listed = list.invitations.filter(({ email }) => email === input.email);
    expect(listed).toMatchObject([
      { id: last.id, role: "admin", createdBy: { userId: company.admin.userId } },
    ]);
    const account = { name: "Twice", password: PASSWORD };
    expect((await accept(testBrowser(server), { ...account, token: earlier })).status).toBe(401);
    const browser = testBrowser(server);
    readPayload(await accept(browser, { ...account, token: last.token }));
    expect((await accountOf(browser)).role).toBe("admin");
    const log = await server.db.select().from(schema.auditLog).where(eq(schema.auditLog.object, last.id));
    const actions = ["invitation.create", "invitation.renew", "invitation.renew"];
    expect(log.map(({ action }) => action).sort()).toEqual(actions);
  });

  test("409: one to a member's address; accepting one as a member, which changes no role and uses nothing up", async () => {
    const anna = await server.given.member(company);
    const browser = await openSignedInBrowser(server, anna);
    const refused = await admin.write("settings/v1/invitations.create", { role: "admin", email: anna.email });
    expect([refused.status, refused.text]).toEqual([
      409,
      expect.stringContaining("already a member of the work"),
    ]);
    expect(mails).toEqual([]);
    const { token } = await scene.invite({ role: "admin" });
    const look = async (by: TestBrowser) =>
      readPayload<{ joined: boolean }>(await by.write("identity/v1/invitations.get", { token })).joined;
    expect([await look(browser), await look(testBrowser(server))]).toEqual([true, false]);
    const answer = await accept(browser, { token });
    expect([answer.status, answer.text]).toEqual([409, expect.stringContaining("already a member of this")]);
    expect((await accountOf(browser)).role).toBe("member");
    readPayload(await accept(await openSignedInBrowser(server, await server.given.person()), { token }));
  });

  test("to the address of somebody who joins by another link ends", async () => {
    const anna = await server.given.person();
    const named = await scene.invite({ email: anna.email, role: "admin" });
    const { token } = await scene.invite();
    readPayload(await accept(await openSignedInBrowser(server, anna), { token }));
    expect(await server.db.$count(schema.invitations, eq(schema.invitations.id, named.id))).toBe(0);
  });

  test("401: a revoked, expired or malformed token", async () => {
    const [revoked, expired] = [await scene.invite(), await scene.invite()];
    const before = readPayload<{ invitations: object[] }>(await admin.read("settings/v1/invitations.list"));
    expect(JSON.stringify(before)).not.toContain("miv_");
    readPayload(await admin.write("settings/v1/invitations.revoke", { invitationId: revoked.id }));
    await server.db.update(schema.invitations).set({ expiresAt: "2025-01-01T00:00:00.000Z" });
    for (const token of [revoked.token, expired.token, "miv_x"])
      expect((await accept(testBrowser(server), { token })).status).toBe(401);
    expect(readPayload(await admin.read("settings/v1/invitations.list"))).toEqual({ invitations: [] });
  });

  test("403: a member calls admin procedures, and nothing changes; 404: an admin of another workspace", async () => {
    const listIds = async () =>
      readPayload<{ invitations: { id: string }[] }>(
        await admin.read("settings/v1/invitations.list"),
      ).invitations.map((invitation) => invitation.id);
    const others = await listIds();
    const { id } = await scene.invite();
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
    expect(await listIds()).toEqual([id, ...others]);
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

  test("429: after thirty by one inviter, across addresses; links to pass on and the operator's aren't counted", async () => {
    const { admin: sender, workspaceId } = await server.given.company();
    const browser = await openSignedInBrowser(server, sender);
    const statuses = [(await create(browser, "first@example.com")).status];
    await server.db
      .update(schema.signInAttempts)
      .set({ failures: 29 })
      .where(like(schema.signInAttempts.key, "inviter:%"));
    for (let count = 0; count < 30 && !statuses.includes(429); count++)
      statuses.push((await create(browser, `all${count}@example.com`)).status);
    // The thirty-first is the first that makes the next one wait.
    expect(statuses.slice(0, 3)).toEqual([200, 200, 200]);
    expect(statuses).toContain(429);
    expect((await browser.write("settings/v1/invitations.create", { role: "member" })).status).toBe(200);
    const operator = toActingUser({ userId: sender.userId, workspaceId });
    const invitation = { email: "operator@example.com", role: "member" } as const;
    const services = { mailer: async () => {}, publicUrl: () => server.url };
    expect((await inviteAndMail(server.db, operator, invitation, services)).mailed).toBe(true);
  });

  test("400: a name with line breaks or other control characters, which the e-mail would quote", async () => {
    const browser = await inviter();
    for (const name of ["Anna\nOpen https://evil.example", "Anna\r", "A\u2028B", "A\u0007B", "A\u0085B"]) {
      const answer = await browser.write("settings/v1/account.update", { name: `${name} x` });
      expect([answer.status, answer.text]).toEqual([400, expect.stringContaining("one line")]);
      const setup = { name: "Key", kind: "personal" };
      const key = await browser.write("settings/v1/keys.create", { ...setup, name: `${name} x` });
      expect(key.status).toBe(400);
    }
    expect((await browser.write("settings/v1/account.update", { name: "Zoë O’Neill 李" })).status).toBe(200);
  });

  test("quote older names on one line", async () => {
    const owner = await server.given.company({
      name: "Acme\n\nYour account is closed: https://evil.example",
    });
    await create(await openSignedInBrowser(server, owner.admin), "quoted@example.com");
    expect(mails.at(-1)?.text).toContain('workspace "Acme Your account');
  });
});
