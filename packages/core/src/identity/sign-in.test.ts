import { scryptSync } from "node:crypto";
import { schema } from "@minutes/db";
import { startTestServer, type TestServer } from "@minutes/server/testing";
import {
  givePassword,
  openSignedInBrowser,
  PASSWORD,
  type Person,
  readPayload,
  testBrowser,
} from "@minutes/testing";
import { eq, like, sql } from "drizzle-orm";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { createSignInToken } from "./links.js";

const { auditLog, passwords, signInAttempts } = schema;

let server: TestServer;
let anna: Person;
beforeAll(async () => {
  server = await startTestServer();
  anna = await server.given.person();
  await givePassword(server, anna);
});
beforeEach(() => server.db.delete(signInAttempts));
afterAll(() => server.close());

/** The counter of an account's failures from all sources. */
const isWholeAccount = sql`${signInAttempts.key} ~ '^account:[0-9a-f]+$'`;

const attempt = (email: string, password: string, at: { url: string } = server) =>
  testBrowser(at).write("identity/v1/password.signIn", { email, password });

describe("a password", () => {
  test("opens a session whose cookie is inaccessible to scripts and other sites", async () => {
    const answer = await attempt(anna.email.toUpperCase(), PASSWORD);
    expect(answer.status).toBe(200);
    expect(answer.headers["set-cookie"]).toEqual([
      expect.stringMatching(/^minutes=mst_\w+; Max-Age=2592000; Path=\/; HttpOnly; SameSite=Lax$/),
      expect.stringMatching(/^minutes-browser=mbr_\w+; Max-Age=15552000; Path=\/; HttpOnly; SameSite=Lax$/),
    ]);
    expect(answer.text).not.toContain("mst_");
  });

  test("401: a wrong password, an unknown account and an account without one, with the same message", async () => {
    const without = await server.given.person();
    const answers = [
      await attempt(anna.email, "wrong password 1"),
      await attempt("nobody@example.com", PASSWORD),
      await attempt(without.email, PASSWORD),
    ];
    for (const { status, text } of answers) expect([status, text]).toEqual([401, answers[0]?.text]);
  });

  test("an unknown account takes as long as a wrong password", async () => {
    const median = (values: number[]) => values.sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
    const times: Record<"known" | "unknown", number[]> = { known: [], unknown: [] };
    // CPU time, because other programs on the machine affect only the clock.
    const measure = async (name: "known" | "unknown", email: string) => {
      await server.db.delete(signInAttempts);
      const began = process.cpuUsage();
      expect((await attempt(email, "wrong password 1")).status).toBe(401);
      const { user } = process.cpuUsage(began);
      times[name].push(user);
    };
    for (let turn = 0; turn < 5; turn++) {
      await measure("known", anna.email);
      await measure("unknown", `nobody${turn}@example.com`);
    }
    const ratio = median(times.unknown) / median(times.known);
    expect(ratio).toBeGreaterThan(0.7);
    expect(ratio).toBeLessThan(1.4);
  });

  test("429: concurrent guesses on four processes wait after five failures, and so does the right password", async () => {
    const others = await Promise.all([1, 2, 3].map(() => startTestServer({ database: server.database })));
    const servers = [server, ...others];
    const guesses = await Promise.all(
      Array.from({ length: 16 }, (_, at) => attempt(anna.email, `wrong password ${at}`, servers[at % 4])),
    );
    const checked = guesses.filter(({ status }) => status === 401).length;
    expect(new Set(guesses.map(({ status }) => status))).toEqual(new Set([401, 429]));
    // Five are free; each further one waits for the previous delay.
    expect(checked).toBeLessThanOrEqual(9);
    await attempt(anna.email, "wrong password again");
    await server.db.update(signInAttempts).set({ failures: 12 });
    await expect.poll(async () => (await attempt(anna.email, "wrong password again")).status).toBe(401);
    const right = await attempt(anna.email, PASSWORD);
    expect(right.status).toBe(429);
    expect(right.text).toMatch(/Try again in \d+ seconds/);
    for (const other of others) await other.close();
  });

  test("429: guesses at many accounts from one address also wait, and reveal nothing about the accounts", async () => {
    await attempt("guess@example.com", PASSWORD);
    await server.db.update(signInAttempts).set({ failures: 98 }).where(like(signInAttempts.key, "address:%"));
    const guesses = await Promise.all(
      Array.from({ length: 10 }, (_, at) => attempt(`guess${at}@example.com`, PASSWORD)),
    );
    // Two are free; each further one waits for the previous delay.
    expect(guesses.filter(({ status }) => status === 429).length).toBeGreaterThanOrEqual(5);
    const keys = (await server.db.select().from(signInAttempts)).map(({ key }) => key);
    expect(JSON.stringify(keys)).not.toContain("@");
  });

  test("a success resets the failures of its address at the account, and reverts its own count elsewhere", async () => {
    for (let failures = 0; failures < 2; failures++) await attempt(anna.email, "wrong password 1");
    expect((await attempt(anna.email, PASSWORD)).status).toBe(200);
    const left = await server.db.select().from(signInAttempts);
    expect(left.map(({ key, failures }) => [key.split(":")[0], failures]).sort()).toEqual([
      ["account", 2],
      ["address", 2],
    ]);
  });

  describe("behind a proxy", () => {
    let proxied: TestServer;
    beforeAll(async () => {
      proxied = await startTestServer({ database: server.database, trustProxy: 1 });
    });
    afterAll(() => proxied.close());
    const from = (address: string, email: string, password: string, browser = testBrowser(proxied)) =>
      browser.write(
        "identity/v1/password.signIn",
        { email, password },
        { headers: { "x-forwarded-for": address } },
      );

    test("200: thirty failed sign-ins of others behind the same address keep nobody out", async () => {
      await from("192.0.2.1", "guess@example.com", PASSWORD);
      await server.db
        .update(signInAttempts)
        .set({ failures: 29 })
        .where(like(signInAttempts.key, "address:%"));
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

    test("a flood from one address delays another address's sign-in by one turn, not by the flood", async () => {
      let answered = 0;
      const flood = Array.from({ length: 20 }, (_, at) =>
        from("192.0.2.1", `flood${at}@example.com`, PASSWORD).finally(() => answered++),
      );
      await expect.poll(() => answered).toBeGreaterThan(0);
      expect((await from("192.0.2.2", anna.email, PASSWORD)).status).toBe(200);
      expect(answered).toBeLessThan(15);
      await Promise.all(flood);
    });

    test("503: more sign-ins than can wait; they are not hashed later, and don't count as failures", async () => {
      const impatient = await startTestServer({ database: server.database, trustProxy: 1, deadline: 5_000 });
      const statuses = await Promise.all(
        Array.from({ length: 100 }, async (_, at) => {
          const email = `late${at}@example.com`;
          return (await from("192.0.2.60", email, PASSWORD, testBrowser(impatient))).status;
        }),
      );
      const checked = statuses.filter((status) => status === 401).length;
      expect(statuses.filter((status) => status !== 401 && status !== 503)).toEqual([]);
      // Some are hashed while others arrive; hash-queue.test.ts has the exact bound.
      expect(checked).toBeLessThan(100);
      expect((await from("192.0.2.2", anna.email, PASSWORD)).status).toBe(200);
      const count = async () => {
        const rows = await server.db
          .select()
          .from(signInAttempts)
          .where(like(signInAttempts.key, "address:%"));
        return rows.find(({ key }) => key.endsWith("192.0.2.60"))?.failures;
      };
      // Some were being hashed when their callers got 503.
      await expect.poll(count).toBeLessThan(checked + 10);
      await impatient.close();
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

  test("a hash with weaker parameters is replaced when its password is used", async () => {
    const old = await server.given.person();
    const salt = Buffer.alloc(16, 7);
    const key = scryptSync(PASSWORD, salt, 32, { N: 2 ** 14, r: 8, p: 1 });
    const hash = `$scrypt$ln=14,r=8,p=1$${salt.toString("base64url")}$${key.toString("base64url")}`;
    await server.db.insert(passwords).values({ userId: old.userId, hash });
    expect((await attempt(old.email, PASSWORD)).status).toBe(200);
    const [row] = await server.db.select().from(passwords).where(eq(passwords.userId, old.userId));
    expect(row?.hash).toMatch(/^\$scrypt\$ln=15,r=8,p=3\$/);
    expect((await attempt(old.email, PASSWORD)).status).toBe(200);
  });
});

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

describe("sessions", () => {
  test("a cookie planted by an attacker is not reused for the new session", async () => {
    const attacker = await openSignedInBrowser(server, await server.given.person());
    const victim = testBrowser(server);
    victim.cookie = attacker.cookie;
    const planted = victim.cookie;
    readPayload(await victim.write("identity/v1/password.signIn", { email: anna.email, password: PASSWORD }));
    expect(victim.cookie).not.toBe(planted);
    expect((await attacker.read("settings/v1/account.get")).status).toBe(401);
  });

  test("signing out ends the session on every process", async () => {
    const other = await startTestServer({ database: server.database });
    const browser = await openSignedInBrowser(server, anna);
    const copy = testBrowser(other);
    copy.cookie = browser.cookie;
    expect((await copy.read("settings/v1/account.get")).status).toBe(200);
    readPayload(await browser.write("identity/v1/session.end"));
    expect(browser.cookie).toBe("");
    expect((await copy.read("settings/v1/account.get")).status).toBe(401);
    await other.close();
  });

  test("over https the cookie is bound to the host", async () => {
    const secure = await startTestServer({
      database: server.database,
      publicUrl: "https://minutes.example.com",
    });
    const answer = await attempt(anna.email, PASSWORD, secure);
    expect(answer.headers["set-cookie"]).toEqual([
      expect.stringMatching(/^__Host-minutes=mst_\w+; Max-Age=\d+; Path=\/; HttpOnly; SameSite=Lax; Secure$/),
      expect.stringMatching(/^__Host-minutes-browser=mbr_\w+; .*; HttpOnly; SameSite=Lax; Secure$/),
    ]);
    await secure.close();
  });

  test("the audit log records sign-ins without e-mail addresses, tokens and passwords", async () => {
    await attempt(anna.email, PASSWORD);
    const log = await server.db.select().from(auditLog).where(eq(auditLog.actor, anna.userId));
    expect(log.map(({ action }) => action)).toContain("session.create");
    const text = JSON.stringify(await server.db.select().from(auditLog)) + server.log.join("\n");
    for (const secret of [anna.email, PASSWORD, "mst_", "mlk_"]) expect(text).not.toContain(secret);
  });
});
