import { startTestServer, type TestServer } from "@minutes/server/testing";
import type { Company, Meeting, Person } from "@minutes/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { generateToken } from "../keys/index.js";

/**
 * Everything that can be wrong with a request, in the order in which errors take precedence. @see
 * docs/open-questions.md#q1
 */
const FAILURES = {
  "no key": [401, "Missing API key. Use header: x-api-key: <key>"],
  "unknown key": [401, "Invalid API key"],
  "quota used up": [429, "Rate limit exceeded. Try again after the time in X-RateLimit-Reset."],
  "wrong key kind": [403, "This endpoint requires a personal API key."],
  "plan without API": [403, "API access requires a Pro, Team or Enterprise plan."],
  "unknown procedure": [404, "No such procedure."],
  "wrong method": [405, "Wrong HTTP method: this procedure uses POST."],
  "invalid input": [400, "meetingId must be a string of 1 to 128 characters."],
  "no access": [403, "Access denied. You can only delete your own meetings."],
} as const;
type Failure = keyof typeof FAILURES;
const ORDER = Object.keys(FAILURES) as Failure[];

let open: TestServer;
let full: TestServer;
let company: Company;
let freeCompany: Company;
let anna: Person;
let freeloader: Person;
let notHers: Meeting;
beforeAll(async () => {
  open = await startTestServer();
  full = await startTestServer({ rateLimit: 0, database: open.database });
  company = await open.given.company();
  freeCompany = await open.given.company({ plan: "plus" });
  anna = await open.given.person();
  freeloader = await open.given.person({ plan: "free" });
  notHers = await open.given.meeting(company.admin);
});
afterAll(async () => {
  await full.close();
  await open.close();
});

/** A delete with a personal key that has exactly these failures. */
function requestWith(failures: readonly Failure[], unknown = "me/meetings.remove") {
  const has = (failure: Failure) => failures.includes(failure);
  const personal = has("plan without API") ? freeloader : anna;
  const workspace = has("plan without API") ? freeCompany : company;
  const valid = has("wrong key kind") ? workspace.key : personal.key;
  const key = has("no key") ? null : has("unknown key") ? generateToken("jk_") : valid;
  return (has("quota used up") ? full : open).call(
    key,
    has("unknown procedure") ? unknown : "me/meetings.delete",
    { meetingId: has("invalid input") ? 5 : notHers.meetingId },
    { method: has("wrong method") ? "PUT" : "POST", headers: { "content-type": "application/json" } },
  );
}

describe("the first failure determines the answer", () => {
  const pairs = ORDER.flatMap((first, at) => ORDER.slice(at + 1).map((second) => ({ first, second })));
  test.each(pairs)("$first takes precedence over $second", async ({ first, second }) => {
    const answer = await requestWith([first, second]);
    const [status, error] = FAILURES[first];
    expect([answer.status, answer.body]).toEqual([status, { error }]);
  });

  test.each(ORDER)("%s takes precedence over everything after it", async (first) => {
    const answer = await requestWith(ORDER.slice(ORDER.indexOf(first)));
    const [status, error] = FAILURES[first];
    expect([answer.status, answer.body]).toEqual([status, { error }]);
  });
});

test.each(ORDER.slice(0, ORDER.indexOf("unknown procedure")))(
  "%s takes precedence over a batch",
  async (first) => {
    const answer = await requestWith(
      [first, "unknown procedure"],
      "me/meetings.delete,meetings.delete?batch=1",
    );
    const [status, error] = FAILURES[first];
    expect([answer.status, answer.body]).toEqual([status, { error }]);
  },
);

test("405: says which method is allowed", async () => {
  expect((await requestWith(["wrong method"])).headers.allow).toBe("POST");
  const list = await open.call(anna.key, "me/meetings.list", undefined, { method: "POST" });
  expect([list.status, list.headers.allow]).toEqual([405, "GET"]);
});

test("403: a personal key on workspace routes", async () => {
  for (const route of ["meetings.list", "meetings.get", "meetings.delete", "tasks.list", "tasks.update"]) {
    const answer = await open.call(anna.key, `workspace/${route}`);
    expect([answer.status, answer.body]).toEqual([
      403,
      { error: "This endpoint requires a workspace-scoped API key." },
    ]);
  }
});

test("403: a workspace key on personal routes", async () => {
  for (const route of ["meetings.list", "meetings.get", "meetings.search", "tasks.list", "tags.list"]) {
    const answer = await open.call(company.key, `me/${route}`);
    expect([answer.status, answer.body]).toEqual([
      403,
      { error: "This endpoint requires a personal API key." },
    ]);
  }
});

describe("API access by plan, both key kinds", () => {
  test.each([
    ["free", 403],
    ["plus", 403],
    ["pro", 200],
    ["team", 200],
    ["enterprise", 200],
  ] as const)("%s: %i", async (plan, status) => {
    const theirs = await open.given.company({ plan });
    expect((await open.call(theirs.key, "workspace/meetings.list")).status).toBe(status);
    expect((await open.call(theirs.admin.key, "me/meetings.list")).status).toBe(status);
  });
});

test("401: without a key the answer reveals nothing, not even which procedures exist", async () => {
  for (const path of ["me/meetings.list", "me/nothing", "workspace/nothing"]) {
    const answer = await open.call(null, path);
    expect([answer.status, answer.body]).toEqual([401, { error: FAILURES["no key"][1] }]);
    expect(answer.headers["x-ratelimit-limit"]).toBeUndefined();
  }
  expect((await open.call("", "me/meetings.list")).body).toEqual({ error: FAILURES["no key"][1] });
});
