import { scryptSync } from "node:crypto";
import { schema } from "@minutes/db";
import {
  givePassword,
  openSignedInBrowser,
  PASSWORD,
  type Person,
  readPayload,
  startTestServer,
  type TestServer,
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

const attempt = (email: string, password: string, at: { url: string } = server) =>
  testBrowser(at).write("identity/v1/password.signIn", { email, password });

describe("a password", () => {
  test("opens a session whose cookie scripts and other sites can't use", async () => {
    const answer = await attempt(anna.email.toUpperCase(), PASSWORD);
    expect(answer.status).toBe(200);
    expect(answer.headers["set-cookie"]).toEqual([
      expect.stringMatching(/^minutes=mst_\w+; Max-Age=2592000; Path=\/; HttpOnly; SameSite=Lax$/),
    ]);
    expect(answer.text).not.toContain("mst_");
  });

  test("401: a wrong one, an unknown account and an account without one, in the same words", async () => {
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
    // The process's time, not the clock's: other programs on the machine change the clock's alone.
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

  test("429: guesses over four processes at once wait after five failures, the right password too", async () => {
    const others = await Promise.all([1, 2, 3].map(() => startTestServer({ database: server.database })));
    const servers = [server, ...others];
    const guesses = await Promise.all(
      Array.from({ length: 16 }, (_, at) => attempt(anna.email, `wrong password ${at}`, servers[at % 4])),
    );
    const checked = guesses.filter(({ status }) => status === 401).length;
    expect(new Set(guesses.map(({ status }) => status))).toEqual(new Set([401, 429]));
    // Five are free; each further one has to wait for the delay of the one before.
    expect(checked).toBeLessThanOrEqual(9);
    await attempt(anna.email, "wrong password again");
    await server.db.update(signInAttempts).set({ failures: 12 });
    await expect.poll(async () => (await attempt(anna.email, "wrong password again")).status).toBe(401);
    const right = await attempt(anna.email, PASSWORD);
    expect(right.status).toBe(429);
    expect(right.text).toMatch(/Try again in \d+ seconds/);
    for (const other of others) await other.close();
  });

  test("429: guesses at many accounts from one address wait, too, and say nothing of the accounts", async () => {
    await attempt("guess@example.com", PASSWORD);
    await server.db.update(signInAttempts).set({ failures: 18 }).where(like(signInAttempts.key, "address:%"));
    const guesses = await Promise.all(
      Array.from({ length: 10 }, (_, at) => attempt(`guess${at}@example.com`, PASSWORD)),
    );
    // Two are free, and each further one has to wait for the delay of the one before.
    expect(guesses.filter(({ status }) => status === 429).length).toBeGreaterThanOrEqual(5);
    const keys = (await server.db.select().from(signInAttempts)).map(({ key }) => key);
    expect(JSON.stringify(keys)).not.toContain("@");
  });

  test("a success forgets the account's failures, and counts nothing for the address", async () => {
    for (let failures = 0; failures < 2; failures++) await attempt(anna.email, "wrong password 1");
    expect((await attempt(anna.email, PASSWORD)).status).toBe(200);
    const left = await server.db.select().from(signInAttempts);
    expect(left.map(({ key, failures }) => [key.split(":")[0], failures])).toEqual([["address", 2]]);
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

describe("a one-time link", () => {
  const use = (token: string) => testBrowser(server).write("identity/v1/link.use", { token });

  test("401: the second of ten browsers at once, and every later one", async () => {
    const token = await createSignInToken(server.db, anna.userId);
    const statuses = (await Promise.all(Array.from({ length: 10 }, () => use(token)))).map(
      (one) => one.status,
    );
    expect(statuses.sort()).toEqual([200, ...Array.from({ length: 9 }, () => 401)]);
    expect((await use(token)).status).toBe(401);
  });

  test("429: guesses over four processes wait after twenty failures of the address", async () => {
    const others = await Promise.all([1, 2, 3].map(() => startTestServer({ database: server.database })));
    const servers = [server, ...others];
    await use("mlk_guess");
    await server.db.update(signInAttempts).set({ failures: 18 });
    const guesses = await Promise.all(
      Array.from({ length: 16 }, (_, at) =>
        testBrowser(servers[at % 4] ?? server).write("identity/v1/link.use", { token: `mlk_guess${at}` }),
      ),
    );
    // Two are free; each further one has to wait for the delay of the one before.
    expect(guesses.filter(({ status }) => status === 429).length).toBeGreaterThanOrEqual(10);
    await server.db
      .update(signInAttempts)
      .set({ failures: 25, blockedUntil: sql`clock_timestamp() + interval '1 minute'` });
    const right = await use(await createSignInToken(server.db, anna.userId));
    expect(right.status).toBe(429);
    for (const other of others) await other.close();
  });

  test("a link that works counts nothing for its address", async () => {
    expect((await use(await createSignInToken(server.db, anna.userId))).status).toBe(200);
    const [address] = await server.db.select().from(signInAttempts);
    expect(address?.failures).toBe(0);
  });

  test("401: an expired link and a malformed token", async () => {
    expect((await use(await createSignInToken(server.db, anna.userId, -1))).status).toBe(401);
    expect((await use("nonsense")).status).toBe(401);
  });
});

describe("sessions", () => {
  test("a cookie that an attacker planted is not used for the new session", async () => {
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
    ]);
    await secure.close();
  });

  test("the audit log has sign-ins, without e-mail addresses, tokens and passwords", async () => {
    await attempt(anna.email, PASSWORD);
    const log = await server.db.select().from(auditLog).where(eq(auditLog.actor, anna.userId));
    expect(log.map(({ action }) => action)).toContain("session.create");
    const text = JSON.stringify(await server.db.select().from(auditLog)) + server.log.join("\n");
    for (const secret of [anna.email, PASSWORD, "mst_", "mlk_"]) expect(text).not.toContain(secret);
  });
});
