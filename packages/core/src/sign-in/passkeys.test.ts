import { LIMITS } from "@minutes/contract";
import { schema } from "@minutes/db";
import { startTestServer, type TestServer } from "@minutes/server/testing";
import {
  openSignedInBrowser,
  type Person,
  readPayload,
  type TestBrowser,
  type TestPasskey,
  testBrowser,
  testPasskey,
} from "@minutes/testing";
import { eq, sql } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { toPasskeySite } from "./passkeys.js";

const SITE = { id: "localhost", origin: "http://localhost" };
const { passkeys, sessions, signInChallenges } = schema;

let server: TestServer;
let anna: Person;
let browser: TestBrowser;
beforeAll(async () => {
  server = await startTestServer();
  anna = await server.given.person();
  browser = await openSignedInBrowser(server, anna);
});
afterAll(() => server.close());

const begin = async (who: TestBrowser = browser) =>
  readPayload<{ challenge: string }>(await who.write("settings/v1/account.createPasskeyOptions")).challenge;
const add = (response: object, who: TestBrowser = browser) =>
  who.write("settings/v1/account.createPasskey", { name: "Laptop", response });
const addedTo = async (who: TestBrowser): Promise<TestPasskey> => {
  const passkey = testPasskey(SITE);
  readPayload(await add(passkey.create(await begin(who)), who));
  return passkey;
};
const challenge = async () =>
  readPayload<{ challenge: string }>(await testBrowser(server).write("identity/v1/passkey.createChallenge"))
    .challenge;
const signIn = (response: object, who = testBrowser(server)) =>
  who.write("identity/v1/passkey.signIn", { response });

describe("a passkey", () => {
  test("is added, signs in, is listed with its use, and no longer signs in once removed", async () => {
    const anna = await server.given.person();
    const browser = await openSignedInBrowser(server, anna);
    const passkey = await addedTo(browser);
    const other = testBrowser(server);
    readPayload(await signIn(passkey.sign(await challenge()), other));
    expect(readPayload(await other.read("settings/v1/account.get"))).toMatchObject({ userId: anna.userId });
    const { passkeys: list } = readPayload<{
      passkeys: { id: string; name: string; lastUsedAt: string | null }[];
    }>(await browser.read("settings/v1/account.listPasskeys"));
    expect(list).toMatchObject([{ name: "Laptop", lastUsedAt: expect.any(String) }]);
    const passkeyId = list[0]?.id;
    const stranger = await openSignedInBrowser(server, await server.given.person());
    expect((await stranger.write("settings/v1/account.deletePasskey", { passkeyId })).status).toBe(404);
    readPayload(await browser.write("settings/v1/account.deletePasskey", { passkeyId }));
    expect((await signIn(passkey.sign(await challenge()))).status).toBe(401);
  });

  test("the options name the host of PUBLIC_URL, whatever the request's Host says", async () => {
    const options = readPayload(
      await browser.write(
        "settings/v1/account.createPasskeyOptions",
        {},
        { headers: { host: "evil.example" } },
      ),
    );
    expect(options).toMatchObject({
      rp: { id: "localhost" },
      authenticatorSelection: { residentKey: "required", userVerification: "required" },
    });
  });

  test("challenges are stored as hashes, for ten minutes", async () => {
    const sent = await challenge();
    const stored = await server.db.select().from(signInChallenges);
    expect(stored.length).toBeGreaterThan(0);
    expect(JSON.stringify(stored.map(({ hash }) => Buffer.from(hash).toString("latin1")))).not.toContain(
      sent,
    );
    const left = stored.map(({ expiresAt }) => Date.parse(expiresAt) - Date.now());
    expect(Math.max(...left)).toBeLessThanOrEqual(LIMITS.challengeSeconds * 1_000 + 5_000);
  });
});

// Each sign-in needs a higher count than the one before.
describe("401: a passkey does not sign in", { shuffle: false }, () => {
  let passkey: TestPasskey;
  let other: Person;
  beforeAll(async () => {
    passkey = await addedTo(browser);
    other = await server.given.person();
  });

  test.each([
    ["made on another origin", { origin: "http://evil.example" }],
    ["made for another host", { siteId: "evil.example" }],
    ["without a check of the person", { userVerified: false }],
    ["that names another user", { userHandle: Buffer.from("usr_other").toString("base64url") }],
  ])("%s", async (_name, fault) => {
    const visitor = testBrowser(server);
    expect((await signIn(passkey.sign(await challenge(), fault), visitor)).status).toBe(401);
    expect(visitor.cookie).toBe("");
  });

  test("with a count of signatures that did not grow, as a copied passkey's", async () => {
    const at = (counter: number) => challenge().then((sent) => signIn(passkey.sign(sent, { counter })));
    expect((await at(1_000)).status).toBe(200);
    expect((await at(1_000)).status).toBe(401);
    expect((await at(999)).status).toBe(401);
    expect((await at(1_001)).status).toBe(200);
  });

  test("twice with one challenge, nor more than once in ten concurrent uses", async () => {
    const answer = passkey.sign(await challenge(), { counter: 2_000 });
    const statuses = (await Promise.all(Array.from({ length: 10 }, () => signIn(answer)))).map(
      (one) => one.status,
    );
    expect(statuses.sort()).toEqual([200, ...Array(9).fill(401)]);
  });

  test("with a challenge that is made up, expired, or was wrongly answered before", async () => {
    expect((await signIn(passkey.sign("bWFkZSB1cA", { counter: 3_000 }))).status).toBe(401);
    const expired = await challenge();
    await server.db.update(signInChallenges).set({ expiresAt: sql`now() - interval '1 second'` });
    expect((await signIn(passkey.sign(expired, { counter: 3_001 }))).status).toBe(401);
    const tried = await challenge();
    await signIn(passkey.sign(tried, { counter: 3_002, siteId: "evil.example" }));
    expect((await signIn(passkey.sign(tried, { counter: 3_003 }))).status).toBe(401);
  });

  test("with a challenge for adding one, a foreign signature, or one that was never added", async () => {
    expect((await signIn(passkey.sign(await begin(), { counter: 4_000 }))).status).toBe(401);
    const stranger = testPasskey(SITE);
    expect((await signIn(stranger.sign(await challenge()))).status).toBe(401);
    const forged = { ...(stranger.sign(await challenge()) as object), id: passkey.id, rawId: passkey.id };
    expect((await signIn(forged)).status).toBe(401);
    expect(other.userId).not.toBe(anna.userId);
  });

  test("400: an invalid WebAuthn response", async () => {
    for (const response of [{}, { id: passkey.id }, { ...passkey.sign("x"), id: "not base64url!" }])
      expect((await signIn(response)).status).toBe(400);
  });
});

describe("adding a passkey", () => {
  test("400: another user's challenge, a used one, another origin, another host; nothing is stored", async () => {
    const before = await server.db.select().from(passkeys);
    const stranger = await openSignedInBrowser(server, await server.given.person());
    const passkey = testPasskey(SITE);
    expect((await add(passkey.create(await begin()), stranger)).status).toBe(400);
    for (const fault of [
      { origin: "http://evil.example" },
      { siteId: "evil.example" },
      { userVerified: false },
    ])
      expect((await add(passkey.create(await begin(), fault))).status).toBe(400);
    expect((await add(passkey.create(await challenge()))).status).toBe(400);
    expect(await server.db.select().from(passkeys)).toEqual(before);
    const used = await begin();
    readPayload(await add(passkey.create(used)));
    expect((await add(testPasskey(SITE).create(used))).status).toBe(400);
  });

  test("409: a passkey that is already stored, even for another user", async () => {
    const passkey = await addedTo(browser);
    const stranger = await openSignedInBrowser(server, await server.given.person());
    expect((await add(passkey.create(await begin(stranger)), stranger)).status).toBe(409);
  });

  test("403: a session that signed in more than fifteen minutes ago", async () => {
    const ben = await server.given.person();
    const old = await openSignedInBrowser(server, ben);
    const response = testPasskey(SITE).create(await begin(old));
    await server.db
      .update(sessions)
      .set({ createdAt: sql`now() - interval '16 minutes'` })
      .where(eq(sessions.userId, ben.userId));
    expect((await add(response, old)).status).toBe(403);
    expect((await old.write("settings/v1/account.createPasskeyOptions")).status).toBe(403);
  });

  test("404: if SIGN_IN excludes passkeys, and if PUBLIC_URL is an IP address", async () => {
    for (const options of [{ signIn: { SIGN_IN: ["password"] } }, { publicUrl: "http://127.0.0.1:3000" }]) {
      const without = await startTestServer({ database: server.database, ...options });
      const who = await openSignedInBrowser(without, anna);
      expect(readPayload(await who.read("identity/v1/session.get"))).toMatchObject({
        ways: { passkey: false },
      });
      expect((await who.write("identity/v1/passkey.createChallenge")).status).toBe(404);
      expect((await who.write("settings/v1/account.createPasskeyOptions")).status).toBe(404);
      await without.close();
    }
    expect(toPasskeySite("http://minutes.example.com")).toBeNull();
    expect(toPasskeySite("https://minutes.example.com:8443")).toEqual({
      id: "minutes.example.com",
      origin: "https://minutes.example.com:8443",
    });
  });
});
