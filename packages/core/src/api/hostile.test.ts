import {
  type HostileInput,
  listHostileInputs,
  listHugeInputs,
  startTestServer,
  type TestServer,
} from "@minutes/server/testing";
import { type Answer, type Company, isWrite, onPostgres, PUBLIC_ROUTES, sendInput } from "@minutes/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

/** Maximum time in ms that one request can block all others. */
const BLOCKED = 100;

let server: TestServer;
let company: Company;
beforeAll(async () => {
  server = await startTestServer();
  company = await server.given.company();
  await server.given.richMeeting(company.admin);
});
afterAll(() => server.close());

const keyFor = (route: string) => (route.startsWith("me/") ? company.admin.key : company.key);

/**
 * Sends the input and, on PostgreSQL, measures the longest time the event loop was blocked. It counts CPU time, because
 * time lost to a busy machine is not the request's fault. The embedded engine computes in this process and is not
 * measured.
 */
async function attack(
  route: string,
  text: HostileInput["text"],
): Promise<{ answer: Answer; blocked: number }> {
  if (!onPostgres) return { answer: await sendInput(server.url, keyFor(route), route, text), blocked: 0 };
  let blocked = 0;
  let last = performance.now();
  let used = process.cpuUsage();
  let running = true;
  const tick = () => {
    const now = performance.now();
    const { user, system } = process.cpuUsage(used);
    blocked = Math.max(blocked, Math.min(now - last, (user + system) / 1_000));
    last = now;
    used = process.cpuUsage();
    if (running) setImmediate(tick);
  };
  tick();
  const answer = await sendInput(server.url, keyFor(route), route, text);
  running = false;
  return { answer, blocked };
}

/** Describes the fault of an answer; nothing for a plain refusal. */
async function faultsOf(route: string, { name, text }: HostileInput): Promise<string[]> {
  let { answer, blocked } = await attack(route, text);
  const faults: string[] = [];
  if (answer.status < 400 || answer.status > 499)
    faults.push(`${name}: ${answer.status} ${answer.text.slice(0, 200)}`);
  const keys = Object.keys((answer.body as object) ?? {});
  const error = (answer.body as { error?: unknown } | undefined)?.error;
  if (keys.join() !== "error" || typeof error !== "string" || error.length > 300)
    faults.push(`${name}: ${answer.text.slice(0, 200)}`);
  // Garbage collection can happen at any time: only input that blocks every time is at fault.
  for (let again = 0; blocked > BLOCKED && again < 5; again++)
    blocked = Math.min(blocked, (await attack(route, text)).blocked);
  if (blocked > BLOCKED) faults.push(`${name}: blocked for ${Math.round(blocked)} ms`);
  return faults;
}

describe("4xx with one sentence, and nothing blocks", () => {
  const inputs = listHostileInputs();
  test("there are at least 300 inputs", () => {
    expect(
      new Set(inputs.map((input) => Buffer.from(input.text as string).toString("latin1"))).size,
    ).toBeGreaterThan(300);
  });

  test.each(PUBLIC_ROUTES)("%s refuses every hostile input", async (route) => {
    const faults: string[] = [];
    // Only PostgreSQL is measured, so other engines can run several at the same time.
    const atOnce = onPostgres ? 1 : 16;
    for (let at = 0; at < inputs.length; at += atOnce) {
      const some = inputs.slice(at, at + atOnce);
      faults.push(...(await Promise.all(some.map((input) => faultsOf(route, input)))).flat());
    }
    expect(faults).toEqual([]);
  });

  test.each(PUBLIC_ROUTES.filter(isWrite))("%s refuses the same inputs at 256 KiB", async (route) => {
    const faults: string[] = [];
    for (const input of listHugeInputs(256 * 1024)) faults.push(...(await faultsOf(route, input)));
    expect(faults).toEqual([]);
  });
});

describe("unusual but well-formed: never a 5xx", () => {
  const STRANGE = [
    "' or 1=1 --",
    "\\'; drop table meetings; --",
    "%",
    "_",
    "$1",
    "$" + "{x}",
    "{{x}}",
    "\u202e\u0007\u001b[31m",
    "🦀".repeat(64),
    "ﷺ",
    "a:*&!|(b)<->",
    "NULL",
    "../../etc/passwd",
    "\ufffe\uffff",
  ];
  const PLACES: [route: string, input: (text: string) => object][] = [
    ["me/meetings.get", (meetingId) => ({ meetingId })],
    ["me/meetings.delete", (meetingId) => ({ meetingId })],
    ["workspace/meetings.delete", (meetingId) => ({ meetingId })],
    ["me/meetings.list", (tag) => ({ tag })],
    ["workspace/meetings.list", (userEmail) => ({ userEmail })],
    ["workspace/tasks.list", (userEmail) => ({ userEmail, meetingId: userEmail })],
    ["me/tasks.list", (meetingId) => ({ meetingId, cursor: `2025-01-01T00:00:00Z::${meetingId}` })],
    ["me/tasks.update", (taskId) => ({ taskId, text: taskId })],
    ["me/meetings.search", (query) => ({ query })],
  ];
  test.each(PLACES)("%s", async (route, input) => {
    for (const text of STRANGE) {
      const answer = await server.call(keyFor(route), route, input(text));
      expect([text, answer.status < 500]).toEqual([text, true]);
      if (answer.status === 200) expect(answer.text).not.toContain('"meetings":[{');
    }
  });

  test("200: searches for any words", async () => {
    for (const query of [...STRANGE, "the and of", "!!!", "x".repeat(1_000), "a b ".repeat(250)])
      expect([query, (await server.call(company.admin.key, "me/meetings.search", { query })).status]).toEqual(
        [query, 200],
      );
  });

  test("200: the earliest and latest times", async () => {
    for (const input of [
      { startDate: "0001-01-01T00:00:00Z", endDate: "9999-12-31T23:59:59.999999Z" },
      { cursor: "0001-01-01T00:00:00Z::x" },
      { cursor: "9999-12-31T23:59:59.999Z::x", endDate: "9999-12-31" },
    ])
      for (const route of [
        "me/meetings.list",
        "me/tasks.list",
        "workspace/meetings.list",
        "workspace/tasks.list",
      ])
        expect((await server.call(keyFor(route), route, input)).status).toBe(200);
  });
});

test("everything is still there afterwards", async () => {
  expect((await server.data(company.key, "workspace/meetings.list")).meetings).toHaveLength(1);
  expect(({} as Record<string, unknown>).isAdmin).toBeUndefined();
  expect(server.log.filter((line) => line.includes("failed"))).toEqual([]);
});
