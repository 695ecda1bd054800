import { generateKeyPairSync } from "node:crypto";
import { schema } from "@minutes/db";
import { createOidcListener, OIDC_CLIENT, type Person, readPayload, testBrowser } from "@minutes/testing";
import { eq } from "drizzle-orm";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { startTestServer, type TestServer } from "../../testing/index.js";
import {
  type Account,
  CALLBACK,
  getLastPath,
  Jar,
  type OidcScene,
  PUBLIC_URL,
  startFalseProvider,
  startOidcScene,
  toSettings,
  type Visit,
  visit,
} from "../../testing/oidc.js";

const { auditLog, companyAccounts, sessions, users } = schema;

let account: Account = { sub: "1", email: "", email_verified: true, name: "Anna" };
let scene: OidcScene;
let server: TestServer;
let signIn: OidcScene["signIn"];
let whoIs: OidcScene["whoIs"];

beforeAll(async () => {
  scene = await startOidcScene(() => account);
  ({ server, signIn, whoIs } = scene);
});
afterAll(() => scene?.close());
beforeEach(() => server.db.delete(companyAccounts));

describe("nobody is signed in", () => {
  let anna: Person;
  beforeEach(async () => {
    anna = await server.given.person();
    account = { sub: anna.userId, email: anna.email, email_verified: true, name: "Anna" };
  });
  const refused = async (visited: Visit, problem: string) => {
    expect(getLastPath(visited)).toBe(`/sign-in?problem=${problem}`);
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
  const forged = await startFalseProvider(() => {});
  const listener = await createOidcListener(forged.url, () => account, [CALLBACK]);
  const { publicKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  forged.answer((request, response) => {
    if (!request.url?.startsWith("/jwks")) return listener(request, response);
    response.setHeader("content-type", "application/json");
    response.end(
      JSON.stringify({ keys: [{ ...publicKey.export({ format: "jwk" }), use: "sig", alg: "RS256" }] }),
    );
  });
  const trusting = await startTestServer({
    database: server.database,
    publicUrl: PUBLIC_URL,
    signIn: toSettings(forged.url),
  });
  const anna = await server.given.person();
  account = { sub: "forged", email: anna.email, email_verified: true, name: "Anna" };
  const visited = await signIn(trusting);
  expect(getLastPath(visited)).toBe("/sign-in?problem=provider");
  expect(await whoIs(visited)).toBeNull();
  await trusting.close();
  await forged.close();
});

test("an unreachable provider leads to the sign-in page, and the next sign-in contacts it again", async () => {
  const away = await startFalseProvider((_request, response) => response.writeHead(503).end());
  const lost = await startTestServer({
    database: server.database,
    publicUrl: PUBLIC_URL,
    signIn: toSettings(away.url),
  });
  expect(getLastPath(await signIn(lost))).toBe("/sign-in?problem=provider");
  away.answer(await createOidcListener(away.url, () => account, [CALLBACK]));
  const { path } = await visit(lost, "/identity/v1/oidc/start", { until: new RegExp(`^${away.url}/`) });
  expect(path.at(-1)).toContain(`${away.url}/auth?`);
  await lost.close();
  await away.close();
});

test("a provider that never answers leads to the sign-in page within the deadline of a call", async () => {
  const silent = await startFalseProvider(() => {});
  const waiting = await startTestServer({
    database: server.database,
    deadline: 1_000,
    publicUrl: PUBLIC_URL,
    signIn: toSettings(silent.url),
  });
  const visited = await signIn(waiting);
  expect(getLastPath(visited)).toBe("/sign-in?problem=provider");
  expect(visited.jar.header(PUBLIC_URL)).toBe("");
  await waiting.close();
  await silent.close();
});

test("404: without a provider, and where SIGN_IN has no oidc", async () => {
  for (const signInWays of [{}, { ...scene.settings, SIGN_IN: ["password"] }]) {
    const without = await startTestServer({ database: server.database, signIn: signInWays });
    const browser = testBrowser(without);
    expect((await browser.read("identity/v1/oidc/start")).status).toBe(404);
    expect(readPayload(await browser.read("identity/v1/session.get"))).toMatchObject({
      ways: { oidc: false },
    });
    await without.close();
  }
});
