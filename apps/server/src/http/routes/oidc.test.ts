import { generateKeyPairSync } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { schema } from "@minutes/db";
import {
  type Company,
  createOidcListener,
  givePassword,
  OIDC_CLIENT,
  type OidcProvider,
  openSignedInBrowser,
  type Person,
  readPayload,
  startOidcProvider,
  testBrowser,
} from "@minutes/testing";
import { eq } from "drizzle-orm";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { startTestServer, type TestServer } from "../../testing/index.js";

const { auditLog, companyAccounts, members, sessions, users } = schema;
const PUBLIC_URL = "http://localhost:3000";
const CALLBACK = `${PUBLIC_URL}/identity/v1/oidc/callback`;

/** The user who signs in at the provider, and the provider's claims. */
let account = { sub: "1", email: "", email_verified: true, name: "Anna" };
let provider: OidcProvider;
let issuer: string;
let server: TestServer;
/** Allows new people to join the workspace of `company`. */
let open: TestServer;
let workspaceId: string;

beforeAll(async () => {
  provider = await startOidcProvider(
    () => account,
    () => [CALLBACK],
  );
  issuer = provider.issuer;
  const signIn = {
    OIDC_ISSUER: issuer,
    OIDC_CLIENT_ID: OIDC_CLIENT.client_id,
    OIDC_CLIENT_SECRET: OIDC_CLIENT.client_secret,
  };
  server = await startTestServer({ publicUrl: PUBLIC_URL, signIn });
  ({ workspaceId } = await server.given.company());
  open = await startTestServer({
    database: server.database,
    publicUrl: PUBLIC_URL,
    signIn: { ...signIn, OIDC_WORKSPACE: workspaceId },
  });
});
afterAll(async () => {
  await open?.close();
  await server?.close();
  await provider?.close();
});
beforeEach(() => server.db.delete(companyAccounts));

/** A browser's cookies at the provider and the installation, by origin. */
class Jar {
  readonly cookies = new Map<string, Map<string, string>>();
  header = (origin: string): string =>
    [...(this.cookies.get(origin) ?? [])].map(([name, value]) => `${name}=${value}`).join("; ");
  keep(origin: string, headers: Headers): void {
    const own = this.cookies.get(origin) ?? new Map<string, string>();
    this.cookies.set(origin, own);
    for (const cookie of headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
      if (/Max-Age=0|expires=Thu, 01 Jan 1970/i.test(cookie)) own.delete(name);
      else own.set(name, value);
    }
  }
}

interface Visit {
  readonly jar: Jar;
  /** Every visited URL; the last one is not fetched. */
  readonly path: readonly string[];
}

/** Follows redirects like a browser, up to a page of the installation or `until`. */
async function visit(
  at: TestServer,
  start: string,
  { jar = new Jar(), until = /^never/ }: { jar?: Jar; until?: RegExp } = {},
): Promise<Visit> {
  const path = [`${PUBLIC_URL}${start}`];
  for (let hop = 0; hop < 12; hop++) {
    const target = new URL(path.at(-1) ?? "");
    const here = target.origin === PUBLIC_URL;
    if (hop > 0 && (until.test(target.href) || (here && !target.pathname.startsWith("/identity/")))) break;
    const url = here ? at.url + target.pathname + target.search : target.href;
    const response = await fetch(url, {
      redirect: "manual",
      headers: { cookie: jar.header(target.origin), ...(here ? { host: "evil.example" } : {}) },
    });
    jar.keep(target.origin, response.headers);
    const location = response.headers.get("location");
    if (location === null) throw new Error(`${response.status} ${url}: ${await response.text()}`);
    path.push(new URL(location, target).href);
  }
  return { jar, path };
}

const signIn = (at: TestServer = server, query = "", jar = new Jar()) =>
  visit(at, `/identity/v1/oidc/start${query}`, { jar });
const lastOf = ({ path }: Visit) => path.at(-1)?.replace(PUBLIC_URL, "");
async function whoIs({ jar }: Visit): Promise<{ userId: string; workspaceId: string } | null> {
  const browser = testBrowser(server);
  browser.cookie = jar.header(PUBLIC_URL);
  const answer = await browser.read("settings/v1/account.get");
  return answer.status === 200 ? readPayload(answer) : null;
}

describe("a company's account", () => {
  test("signs in the user who has its verified e-mail address, and says so in the audit log", async () => {
    const anna = await server.given.person();
    account = { sub: "anna", email: anna.email.toUpperCase(), email_verified: true, name: "Anna" };
    const visited = await signIn();
    expect(lastOf(visited)).toBe("/meetings");
    expect(await whoIs(visited)).toMatchObject({ userId: anna.userId });
    const log = await server.db.select().from(auditLog).where(eq(auditLog.actor, anna.userId));
    const entry = (action: string) => log.find((one) => one.action === action);
    expect(entry("user.link")).toMatchObject({ method: null, network: null });
    expect(entry("session.create")).toMatchObject({ method: "oidc", network: "127.0.0.0/24" });
  });

  test("asks the provider with PKCE, state and nonce, and the redirect address of PUBLIC_URL", async () => {
    account = { sub: "x", email: "x@example.com", email_verified: true, name: "X" };
    const { path, jar } = await visit(server, "/identity/v1/oidc/start", { until: new RegExp(`^${issuer}`) });
    const asked = new URL(path.at(-1) ?? "").searchParams;
    expect(asked.get("redirect_uri")).toBe(CALLBACK);
    expect(asked.get("code_challenge_method")).toBe("S256");
    for (const name of ["state", "nonce", "code_challenge"]) expect(asked.get(name)).toMatch(/^[\w-]{43}$/);
    // The URL alone can't complete the sign-in: it lacks the cookie's secret.
    const [secret = ""] = jar.header(PUBLIC_URL).replace("minutes-oidc=", "").split(".");
    expect(secret).toHaveLength(43);
    expect(path.at(-1)).not.toContain(secret);
  });

  test("is found again by the provider's id, after its e-mail address changed", async () => {
    const anna = await server.given.person();
    account = { sub: "stays", email: anna.email, email_verified: true, name: "Anna" };
    await signIn();
    account = { ...account, email: "new@elsewhere.example", email_verified: false };
    expect(await whoIs(await signIn())).toMatchObject({ userId: anna.userId });
  });

  test("is listed on the account page, and its link can be removed by its user alone", async () => {
    const anna = await server.given.person();
    account = { sub: "listed", email: anna.email, email_verified: true, name: "Anna" };
    await signIn();
    const browser = await openSignedInBrowser(server, anna);
    const list = async () =>
      readPayload<{ accounts: { id: string; issuer: string }[] }>(
        await browser.read("settings/v1/account.companyAccounts"),
      ).accounts;
    const [link] = await list();
    expect(link?.issuer).toBe(issuer);
    const stranger = await openSignedInBrowser(server, await server.given.person());
    const remove = { accountId: link?.id };
    expect((await stranger.write("settings/v1/account.removeCompanyAccount", remove)).status).toBe(404);
    readPayload(await browser.write("settings/v1/account.removeCompanyAccount", remove));
    expect(await list()).toEqual([]);
  });

  test("joins the workspace that OIDC_WORKSPACE names, once, as a member", async () => {
    account = { sub: "new", email: "newcomer@example.com", email_verified: true, name: "Nora New" };
    const { userId } = (await whoIs(await signIn(open))) ?? { userId: "" };
    const [user] = await server.db.select().from(users).where(eq(users.id, userId));
    expect(user).toMatchObject({ email: "newcomer@example.com", name: "Nora New" });
    const [member] = await server.db.select().from(members).where(eq(members.userId, userId));
    expect(member).toMatchObject({ workspaceId, role: "member" });
    // Nobody created the account for them, so the audit log names them and not the operator.
    const log = await server.db
      .select()
      .from(auditLog)
      .where(eq(auditLog.object, userId))
      .orderBy(auditLog.id);
    expect(log.map(({ actor, action }) => [actor, action])).toEqual([
      [userId, "user.create"],
      [userId, "member.leave"],
      [userId, "member.join"],
    ]);
    expect(await whoIs(await signIn(open))).toMatchObject({ userId });
  });

  test("leads back to the requested page, and to no other site", async () => {
    const anna = await server.given.person();
    account = { sub: "pages", email: anna.email, email_verified: true, name: "Anna" };
    expect(lastOf(await signIn(server, "?to=%2Fkeys%3Fa%3D1"))).toBe("/keys?a=1");
    for (const to of ["https://evil.example/", "//evil.example", "/\\evil.example", "javascript:alert(1)"])
      expect(lastOf(await signIn(server, `?to=${encodeURIComponent(to)}`))).toBe("/meetings");
  });

  test("ends the session that the browser had", async () => {
    const [anna, ben] = [await server.given.person(), await server.given.person()];
    const before = await openSignedInBrowser(server, ben);
    const jar = new Jar();
    jar.keep(PUBLIC_URL, new Headers({ "set-cookie": before.cookie }));
    account = { sub: "switch", email: anna.email, email_verified: true, name: "Anna" };
    expect(await whoIs(await signIn(server, "", jar))).toMatchObject({ userId: anna.userId });
    expect((await before.read("settings/v1/account.get")).status).toBe(401);
  });
});

describe("an account whose maker never confirmed its address", () => {
  let anna: Person;
  let company: Company;
  beforeEach(async () => {
    company = await server.given.company();
    anna = await server.given.member(company);
    await server.db.update(users).set({ emailConfirmed: false }).where(eq(users.id, anna.userId));
    account = { sub: anna.userId, email: anna.email, email_verified: true, name: "Anna" };
  });
  const workspaceOf = async (visited: Visit) => (await whoIs(visited))?.workspaceId;

  test("is taken over by the owner of the address, who is asked to accept its workspace", async () => {
    const maker = await givePassword(server, anna);
    const visited = await signIn();
    expect(await whoIs(visited)).toMatchObject({ userId: anna.userId });
    expect(await workspaceOf(visited)).not.toBe(company.workspaceId);
    expect((await maker.read("settings/v1/account.get")).status).toBe(401);
    expect((await server.call(anna.key, "me/meetings.list")).status).toBe(401);
    const [path, token] = lastOf(visited)?.split("#") ?? [];
    expect(path).toBe("/invitation");
    const owner = testBrowser(server);
    owner.cookie = visited.jar.header(PUBLIC_URL);
    readPayload(await owner.write("identity/v1/invitations.accept", { token }));
    expect(await workspaceOf(visited)).toBe(company.workspaceId);
    expect(lastOf(await signIn())).toBe("/meetings");
  });

  test("is taken over by its owner even where the provider's account was linked before", async () => {
    await server.db
      .insert(companyAccounts)
      .values({ id: `acc_${anna.userId}`, userId: anna.userId, issuer, subject: anna.userId });
    const maker = await givePassword(server, anna);
    expect(await whoIs(await signIn())).toMatchObject({ userId: anna.userId });
    expect((await maker.read("settings/v1/account.get")).status).toBe(401);
    expect(lastOf(await signIn())).toBe("/meetings");
  });

  test("is confirmed and loses nothing, where its own browser signs in", async () => {
    const jar = new Jar();
    const own = await openSignedInBrowser(server, anna);
    jar.keep(PUBLIC_URL, new Headers({ "set-cookie": own.cookie }));
    const visited = await signIn(server, "", jar);
    expect([lastOf(visited), await workspaceOf(visited)]).toEqual(["/meetings", company.workspaceId]);
    expect((await server.call(anna.key, "me/meetings.list")).status).toBe(200);
    const [user] = await server.db.select().from(users).where(eq(users.id, anna.userId));
    expect(user?.emailConfirmed).toBe(true);
  });

  test("is not opened by an address that the provider did not verify", async () => {
    account.email_verified = false;
    expect(lastOf(await signIn())).toBe("/sign-in?problem=unverified");
  });
});

describe("nobody is signed in", () => {
  let anna: Person;
  beforeEach(async () => {
    anna = await server.given.person();
    account = { sub: anna.userId, email: anna.email, email_verified: true, name: "Anna" };
  });
  const refused = async (visited: Visit, problem: string) => {
    expect(lastOf(visited)).toBe(`/sign-in?problem=${problem}`);
    expect(await whoIs(visited)).toBeNull();
    expect(await server.db.select().from(sessions).where(eq(sessions.userId, anna.userId))).toEqual([]);
  };
  /** Signs in at the provider, and stops before the browser returns. */
  const untilCallback = () => visit(server, "/identity/v1/oidc/start", { until: /\/oidc\/callback/ });
  const comeBack = (address: string, jar: Jar) => visit(server, address.replace(PUBLIC_URL, ""), { jar });

  test("by an address that the provider did not verify", async () => {
    account.email_verified = false;
    await refused(await signIn(), "unverified");
  });

  test("by an address without an account, unless new people may join", async () => {
    account.email = "nobody@example.com";
    await refused(await signIn(), "no-account");
    const found = await server.db.select().from(users).where(eq(users.email, "nobody@example.com"));
    expect(found).toEqual([]);
  });

  test("by a second account of the provider with the address of a linked user", async () => {
    const mine = await signIn();
    expect(await whoIs(mine)).toMatchObject({ userId: anna.userId });
    await server.db.delete(sessions);
    account = { ...account, sub: "somebody who got the address later" };
    await refused(await signIn(), "other-account");
    const log = await server.db.select().from(auditLog).where(eq(auditLog.object, anna.userId));
    expect(log.filter(({ action }) => action === "session.fail")).toMatchObject([
      { actor: "anonymous", method: "oidc", network: "127.0.0.0/24" },
    ]);
  });

  test("in a browser that did not start it: an attacker's URL opens no session", async () => {
    const { path } = await untilCallback();
    await refused(await comeBack(path.at(-1) ?? "", new Jar()), "expired");
    const other = await untilCallback();
    await refused(await comeBack(path.at(-1) ?? "", other.jar), "provider");
  });

  test("twice by one answer of the provider", async () => {
    const { path, jar } = await untilCallback();
    const copy = new Jar();
    copy.keep(PUBLIC_URL, new Headers({ "set-cookie": jar.header(PUBLIC_URL) }));
    expect(await whoIs(await comeBack(path.at(-1) ?? "", jar))).toMatchObject({ userId: anna.userId });
    await server.db.delete(sessions);
    await refused(await comeBack(path.at(-1) ?? "", copy), "expired");
  });

  test("by a changed state or code, or when the provider refuses", async () => {
    for (const change of [
      (url: URL) => url.searchParams.set("state", "changed"),
      (url: URL) => url.searchParams.set("code", "changed"),
      (url: URL) => url.searchParams.set("iss", "https://evil.example"),
      (url: URL) => {
        url.searchParams.delete("code");
        url.searchParams.set("error", "access_denied");
      },
    ]) {
      const { path, jar } = await untilCallback();
      const url = new URL(path.at(-1) ?? "");
      change(url);
      await refused(await comeBack(url.href, jar), "provider");
    }
    expect(server.log.join("\n")).not.toContain(OIDC_CLIENT.client_secret);
  });
});

test("an ID token signed with another key than the provider's is refused", async () => {
  const forged = createServer();
  await new Promise<void>((resolve) => forged.listen(0, "127.0.0.1", resolve));
  const origin = `http://127.0.0.1:${(forged.address() as AddressInfo).port}`;
  const listener = await createOidcListener(origin, () => account, [CALLBACK]);
  const { publicKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  forged.on("request", (request, response) => {
    if (!request.url?.startsWith("/jwks")) return listener(request, response);
    response.setHeader("content-type", "application/json");
    response.end(
      JSON.stringify({ keys: [{ ...publicKey.export({ format: "jwk" }), use: "sig", alg: "RS256" }] }),
    );
  });
  const trusting = await startTestServer({
    database: server.database,
    publicUrl: PUBLIC_URL,
    signIn: {
      OIDC_ISSUER: origin,
      OIDC_CLIENT_ID: OIDC_CLIENT.client_id,
      OIDC_CLIENT_SECRET: OIDC_CLIENT.client_secret,
    },
  });
  const anna = await server.given.person();
  account = { sub: "forged", email: anna.email, email_verified: true, name: "Anna" };
  const visited = await signIn(trusting);
  expect(lastOf(visited)).toBe("/sign-in?problem=provider");
  expect(await whoIs(visited)).toBeNull();
  await trusting.close();
  forged.closeAllConnections();
  await new Promise((resolve) => forged.close(resolve));
});

test("an unreachable provider leads to the sign-in page, and the next sign-in contacts it again", async () => {
  const away = createServer((_request, response) => response.writeHead(503).end());
  await new Promise<void>((resolve) => away.listen(0, "127.0.0.1", resolve));
  const { port } = away.address() as AddressInfo;
  const lost = await startTestServer({
    database: server.database,
    publicUrl: PUBLIC_URL,
    signIn: { OIDC_ISSUER: `http://127.0.0.1:${port}`, OIDC_CLIENT_ID: "x", OIDC_CLIENT_SECRET: "y" },
  });
  expect(lastOf(await signIn(lost))).toBe("/sign-in?problem=provider");
  away.removeAllListeners("request");
  away.on("request", await createOidcListener(`http://127.0.0.1:${port}`, () => account, [CALLBACK]));
  const { path } = await visit(lost, "/identity/v1/oidc/start", { until: new RegExp(`:${port}/`) });
  expect(path.at(-1)).toContain(`http://127.0.0.1:${port}/auth?`);
  await lost.close();
  away.closeAllConnections();
  await new Promise((resolve) => away.close(resolve));
});

test("a provider that never answers leads to the sign-in page within the deadline of a call", async () => {
  const silent = createServer(() => {});
  await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
  const { port } = silent.address() as AddressInfo;
  const waiting = await startTestServer({
    database: server.database,
    deadline: 1_000,
    publicUrl: PUBLIC_URL,
    signIn: { OIDC_ISSUER: `http://127.0.0.1:${port}`, OIDC_CLIENT_ID: "x", OIDC_CLIENT_SECRET: "y" },
  });
  const visited = await signIn(waiting);
  expect(lastOf(visited)).toBe("/sign-in?problem=provider");
  expect(visited.jar.header(PUBLIC_URL)).toBe("");
  await waiting.close();
  silent.closeAllConnections();
  await new Promise((resolve) => silent.close(resolve));
});

test("404: without a provider, and where SIGN_IN has no oidc", async () => {
  const settings = { OIDC_ISSUER: issuer, OIDC_CLIENT_ID: "x", OIDC_CLIENT_SECRET: "y" };
  for (const signInWays of [{}, { ...settings, SIGN_IN: ["password"] }]) {
    const without = await startTestServer({ database: server.database, signIn: signInWays });
    const browser = testBrowser(without);
    expect((await browser.read("identity/v1/oidc/start")).status).toBe(404);
    expect(readPayload(await browser.read("identity/v1/session.get"))).toMatchObject({
      ways: { oidc: false },
    });
    await without.close();
  }
});
