import { schema } from "@minutes/db";
import type { Company, Person } from "@minutes/testing";
import { eq, sql } from "drizzle-orm";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createPkce, prepare, RawApp, REDIRECT } from "../../testing/oauth/app.js";
import { ALLOW, OAuthBrowser, readAccount } from "../../testing/oauth/browser.js";
import { ADDRESS, callMcp, type SecureService, startSecureService } from "../../testing/oauth/service.js";

const { oauthGrants } = schema;

let service: SecureService;
let company: Company;
let anna: Person;
let browser: OAuthBrowser;
beforeAll(async () => {
  service = await startSecureService();
  const { given } = service.servers[0];
  company = await given.company();
  anna = await given.member(company);
  browser = await OAuthBrowser.open(service, anna);
});
afterAll(() => service.close());

const getStatus = async (token: string) => (await callMcp(service, token)).status;

/** Sends an authorization request that is refused. @returns the address behind the link of the page */
async function refuse(app: RawApp, parameters: Record<string, string | undefined>) {
  const page = await browser.send(prepare(app, parameters).url);
  expect([page.status, page.headers.get("location")]).toEqual([400, null]);
  expect(page.headers.get("content-security-policy")).toContain("default-src 'none'");
  return /<a href="([^"]+)">Go back to app.example.net</.exec(await page.text())?.[1];
}

test("400: a link to this service leads to no app's site by itself", async () => {
  const app = await RawApp.register(service);
  for (const response_mode of [undefined, "query", "fragment", "form_post"]) {
    const to = await refuse(app, { prompt: "none", response_mode });
    expect(to).toMatch(/^https:\/\/app\.example\.net\/callback\?error=/);
  }
});

test("400: a redirect to another host, port or path is refused, without redirecting", async () => {
  const app = await RawApp.register(service);
  for (const redirect of [
    "https://evil.example/callback",
    "https://app.example.net:8443/callback",
    `${REDIRECT}/x`,
    `${REDIRECT}?x=1`,
  ]) {
    const answer = await browser.send(prepare(app, { redirect_uri: redirect }).url);
    expect([answer.status, answer.headers.get("location")]).toEqual([400, null]);
    expect(await answer.text()).toContain("Could not connect the app");
  }
});

test.each([
  ["http to another machine", ["http://app.example.net/callback"]],
  ["a script", ["javascript:alert(1)"]],
  ["a scheme that does something", ["ms-msdt:/id/PCWDiagnostic"]],
  ["a fragment", [`${REDIRECT}#x`]],
  ["credentials", ["https://a:b@app.example.net/"]],
  ["too many", Array.from({ length: 11 }, (_, number) => `${REDIRECT}/${number}`)],
  ["none", []],
])("400: a client can't register a redirect with %s", async (_name, redirects) => {
  expect((await RawApp.tryRegister(service, { redirect_uris: redirects })).status).toBe(400);
});

test("400: a code works once, and its second use disconnects the app", async () => {
  const app = await RawApp.register(service);
  const { verifier, url } = prepare(app);
  const code = (await browser.consent(url)).searchParams.get("code") ?? "";
  const first = await app.exchange(code, verifier);
  expect(await getStatus(first.body.access_token ?? "")).toBe(200);
  expect((await app.exchange(code, verifier)).body).toMatchObject({ error: "invalid_grant" });
  expect(await getStatus(first.body.access_token ?? "")).toBe(401);
});

test("400: of concurrent exchanges of a code, at most one succeeds", async () => {
  const app = await RawApp.register(service);
  const { verifier, url } = prepare(app);
  const code = (await browser.consent(url)).searchParams.get("code") ?? "";
  const answers = await Promise.all(Array.from({ length: 4 }, () => app.exchange(code, verifier)));
  expect(answers.filter(({ status }) => status === 200).length).toBeLessThan(2);
});

test("400: PKCE can't be left out, weakened or forged", async () => {
  const app = await RawApp.register(service);
  for (const weaker of [
    { code_challenge: undefined, code_challenge_method: undefined },
    { code_challenge_method: "plain" },
    { code_challenge_method: undefined },
  ]) {
    expect(await refuse(app, weaker)).toContain("error=invalid_request");
  }
  const code = (await browser.consent(prepare(app).url)).searchParams.get("code") ?? "";
  expect((await app.exchange(code, createPkce().verifier)).body).toMatchObject({ error: "invalid_grant" });
});

test("invalid_target: neither a code nor a token is for another resource", async () => {
  const app = await RawApp.register(service);
  for (const resource of ["https://evil.example/mcp", `${service.url}/v1`, `${service.url}/mcp/key`]) {
    expect(await refuse(app, { resource })).toContain("error=invalid_target");
  }
  const { verifier, url } = prepare(app);
  const code = (await browser.consent(url)).searchParams.get("code") ?? "";
  const exchanged = await app.exchange(code, verifier, { resource: "https://evil.example/mcp" });
  expect(exchanged.body).toMatchObject({ error: "invalid_target" });
});

test("401: a token for the service's earlier address stops when the address changes", async () => {
  const { access } = await (await RawApp.register(service)).connect(browser);
  expect(await getStatus(access)).toBe(200);
  await service.servers[0].db.execute(sql`update oauth_grants set resource = 'https://old.example.com/mcp'`);
  expect(await getStatus(access)).toBe(401);
});

test("a refresh token works again for a moment, and later its reuse disconnects the app", async () => {
  const app = await RawApp.register(service);
  const { refresh } = await app.connect(browser);
  const [one, two] = [await app.refresh(refresh), await app.refresh(refresh)];
  expect([one.status, two.status]).toEqual([200, 200]);
  expect(one.body.refresh_token).not.toBe(refresh);
  await service.servers[0].db.execute(
    sql`update oauth_tokens set consumed_at = consumed_at - interval '31 seconds'`,
  );
  expect((await app.refresh(refresh)).body).toMatchObject({ error: "invalid_grant" });
  expect((await app.refresh(one.body.refresh_token)).status).toBe(400);
  expect(await getStatus(two.body.access_token ?? "")).toBe(401);
});

test("a refresh can't widen what the user allowed", async () => {
  const app = await RawApp.register(service);
  const { refresh } = await app.connect(browser);
  const wider = await app.token({
    grant_type: "refresh_token",
    refresh_token: refresh,
    scope: "meetings:delete",
  });
  expect(wider.body).toMatchObject({ error: "invalid_scope" });
});

test("401: revoking a token ends the connection; another app can't revoke it", async () => {
  const [app, other] = [await RawApp.register(service), await RawApp.register(service)];
  const { access, refresh } = await app.connect(browser);
  const revoke = (clientId: string) =>
    service.fetch(`${service.url}/oauth/revoke`, {
      method: "POST",
      headers: { "content-type": "application/x-www-form-urlencoded" },
      body: new URLSearchParams({ client_id: clientId, token: refresh }).toString(),
    });
  await revoke(other.clientId);
  expect(await getStatus(access)).toBe(200);
  expect((await revoke(app.clientId)).status).toBe(200);
  expect([await getStatus(access), (await app.refresh(refresh)).status]).toEqual([401, 400]);
});

test("401: a token and its refresh end when the user is removed from the workspace", async () => {
  const { given } = service.servers[0];
  const ben = await given.member(company);
  const app = await RawApp.register(service);
  const { access, refresh } = await app.connect(await OAuthBrowser.open(service, ben));
  const admin = await given.session(company.admin);
  expect(
    (await service.servers[0].call(admin, "settings/members.remove", { userId: ben.userId })).status,
  ).toBe(200);
  expect([await getStatus(access), (await app.refresh(refresh)).status]).toEqual([401, 400]);
});

test("a code of one app is worth nothing to another", async () => {
  const [app, other] = [await RawApp.register(service), await RawApp.register(service)];
  const { verifier, url } = prepare(app);
  const code = (await browser.consent(url)).searchParams.get("code") ?? "";
  expect((await other.exchange(code, verifier)).body).toMatchObject({ error: "invalid_grant" });
});

test("mix-up: every answer, also a refusal, names this issuer", async () => {
  const app = await RawApp.register(service);
  const denied = await browser.consent(prepare(app).url, { answer: "deny" });
  expect(Object.fromEntries(denied.searchParams)).toMatchObject({
    error: "access_denied",
    state: "state",
    iss: service.url,
  });
});

test("the consent page can't be framed, runs no script, and shows a hostile name as text", async () => {
  const app = await RawApp.register(service, { client_name: '<img src=x onerror=alert(1)>" Claude\u202e' });
  const page = await browser.send(prepare(app).url);
  expect(page.headers.get("x-frame-options")).toBe("DENY");
  expect(page.headers.get("content-security-policy")).toMatch(/default-src 'none'.*frame-ancestors 'none'/);
  const text = await page.text();
  expect(text).toContain("&lt;img src=x onerror=alert(1)&gt;&quot; Claude<");
  expect(text).toContain("app.example.net");
});

test("403: a form of another site can't consent, and a consent belongs to the browser that started it", async () => {
  const app = await RawApp.register(service);
  const page = await browser.send(prepare(app).url);
  const { pathname } = new URL(page.url);
  expect((await browser.send(pathname, ALLOW, { "sec-fetch-site": "cross-site" })).status).toBe(403);
  const victim = await OAuthBrowser.open(service, anna);
  expect((await victim.send(pathname)).status).toBe(400);
  expect((await victim.send(pathname, ALLOW)).status).toBe(400);
});

test("409: consent given by anyone but the person who saw the page is refused, and requested again", async () => {
  const { given, db } = service.servers[0];
  const [eva, ben] = [await given.member(company), await given.member(company)];
  const app = await RawApp.register(service);
  const shared = await OAuthBrowser.open(service, eva);
  const page = await shared.send(prepare(app).url);
  const { pathname } = new URL(page.url);
  const account = readAccount(await page.text());
  await shared.signIn(ben);
  for (const seen of [{ account }, {}]) {
    const answered = await shared.send(pathname, { ...ALLOW, ...seen });
    expect([answered.status, await answered.text()]).toEqual([409, expect.stringContaining(ben.email)]);
  }
  expect(await db.$count(oauthGrants, eq(oauthGrants.clientId, app.clientId))).toBe(0);
  const again = await shared.send(pathname);
  const answered = await shared.send(pathname, { ...ALLOW, account: readAccount(await again.text()) });
  expect(answered.status).toBe(200);
});

test("a person who is not signed in, or was long ago, is led to sign in and back", async () => {
  const app = await RawApp.register(service);
  const stranger = await OAuthBrowser.open(service);
  const page = await stranger.send(prepare(app).url);
  expect(new URL(page.url).pathname).toBe("/sign-in");
  expect(new URL(page.url).searchParams.get("to")).toMatch(/^\/oauth\/consent\//);
  const clara = await service.servers[0].given.member(company);
  const old = await OAuthBrowser.open(service, clara);
  await service.servers[0].db.execute(
    sql`update sessions set created_at = now() - interval '1 hour' where user_id = ${clara.userId}`,
  );
  expect(new URL((await old.send(prepare(app).url)).url).pathname).toBe("/sign-in");
});

test("429: a slash after the path of the registration is no way around its limit", async () => {
  const send = (path: string) =>
    service.fetch(service.url + path, {
      method: "POST",
      headers: { "content-type": "application/json", [ADDRESS]: "2001:db8:ffff::1" },
      body: JSON.stringify({ redirect_uris: [REDIRECT] }),
    });
  for (let i = 0; i < 10; i++) await send("/oauth/register");
  for (const path of ["/oauth/register/", "/oauth/Register", "/oauth/register?x"])
    expect((await send(path)).status).not.toBe(201);
});

test("only this host can set the cookie that binds a consent to a browser", async () => {
  const { url } = prepare(await RawApp.register(service));
  const answer = await service.fetch(url, { redirect: "manual" });
  const cookie = answer.headers.getSetCookie().find((one) => one.includes("minutes-consent=")) ?? "";
  expect(cookie).toMatch(/^__Host-minutes-consent=/);
  expect(cookie).toMatch(/; path=\/;.*; secure; httponly/i);
  expect(cookie).not.toMatch(/domain/i);
});

test("401: an admin's app that reads the workspace ends with the role, also if they get it back", async () => {
  const { given, call, db } = service.servers[0];
  const dora = await given.member(company);
  await db.execute(sql`update members set role = 'admin' where user_id = ${dora.userId}`);
  const app = await RawApp.register(service);
  const doras = await OAuthBrowser.open(service, dora);
  const workspace = await app.connect(doras, "meetings:read workspace:read", {
    ...{ answer: "allow", access: "workspace" },
  });
  const own = await app.connect(doras);
  const admin = await given.session(company.admin);
  for (const role of ["member", "admin"])
    expect((await call(admin, "settings/members.setRole", { userId: dora.userId, role })).status).toBe(200);
  expect([await getStatus(workspace.access), await getStatus(own.access)]).toEqual([401, 200]);
  expect((await app.refresh(workspace.refresh)).status).toBe(400);
});

test("a consent that is sent twice connects the app once", async () => {
  const app = await RawApp.register(service, { client_name: "Twice" });
  const page = await browser.send(prepare(app).url);
  const { pathname } = new URL(page.url);
  const pages: string[] = [];
  const account = readAccount(await page.text());
  for (const answer of [
    { ...ALLOW, account },
    { ...ALLOW, account },
    { answer: "deny", account },
  ])
    pages.push(await (await browser.send(pathname, answer)).text());
  expect(new Set(pages).size).toBe(1);
  const [row] = await service.servers[0].db
    .select({ count: sql<number>`count(*)::int` })
    .from(sql`oauth_grants where client_id = ${app.clientId}`);
  expect(row?.count).toBe(1);
});

test("429: an address starts at most 30 connections a minute; 400: none with a long request", async () => {
  const app = await RawApp.register(service);
  const flooding = await OAuthBrowser.open(service, undefined, "192.0.2.99");
  const statuses: number[] = [];
  for (let i = 0; i < 32; i++) statuses.push((await flooding.send(prepare(app).url)).status);
  expect(statuses.filter((status) => status === 429)).toHaveLength(2);
  const long = await browser.send(prepare(app, { state: "x".repeat(5_000) }).url);
  expect(long.status).toBe(400);
});
