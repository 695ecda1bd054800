import { schema } from "@minutes/db";
import { startTestServer, type TestServer } from "@minutes/server/testing";
import {
  createWebhookScene,
  type Inbox,
  openInbox,
  openSignedInBrowser,
  PASSWORD,
  type Person,
  readPayload,
  type TestBrowser,
  testBrowser,
  testPasskey,
  type WebhookScene,
} from "@minutes/testing";
import { and, eq, inArray, sql } from "drizzle-orm";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { createSmtpMailer } from "../lib/mailer.js";
import { createSignInToken } from "./links.js";

const { companyAccounts, knownBrowsers, members, passkeys, users, webhooks, workspaces } = schema;

let scene: WebhookScene;
let inbox: Inbox;
let server: TestServer;
/** The same installation without a mail server. */
let silent: TestServer;
/** Any user, in a workspace of their own. */
let mallory: Person;
/** Mallory's browser, without access to the victim's e-mail. */
let attacker: TestBrowser;
let victim: string;
let last = 0;
beforeAll(async () => {
  inbox = await openInbox();
  const publicUrl = "http://localhost:3000";
  const mailer = createSmtpMailer({ url: inbox.url, from: "Minutes <minutes@example.com>" });
  scene = await createWebhookScene();
  const installation = { database: scene.database, webhooks: scene.settings, publicUrl };
  server = await startTestServer({ ...installation, mailer });
  silent = await startTestServer(installation);
});
afterAll(async () => {
  await silent?.close();
  await server?.close();
  await scene?.close();
  await inbox?.close();
});
beforeEach(async () => {
  await server.db.delete(schema.signInAttempts);
  inbox.mails.length = 0;
  mallory = await server.given.person();
  attacker = await openSignedInBrowser(server, mallory);
  victim = `ceo${++last}@victim.example`;
});

interface Account {
  readonly userId: string;
  readonly email: string;
  readonly workspaceId: string;
}
const accountOf = async (browser: TestBrowser) =>
  readPayload<Account>(await browser.read("settings/v1/account.get"));
const tokenIn = (link: string | null | undefined) => link?.split("#")[1] ?? "";
/** Returns the token of the link mailed to an address. */
async function readMailedToken(to: string): Promise<string> {
  // An e-mail about the first use of a key can come in between.
  const find = () => inbox.mails.findLast((mail) => mail.to.includes(to) && mail.text.includes("#"))?.text;
  await expect.poll(find).toBeDefined();
  return /#(\S+)/.exec(find() ?? "")?.[1] ?? "";
}
/** Signs in with a link mailed to an address. */
async function signInByMail(email: string, browser = testBrowser(server)) {
  inbox.mails.length = 0;
  readPayload(await testBrowser(server).write("identity/v1/link.request", { email }));
  const token = await readMailedToken(email);
  const { invitation } = readPayload<{ invitation: string | null }>(
    await browser.write("identity/v1/link.use", { token }),
  );
  return { browser, invitation };
}
/** Creates an account in the victim's name, as anyone who sees an invitation's link can. */
async function hijack(): Promise<TestBrowser & Account> {
  const browser = testBrowser(silent);
  const invited = await silentAttacker().write("settings/v1/invitations.create", {
    ...{ email: victim, role: "admin" },
  });
  const { link } = readPayload<{ link: string }>(invited);
  const account = { token: tokenIn(link), name: "Not them", password: PASSWORD };
  readPayload(await browser.write("identity/v1/invitations.accept", account));
  return Object.assign(browser, await accountOf(browser));
}
/** Mallory's browser if no mail server sends invitations. */
const silentAttacker = () => Object.assign(testBrowser(silent), { cookie: attacker.cookie });
const isConfirmed = async (email: string) =>
  (await server.db.select().from(users).where(eq(users.email, email)))[0]?.emailConfirmed;

describe("an invitation to another person's address", () => {
  test("is not shown to the inviter if it is mailed, and accepting it confirms the address", async () => {
    const answer = await attacker.write("settings/v1/invitations.create", { email: victim, role: "member" });
    expect(readPayload(answer)).toMatchObject({ mailed: true, link: null });
    const token = await readMailedToken(victim);
    expect(answer.text).not.toContain(token);
    const owner = testBrowser(server);
    const account = { token, name: "Owner", password: PASSWORD };
    readPayload(await owner.write("identity/v1/invitations.accept", account));
    expect(await isConfirmed(victim)).toBe(true);
  });

  test("is shown if it can't be mailed; a new account needs a mail server then, and without one confirms nothing", async () => {
    await hijack();
    expect(await isConfirmed(victim)).toBe(false);
    const broken = await startTestServer({
      database: server.database,
      mailer: () => Promise.reject(new Error("no route to the mail server")),
    });
    const inviter = Object.assign(testBrowser(broken), { cookie: attacker.cookie });
    const email = `late-${victim}`;
    const answer = await inviter.write("settings/v1/invitations.create", { email, role: "member" });
    const { link, mailed } = readPayload<{ link: string; mailed: boolean }>(answer);
    expect(mailed).toBe(false);
    const account = { token: tokenIn(link), name: "X", password: PASSWORD };
    const refused = await testBrowser(broken).write("identity/v1/invitations.accept", account);
    expect([refused.status, refused.text]).toEqual([503, expect.stringContaining("could not be sent")]);
    readPayload(await testBrowser(server).write("identity/v1/invitations.accept", account));
    readPayload(
      await testBrowser(server).write("identity/v1/invitations.accept", {
        ...account,
        token: await readMailedToken(email),
      }),
    );
    expect(await isConfirmed(email)).toBe(true);
    await broken.close();
  });

  test("confirms the address of an account that accepts it in its own browser", async () => {
    const account = await hijack();
    const other = await openSignedInBrowser(server, (await server.given.company()).admin);
    readPayload(await other.write("settings/v1/invitations.create", { email: victim, role: "member" }));
    const token = await readMailedToken(victim);
    readPayload(await account.write("identity/v1/invitations.accept", { token }));
    expect(await isConfirmed(victim)).toBe(true);
    expect((await account.read("settings/v1/account.get")).status).toBe(200);
  });
});

describe("the owner of an address who signs in with a mailed link", () => {
  test("gets the account, and everything of its creator ends: sessions, password, links, keys, webhooks", async () => {
    const hijacked = await hijack();
    const create = { kind: "personal", name: "Back door" };
    const { key } = readPayload<{ key: string }>(await hijacked.write("settings/v1/keys.create", create));
    const link = { token: await createSignInToken(server.db, hijacked.userId) };
    const hook = { kind: "personal", name: "Leak", url: "https://127.0.0.1:9/hook" };
    const made = await hijacked.write("settings/v1/webhooks.create", hook);
    const { browser } = await signInByMail(victim);
    expect((await accountOf(browser)).userId).toBe(hijacked.userId);
    expect((await hijacked.read("settings/v1/account.get")).status).toBe(401);
    expect((await server.call(key, "me/meetings.list")).status).toBe(401);
    expect((await testBrowser(server).write("identity/v1/link.use", link)).status).toBe(401);
    const again = { email: victim, password: PASSWORD };
    expect((await testBrowser(server).write("identity/v1/password.signIn", again)).status).toBe(401);
    const open = await server.db
      .select()
      .from(webhooks)
      .where(and(eq(webhooks.userId, hijacked.userId), sql`${webhooks.disabledAt} is null`));
    expect([made.status, open], made.text).toEqual([200, []]);
  });

  test("gets the account without its creator's passkeys, company accounts and known browsers", async () => {
    const hijacked = await hijack();
    const { userId } = hijacked;
    // Known, because it has signed in.
    const sent = { email: victim, password: PASSWORD };
    readPayload(await hijacked.write("identity/v1/password.signIn", sent));
    const options = await hijacked.write("settings/v1/account.createPasskeyOptions");
    const { challenge } = readPayload<{ challenge: string }>(options);
    const response = testPasskey({ id: "localhost", origin: "http://localhost:3000" }).create(challenge);
    readPayload(await hijacked.write("settings/v1/account.createPasskey", { name: "Back door", response }));
    const issuer = "https://login.example.com";
    await server.db.insert(companyAccounts).values({ id: `acc_${userId}`, userId, issuer, subject: userId });
    // What the owner uses to sign in is known afterwards.
    const known = await server.db.select().from(knownBrowsers).where(eq(knownBrowsers.userId, userId));
    const count = async () =>
      Promise.all([
        server.db.$count(passkeys, eq(passkeys.userId, userId)),
        server.db.$count(companyAccounts, eq(companyAccounts.userId, userId)),
        server.db.$count(
          knownBrowsers,
          inArray(
            knownBrowsers.hash,
            known.map(({ hash }) => hash),
          ),
        ),
      ]);
    expect(await count()).toEqual([1, 1, known.length]);
    expect(known).not.toEqual([]);
    await signInByMail(victim);
    expect(await count()).toEqual([0, 0, 0]);
  });

  test("is no longer in the workspace that the account joined, until they accept again", async () => {
    const hijacked = await hijack();
    const { browser, invitation } = await signInByMail(victim);
    const own = await accountOf(browser);
    expect(own.workspaceId).not.toBe(hijacked.workspaceId);
    const [workspace] = await server.db.select().from(workspaces).where(eq(workspaces.id, own.workspaceId));
    expect(workspace?.ownerId).toBe(hijacked.userId);
    const seen = readPayload<{ members: { email: string }[] }>(
      await attacker.read("settings/v1/members.list"),
    );
    expect(seen.members.map(({ email }) => email)).toEqual([mallory.email]);
    const offer = await testBrowser(server).write("identity/v1/invitations.get", { token: invitation });
    expect(readPayload(offer)).toMatchObject({ email: victim, role: "admin", returning: true });
    // Nobody else can use it.
    const other = await attacker.write("identity/v1/invitations.accept", { token: invitation });
    expect(other.status).toBe(403);
    readPayload(await browser.write("identity/v1/invitations.accept", { token: invitation }));
    expect((await accountOf(browser)).workspaceId).toBe(hijacked.workspaceId);
  });

  test("gets a workspace without left-over members or keys, even as the last admin", async () => {
    const hijacked = await hijack();
    // Back in the workspace created with the account, where the attacker plants a key and a second account.
    readPayload(await hijacked.write("settings/v1/members.remove", { userId: hijacked.userId }));
    const before = await accountOf(hijacked);
    const planted = { kind: "workspace", name: "Planted" };
    await server.db.update(workspaces).set({ plan: "team" }).where(eq(workspaces.id, before.workspaceId));
    const { key } = readPayload<{ key: string }>(await hijacked.write("settings/v1/keys.create", planted));
    const invited = readPayload<{ link: string }>(
      await hijacked.write("settings/v1/invitations.create", { role: "member" }),
    );
    const second = { token: tokenIn(invited.link) };
    readPayload(await attacker.write("identity/v1/invitations.accept", second));
    expect((await server.call(key, "workspace/meetings.list")).status).toBe(200);
    const { browser, invitation } = await signInByMail(victim);
    const after = await accountOf(browser);
    expect([after.workspaceId === before.workspaceId, invitation]).toEqual([false, null]);
    expect(await server.db.select().from(members).where(eq(members.workspaceId, after.workspaceId))).toEqual([
      expect.objectContaining({ userId: hijacked.userId, role: "admin" }),
    ]);
    const owned = await server.db.select().from(workspaces).where(eq(workspaces.ownerId, hijacked.userId));
    expect(owned.map(({ id }) => id)).toEqual([after.workspaceId]);
  });

  test("proves it only once: of two concurrent links both sign in, and one of them ends other access", async () => {
    const { userId } = await hijack();
    const mail = () => createSignInToken(server.db, userId, undefined, "mail");
    const tokens = [await mail(), await mail()];
    const answers = await Promise.all(
      tokens.map((token) => testBrowser(server).write("identity/v1/link.use", { token })),
    );
    const invited = answers.map((answer) => readPayload<{ invitation: string | null }>(answer).invitation);
    expect(invited.filter((invitation) => invitation !== null)).toHaveLength(1);
  });
});
