import { DEFAULT_RATE_LIMIT, startTestServer, type TestServer } from "@minutes/server/testing";
import { needs, type send } from "@minutes/testing";
import { sql } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

const LIMIT = 5;
let open: TestServer;
let server: TestServer;
beforeAll(async () => {
  open = await startTestServer();
  server = await startTestServer({ rateLimit: LIMIT, database: open.database });
});
afterAll(async () => {
  await server.close();
  await open.close();
});

const list = (key: string) => server.call(key, "me/meetings.list");
const age = (seconds: number) =>
  server.db.execute(sql`update rate_windows set started_at = started_at - ${seconds} * interval '1 second'`);

describe("429: more calls than the quota", () => {
  test("the limit itself is allowed; the next call is refused with the window's end", async () => {
    const anna = await open.given.person();
    const before = Math.floor(Date.now() / 1000);
    for (let used = 1; used <= LIMIT; used++) {
      const { status, headers } = await list(anna.key);
      expect([status, headers["x-ratelimit-limit"], headers["x-ratelimit-remaining"]]).toEqual([
        200,
        String(LIMIT),
        String(LIMIT - used),
      ]);
      expect(headers["retry-after"]).toBeUndefined();
    }
    const refused = await list(anna.key);
    expect([refused.status, refused.body]).toEqual([
      429,
      { error: "Rate limit exceeded. Try again after the time in X-RateLimit-Reset." },
    ]);
    expect(refused.headers["x-ratelimit-remaining"]).toBe("0");
    const [window] = await server.db
      .select({ began: sql<number>`ceil(extract(epoch from started_at))::int` })
      .from(sql`rate_windows where scope = ${`personal:${anna.userId}`}`);
    expect(window?.began).toBeGreaterThanOrEqual(before);
    expect(Number(refused.headers["x-ratelimit-reset"])).toBe((window?.began ?? 0) + 60);
    const retryAfter = Number(refused.headers["retry-after"]);
    expect(retryAfter).toBeGreaterThanOrEqual(1);
    expect(retryAfter).toBeLessThanOrEqual(60);
  });

  test("the window is fixed: neither later nor refused calls move its end", async () => {
    const anna = await open.given.person();
    const resets = new Set<unknown>();
    for (let call = 0; call < LIMIT + 4; call++)
      resets.add((await list(anna.key)).headers["x-ratelimit-reset"]);
    await age(30);
    const later = await list(anna.key);
    expect(later.status).toBe(429);
    expect(resets.size).toBe(1);
    expect(Number(later.headers["retry-after"])).toBeLessThanOrEqual(30);
  });

  test("a window ends after 60 seconds, and the next call starts a new one", async () => {
    const anna = await open.given.person();
    for (let call = 0; call <= LIMIT; call++) await list(anna.key);
    await age(30);
    expect((await list(anna.key)).status).toBe(429);
    await age(30);
    const fresh = await list(anna.key);
    expect([fresh.status, fresh.headers["x-ratelimit-remaining"]]).toEqual([200, String(LIMIT - 1)]);
  });
});

describe("who shares a quota", () => {
  test("429: all personal keys of a user share one", async () => {
    const anna = await open.given.person();
    const keys = [
      anna.key,
      (await open.given.personalKey(anna)).key,
      (await open.given.personalKey(anna)).key,
    ];
    for (let call = 0; call < LIMIT; call++) expect((await list(keys[call % 3] ?? "")).status).toBe(200);
    for (const key of keys) expect((await list(key)).status).toBe(429);
  });

  test("429: all workspace keys of a workspace share one", async () => {
    const company = await open.given.company();
    const second = await open.given.workspaceKey(company);
    for (let call = 0; call < LIMIT; call++)
      await server.call(call % 2 ? company.key : second.key, "workspace/tasks.list");
    for (const key of [company.key, second.key])
      expect((await server.call(key, "workspace/tasks.list")).status).toBe(429);
  });

  test("200: each user and the workspace have their own quota", async () => {
    const company = await open.given.company();
    const anna = await open.given.member(company);
    for (let call = 0; call <= LIMIT; call++) await list(anna.key);
    expect((await list(anna.key)).status).toBe(429);
    expect((await list(company.admin.key)).status).toBe(200);
    expect((await server.call(company.key, "workspace/meetings.list")).status).toBe(200);
  });

  test("429: a new or regenerated key does not start a new window", async () => {
    const anna = await open.given.person();
    for (let call = 0; call <= LIMIT; call++) await list(anna.key);
    expect((await list((await open.given.personalKey(anna)).key)).status).toBe(429);
  });
});

describe("every authenticated answer counts and has the quota headers", () => {
  const CASES: [status: number, name: string, ask: (key: string) => ReturnType<typeof send>][] = [
    [200, "an answer", (key) => open.call(key, "me/tags.list")],
    [400, "a bad input", (key) => open.call(key, "me/tags.list", { x: 1 })],
    [403, "the other kind's route", (key) => open.call(key, "workspace/tasks.list")],
    [404, "an unknown procedure", (key) => open.call(key, "me/nothing")],
    [404, "an unknown meeting", (key) => open.call(key, "me/meetings.get", { meetingId: "x" })],
    [405, "a wrong method", (key) => open.call(key, "me/tags.list", {}, { method: "DELETE" })],
    [
      413,
      "a body too large",
      (key) => open.call(key, "me/tasks.update", { taskId: "x", text: "x".repeat(300_000) }),
    ],
    [
      415,
      "a body of another type",
      (key) => open.call(key, "me/tasks.update", {}, { headers: { "content-type": "text/plain" } }),
    ],
  ];
  test.each(CASES)("%i: %s", async (status, _name, ask) => {
    const anna = await open.given.person();
    for (const used of [1, 2]) {
      const answer = await ask(anna.key);
      expect(answer.status).toBe(status);
      expect(answer.headers["x-ratelimit-remaining"]).toBe(String(1_000_000_000 - used));
      expect(answer.headers["x-ratelimit-limit"]).toBe("1000000000");
      expect(answer.headers["x-ratelimit-reset"]).toMatch(/^\d{10}$/);
    }
  });

  test("403: even without the plan", async () => {
    const anna = await open.given.person({ plan: "free" });
    const answer = await open.call(anna.key, "me/tags.list");
    expect([answer.status, answer.headers["x-ratelimit-remaining"]]).toEqual([403, "999999999"]);
  });
});

describe("concurrent calls", () => {
  test("exactly 100 of 300 parallel calls succeed, the default limit", async () => {
    const tight = await startTestServer({ rateLimit: DEFAULT_RATE_LIMIT, database: open.database });
    const anna = await open.given.person();
    const keys = [anna.key, (await open.given.personalKey(anna)).key];
    const answers = await Promise.all(
      Array.from({ length: 300 }, (_, call) => tight.call(keys[call % 2] ?? "", "me/tags.list")),
    );
    expect(answers.filter((answer) => answer.status === 200)).toHaveLength(100);
    expect(answers.filter((answer) => answer.status === 429)).toHaveLength(200);
    await tight.close();
  });

  test("exactly as many succeed over two instances", needs("postgres"), async () => {
    const instances = await Promise.all(
      [1, 2].map(() => startTestServer({ rateLimit: 100, database: open.database })),
    );
    const company = await open.given.company();
    const answers = await Promise.all(
      Array.from({ length: 300 }, (_, call) =>
        instances[call % 2]?.call(company.key, "workspace/tasks.list"),
      ),
    );
    expect(answers.filter((answer) => answer?.status === 200)).toHaveLength(100);
    for (const instance of instances) await instance.close();
  });
});

test("200: a window that starts in the future, because the database's clock was set back, is replaced by a new one", async () => {
  const anna = await open.given.person();
  await list(anna.key);
  await server.db.execute(
    sql`update rate_windows set started_at = now() + interval '1 hour', count = 1000000 where scope = ${`personal:${anna.userId}`}`,
  );
  const { status, headers } = await list(anna.key);
  expect([status, Number(headers["x-ratelimit-reset"]) - Date.now() / 1000 < 120]).toEqual([200, true]);
});
