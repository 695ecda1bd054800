import { scryptSync } from "node:crypto";
import { schema } from "@minutes/db";
import { startTestServer, type TestServer } from "@minutes/server/testing";
import { givePassword, PASSWORD, type Person } from "@minutes/testing";
import { eq, like, sql } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { signIn, usePasswordScene } from "./testing/password-scene.js";

const { passwords, signInAttempts } = schema;

let server: TestServer;
let anna: Person;
usePasswordScene((scene) => {
  ({ server, anna } = scene);
});

const attempt = (email: string, password: string, at: { url: string } = server) =>
  signIn(at, email, password);

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

  test("401: five failures of one source are free; 429: from the sixth on, attempts wait", async () => {
    await attempt(anna.email, "wrong password 1");
    const failed = (failures: number) =>
      server.db
        .update(signInAttempts)
        .set({ failures, blockedUntil: sql`now() + interval '1 hour'`, lastAt: sql`now()` })
        .where(like(signInAttempts.key, "account:%:address:%"));
    await failed(5);
    expect((await attempt(anna.email, "wrong password 1")).status).toBe(401);
    await failed(6);
    expect((await attempt(anna.email, "wrong password 1")).status).toBe(429);
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
});

describe("the default cost of a password", () => {
  let costly: TestServer;
  beforeAll(async () => {
    costly = await startTestServer({ database: server.database, passwordCost: null });
  });
  afterAll(() => costly.close());

  test("an unknown account takes as long as a wrong password", async () => {
    const times: Record<"known" | "unknown", number[]> = { known: [], unknown: [] };
    // The least CPU time: other programs on the machine affect the clock, and can only make computing slower.
    const measure = async (name: "known" | "unknown", email: string) => {
      await server.db.delete(signInAttempts);
      const began = process.cpuUsage();
      expect((await attempt(email, "wrong password 1")).status).toBe(401);
      const { user } = process.cpuUsage(began);
      times[name].push(user);
    };
    const known = await server.given.person();
    await givePassword(server, known);
    for (let turn = 0; turn < 5; turn++) {
      await measure("known", known.email);
      await measure("unknown", `nobody${turn}@example.com`);
    }
    const ratio = Math.min(...times.unknown) / Math.min(...times.known);
    expect(ratio).toBeGreaterThan(0.7);
    expect(ratio).toBeLessThan(1.4);
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
