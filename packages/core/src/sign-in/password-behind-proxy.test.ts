import { schema } from "@minutes/db";
import { startTestServer, type TestServer } from "@minutes/server/testing";
import {
  givePassword,
  PASSWORD,
  type Person,
  readPayload,
  type TestBrowser,
  testBrowser,
} from "@minutes/testing";
import { like, sql } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createSignInToken } from "./links.js";
import { usePasswordScene } from "./testing/password-scene.js";

const { signInAttempts } = schema;

let server: TestServer;
let anna: Person;
usePasswordScene((scene) => {
  ({ server, anna } = scene);
});

/** The counter of an account's failures from all sources. */
const isWholeAccount = sql`${signInAttempts.key} ~ '^account:[0-9a-f]+$'`;

const use = (token: string) => testBrowser(server).write("identity/v1/link.use", { token });

const signInFrom = (address: string, email: string, password: string, browser: TestBrowser) =>
  browser.write(
    "identity/v1/password.signIn",
    { email, password },
    { headers: { "x-forwarded-for": address } },
  );

describe("a password behind a proxy", () => {
  let proxied: TestServer;
  beforeAll(async () => {
    proxied = await startTestServer({ database: server.database, trustProxy: 1 });
  });
  afterAll(() => proxied.close());
  const from = (address: string, email: string, password: string, browser = testBrowser(proxied)) =>
    signInFrom(address, email, password, browser);

  test("200: thirty failed sign-ins of others behind the same address keep nobody out", async () => {
    await from("192.0.2.1", "guess@example.com", PASSWORD);
    await server.db.update(signInAttempts).set({ failures: 29 }).where(like(signInAttempts.key, "address:%"));
    expect((await from("192.0.2.1", "another@example.com", PASSWORD)).status).toBe(401);
    expect((await from("192.0.2.1", anna.email, PASSWORD)).status).toBe(200);
    const { status } = await use(await createSignInToken(server.db, anna.userId));
    expect(status).toBe(200);
  });

  test("200: sixteen failures elsewhere don't lock the account for its owner", async () => {
    const known = testBrowser(proxied);
    expect((await from("192.0.2.2", anna.email, PASSWORD, known)).status).toBe(200);
    readPayload(await known.write("identity/v1/session.end"));
    await from("192.0.2.1", anna.email, "wrong password 1");
    await server.db.update(signInAttempts).set({ failures: 15 });
    expect((await from("192.0.2.1", anna.email, "wrong password 1")).status).toBe(401);
    expect((await from("192.0.2.1", anna.email, PASSWORD)).status).toBe(429);
    expect((await from("192.0.2.2", anna.email, PASSWORD)).status).toBe(200);
    // Even behind the guesser's address, in a browser in which they signed in before.
    expect((await from("192.0.2.1", anna.email, PASSWORD, known)).status).toBe(200);
  });

  test("429: guesses at one account from many addresses; a known browser does not wait", async () => {
    const known = testBrowser(proxied);
    expect((await from("192.0.2.2", anna.email, PASSWORD, known)).status).toBe(200);
    await from("198.51.100.1", anna.email, "wrong password 1");
    await server.db.update(signInAttempts).set({ failures: 110 }).where(isWholeAccount);
    expect((await from("198.51.100.2", anna.email, "wrong password 1")).status).toBe(401);
    expect((await from("198.51.100.3", anna.email, PASSWORD)).status).toBe(429);
    expect((await from("198.51.100.3", anna.email, PASSWORD, known)).status).toBe(200);
  });

  test("429: guesses in a known browser wait, and affect no other browser", async () => {
    const known = testBrowser(proxied);
    expect((await from("192.0.2.2", anna.email, PASSWORD, known)).status).toBe(200);
    await from("192.0.2.2", anna.email, "wrong password 1", known);
    await server.db.update(signInAttempts).set({ failures: 15 });
    expect((await from("192.0.2.2", anna.email, "wrong password 1", known)).status).toBe(401);
    expect((await from("192.0.2.2", anna.email, PASSWORD, known)).status).toBe(429);
    expect((await from("192.0.2.2", anna.email, PASSWORD)).status).toBe(200);
  });

  test("a browser is known to the accounts that signed in with it, by a cookie that each sign-in replaces", async () => {
    const [ben, browser] = [await server.given.person(), testBrowser(proxied)];
    await givePassword(server, ben);
    await from("192.0.2.2", anna.email, PASSWORD, browser);
    const copied = browser.known;
    await from("192.0.2.2", ben.email, PASSWORD, browser);
    await server.db.delete(signInAttempts);
    for (const { email } of [anna, ben]) await from("192.0.2.2", email, "wrong password 1", browser);
    const cleo = await server.given.person();
    await from("192.0.2.2", cleo.email, "wrong password 1", browser);
    browser.known = copied;
    await from("192.0.2.2", anna.email, "wrong password 1", browser);
    const keys = (await server.db.select().from(signInAttempts)).map(({ key }) => key);
    const of = (part: string) => keys.filter((key) => key.includes(part)).length;
    expect([of(":browser:"), of(":address:")]).toEqual([2, 2]);
  });

  test("failures decay: one per account in ten minutes", async () => {
    await from("192.0.2.1", anna.email, "wrong password 1");
    const past = sql`now() - interval '25 minutes'`;
    await server.db.update(signInAttempts).set({ failures: 15, blockedUntil: past, lastAt: past });
    await from("192.0.2.1", anna.email, "wrong password 1");
    const [account] = await server.db.select().from(signInAttempts).where(isWholeAccount);
    expect(account?.failures).toBe(14);
    // Five minutes of the third step have already passed.
    const minutes = (Date.now() - Date.parse(account?.lastAt ?? "")) / 60_000;
    expect(Math.round(minutes)).toBe(5);
  });
});

describe("more passwords behind a proxy than can be hashed at once", () => {
  let busy: TestServer;
  beforeAll(async () => {
    // A hash takes longer than a request, but not as long as by default.
    busy = await startTestServer({ database: server.database, trustProxy: 1, passwordCost: 13 });
  });
  afterAll(() => busy.close());
  const from = (address: string, email: string, at = busy) =>
    signInFrom(address, email, PASSWORD, testBrowser(at));

  test("a flood from one address delays another address's sign-in by one turn, not by the flood", async () => {
    let answered = 0;
    const flood = Array.from({ length: 20 }, (_, at) =>
      from("192.0.2.1", `flood${at}@example.com`).finally(() => answered++),
    );
    await expect.poll(() => answered, { interval: 5 }).toBeGreaterThan(0);
    expect((await from("192.0.2.2", anna.email)).status).toBe(200);
    expect(answered).toBeLessThan(15);
    await Promise.all(flood);
  });

  test("503: more sign-ins than can wait; they are logged once, not hashed later, and don't count as failures", async () => {
    // On a slow machine, those who wait would otherwise give up before enough of them do.
    const deadline = 120_000;
    const patient = await startTestServer({
      ...{ database: server.database, trustProxy: 1, deadline, passwordCost: 13 },
    });
    const answers = await Promise.all(
      Array.from({ length: 100 }, (_, at) => from("192.0.2.60", `late${at}@example.com`, patient)),
    );
    const logged = patient.log.map((line) => JSON.parse(line)).filter(({ status }) => status === 503);
    const refused = answers.filter(({ status }) => status === 503);
    expect(logged.map(({ requestId }) => requestId).toSorted()).toEqual(
      refused.map(({ headers }) => headers["x-request-id"]).toSorted(),
    );
    expect([...new Set(logged.map(({ fault }) => fault))]).toEqual(["too many waiting"]);
    const statuses = answers.map(({ status }) => status);
    const checked = statuses.filter((status) => status === 401).length;
    expect(statuses.filter((status) => status !== 401 && status !== 503)).toEqual([]);
    // Some are hashed while others arrive; hash-queue.test.ts has the exact bound.
    expect(checked).toBeLessThan(100);
    expect((await from("192.0.2.2", anna.email)).status).toBe(200);
    const count = async () => {
      const rows = await server.db.select().from(signInAttempts).where(like(signInAttempts.key, "address:%"));
      return rows.find(({ key }) => key.endsWith("192.0.2.60"))?.failures;
    };
    // hash-queue.test.ts has those who give up before.
    expect(await count()).toBeLessThanOrEqual(checked);
    await patient.close();
  });
});
