import { schema } from "@minutes/db";
import { startTestServer, type TestServer } from "@minutes/server/testing";
import { PASSWORD, type Person, testBrowser } from "@minutes/testing";
import { sql } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { createSignInToken } from "./links.js";
import { signIn, usePasswordScene } from "./testing/password-scene.js";

const { signInAttempts } = schema;

let server: TestServer;
let anna: Person;
usePasswordScene((scene) => {
  ({ server, anna } = scene);
});

const attempt = (email: string, password: string, at: { url: string } = server) =>
  signIn(at, email, password);

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
