import { inspect } from "node:util";
import { createTRPCClient, TRPCClientError } from "@trpc/client";
import { TRPC_ERROR_CODES_BY_KEY } from "@trpc/server/rpc";
import { describe, expect, test, vi } from "vitest";
import { createScript, createScriptedClient, getFailure, no, ok } from "../test/scripted.js";
import type { Clock } from "./clock.js";
import { createMeClient, type FetchLike, type IngestRouter, type Wait } from "./index.js";
import { createLink } from "./link.js";
import { createQuota } from "./quota.js";

const UPDATE = { taskId: "tsk_1", completed: true };

describe("requests", () => {
  test("a read is a GET with the input as URL-encoded JSON, or without it if there is none", async () => {
    const { client, requests } = createScriptedClient([ok()]);
    await client.tags.list.query();
    await client.meetings.list.query({ limit: 20, tag: "a&b" });
    expect(requests.map(([url, init]) => [init.method, url, init.body])).toEqual([
      ["GET", "https://minutes.test/v1/me/tags.list", undefined],
      [
        "GET",
        "https://minutes.test/v1/me/meetings.list?input=%7B%22json%22%3A%7B%22limit%22%3A20%2C%22tag%22%3A%22a%26b%22%7D%7D",
        undefined,
      ],
    ]);
    expect(requests[0]?.[1].headers).toEqual({ "x-api-key": "jk_test" });
  });

  test("a write is a POST with a JSON body", async () => {
    const { client, requests } = createScriptedClient([ok({ taskId: "tsk_1", completed: true })]);
    expect(await client.tasks.update.mutate(UPDATE)).toEqual({ taskId: "tsk_1", completed: true });
    const [url, init] = requests[0] ?? [];
    expect([init?.method, url, init?.body]).toEqual([
      "POST",
      "https://minutes.test/v1/me/tasks.update",
      '{"json":{"taskId":"tsk_1","completed":true}}',
    ]);
    expect(init?.headers["content-type"]).toBe("application/json");
  });

  test("the direction added by TanStack's infinite queries is removed", async () => {
    const { client, requests } = createScriptedClient([ok()]);
    await client.meetings.list.query({ limit: 2, ...{ direction: "forward" } });
    expect(decodeURIComponent(requests[0]?.[0] ?? "")).toMatch(/\?input=\{"json":\{"limit":2\}\}$/);
  });

  test("key and headers can come from functions, and undefined options mean the default", async () => {
    const { client, requests } = createScriptedClient([ok()], {
      apiKey: async () => "jk_later",
      headers: () => ({ "x-trace": "7" }),
    });
    await client.meetings.list.query({ limit: undefined });
    expect(requests[0]?.[1].headers).toEqual({ "x-trace": "7", "x-api-key": "jk_later" });
    expect(decodeURIComponent(requests[0]?.[0] ?? "")).toMatch(/\?input=\{"json":\{\}\}$/);
  });

  test.each([
    ["ftp://host", /https:\/\/ or http:\/\/, and "ftp:\/\/host" does not/],
    ["minutes.example.com", /must begin with https:\/\//],
    ["localhost:3000", /must begin with https:\/\//],
    ["", /must begin with https:\/\//],
    ["https://minutes.example.com/v1", /leave out \/v1/],
    ["https://minutes.example.com/api/v1/me/", /leave out \/v1/],
  ])("TypeError: the base address %j, with the reason", (baseUrl, message) => {
    expect(() => createMeClient({ baseUrl, apiKey: "jk_x" })).toThrow(TypeError);
    expect(() => createMeClient({ baseUrl, apiKey: "jk_x" })).toThrow(message);
  });
});

describe("failures", () => {
  test("every failure is a MinutesError and a TRPCClientError with status, message and code", async () => {
    const { client } = createScriptedClient([no(404)]);
    const error = await getFailure(client.meetings.get.query({ meetingId: "x" }));
    expect(error).toBeInstanceOf(TRPCClientError);
    expect(error).toMatchObject({ name: "MinutesError", status: 404, code: "not_found", message: "No: 404" });
    expect(error.data?.httpStatus).toBe(404);
  });

  test.each([
    [400, "bad_request", "BAD_REQUEST"],
    [401, "unauthorized", "UNAUTHORIZED"],
    [403, "forbidden", "FORBIDDEN"],
    [404, "not_found", "NOT_FOUND"],
    [405, "refused", "METHOD_NOT_SUPPORTED"],
    [410, "gone", "BAD_REQUEST"],
    [429, "rate_limited", "TOO_MANY_REQUESTS"],
    [500, "internal", "INTERNAL_SERVER_ERROR"],
    [503, "unavailable", "SERVICE_UNAVAILABLE"],
    [302, "unexpected_answer", "INTERNAL_SERVER_ERROR"],
  ] as const)("%i is %s, and %s for tRPC", async (status, code, trpc) => {
    const { client } = createScriptedClient([no(status)], { retries: 0 });
    const error = await getFailure(client.tags.list.query());
    expect([error.code, error.data?.code]).toEqual([code, trpc]);
    expect(error.shape?.code).toBe(TRPC_ERROR_CODES_BY_KEY[trpc]);
  });

  test("a 429 has the quota and the time to wait", async () => {
    const headers = {
      "x-ratelimit-limit": "100",
      "x-ratelimit-remaining": "0",
      "x-ratelimit-reset": "1767225660",
      "retry-after": "7",
    };
    const { client } = createScriptedClient([no(429, headers)], { retries: 0 });
    expect(await getFailure(client.tags.list.query())).toMatchObject({
      retryAfter: 7,
      rateLimit: { limit: 100, remaining: 0, reset: new Date("2026-01-01T00:01:00Z") },
    });
  });

  test("200: a body without the service's envelope is an unexpected answer", async () => {
    const { client } = createScriptedClient([{ status: 200, body: { hello: 1 } }]);
    expect(await getFailure(client.tags.list.query())).toMatchObject({
      code: "unexpected_answer",
      status: 200,
    });
  });

  test.each([
    ["a redirect", "", { status: 302, headers: { location: "/sign-in" } }, /redirects/],
    [
      "a web page",
      "\n<!doctype html>",
      { status: 200 },
      /tags\.list with status 200 is a web page, not from/,
    ],
    ["a cut answer", '{"result":{"data":', { status: 200 }, /incomplete/],
    ["other JSON", "{}", { status: 200 }, /not from Minutes.* baseUrl must be .* without an API path/],
    ["a page for an unknown path", "<h1>Not found</h1>", { status: 404 }, /404 is a web page/],
    ["another service's JSON", '{"detail":"No route"}', { status: 404 }, /404 is incomplete or not from/],
    ["the service's answer to a path of no API", '{"error":"Not found"}', { status: 404 }, /baseUrl must be/],
  ] as const)("%s is named in the message", async (_, text, reply, message) => {
    const fetch: FetchLike = async () => new Response(text, reply);
    const { client } = createScriptedClient([], { fetch });
    expect(await getFailure(client.tags.list.query())).toMatchObject({
      code: "unexpected_answer",
      message: expect.stringMatching(message),
    });
  });

  test.each([
    [502, "<h1>Bad gateway</h1>", "unavailable"],
    [413, "<h1>413 Request Entity Too Large</h1>", "refused"],
    [403, "", "forbidden"],
    [429, "<h1>Too many requests</h1>", "rate_limited"],
  ])("%i: a proxy's answer is a failure with a status and no message", async (status, text, code) => {
    const fetch: FetchLike = async () => new Response(text, { status });
    const { client } = createScriptedClient([], { fetch, retries: 0 });
    const message = `The service answered with status ${status} and no message.`;
    expect(await getFailure(client.tags.list.query())).toMatchObject({ status, code, message });
  });
});

describe("retries", () => {
  test.each([
    ["502", no(502)],
    ["503", no(503)],
    ["504", no(504)],
    ["a network error", "broken" as const],
  ])("a read survives %s", async (_, reply) => {
    const { client, requests } = createScriptedClient([reply, reply, ok()]);
    await client.tags.list.query();
    expect(requests).toHaveLength(3);
  });

  test("a read gives up after three retries, each after a longer wait with jitter", async () => {
    const { client, clock, requests } = createScriptedClient([no(503)]);
    expect((await getFailure(client.tags.list.query())).status).toBe(503);
    expect(requests).toHaveLength(4);
    expect(clock.slept).toEqual([125, 250, 500]);
  });

  test("the wait after a 503 is at least its Retry-After", async () => {
    const { client, clock } = createScriptedClient([no(503, { "retry-after": "2" }), ok()]);
    await client.tags.list.query();
    expect(clock.slept).toEqual([2125]);
  });

  test.each([400, 401, 403, 404, 500])("%i is not retried", async (status) => {
    const { client, requests } = createScriptedClient([no(status)]);
    await getFailure(client.tags.list.query());
    expect(requests).toHaveLength(1);
  });

  test.each([
    ["a broken connection", "broken", "network"],
    ["a timeout", "never", "timeout"],
    ["a gateway's 504", { status: 504 }, "unavailable"],
    ["a cut success", { status: 200, body: 1 }, "unexpected_answer"],
  ] as const)("a write whose answer is lost to %s says it may have succeeded", async (_, reply, code) => {
    const { client } = createScriptedClient([reply], { timeout: 10 });
    const lost = await getFailure(client.tasks.update.mutate(UPDATE));
    expect(lost.code).toBe(code);
    expect(lost.message).toContain(" The write may have succeeded: check before you retry.");
    const read = createScriptedClient([reply], { timeout: 10, retries: 0 });
    expect((await getFailure(read.client.tags.list.query())).message).not.toContain("succeeded");

    const { clock, fetch, requests } = createScript([reply]);
    const options = { baseUrl: "https://minutes.test", apiKey: "ik_test", fetch, timeout: 10 };
    const recorder = createTRPCClient<IngestRouter>({ links: [createLink(clock, "ingest/v1", options)] });
    const { message } = await getFailure(recorder.recordings.fail.mutate({ meetingId: "m", reason: "x" }));
    expect(message).toContain(
      ` it is safe to retry with idempotencyKey ${requests[0]?.[1].headers["idempotency-key"]}.`,
    );
  });

  test.each([
    ["a refusal", ["broken", no(400)], 400],
    ["a 503 with a message", ["never", no(503)], 503],
    ["the rate limit", ["html", no(429)], 429],
    ["an abort", ["broken"], null],
  ] as const)("a create whose answer was lost says so, though %s ended it", async (_, replies, status) => {
    const { clock, fetch, requests } = createScript(replies);
    const stop = new AbortController();
    const onWait = () => status === null && stop.abort();
    const options = { baseUrl: "https://minutes.test", apiKey: "ik_test", fetch, timeout: 10, onWait };
    const recorder = createTRPCClient<IngestRouter>({ links: [createLink(clock, "ingest/v1", options)] });
    const call = recorder.recordings.fail.mutate({ meetingId: "m", reason: "x" }, { signal: stop.signal });
    const error = await getFailure(call);
    const key = requests[0]?.[1].headers["idempotency-key"];
    const said = status === null ? "The call was aborted." : `No: ${status}`;
    expect(error.message).toBe(
      `${said} The write may have succeeded: it is safe to retry with idempotencyKey ${key}.`,
    );
    expect([error.status, error.response?.status ?? null]).toEqual([status, status]);
  });

  test("a write that reached no service is not reported as possibly successful", async () => {
    const client = createMeClient({ baseUrl: "http://127.0.0.1:2", apiKey: "jk_x" });
    const failure = await getFailure(client.tasks.update.mutate(UPDATE));
    expect(failure.message).toBe("The service at http://127.0.0.1:2 can't be reached: ECONNREFUSED.");
  });

  test("a write is not retried unless enabled", async () => {
    const once = createScriptedClient([no(503)]);
    await getFailure(once.client.tasks.update.mutate(UPDATE));
    expect(once.requests).toHaveLength(1);
    const asked = createScriptedClient([no(503), "broken", ok({ taskId: "tsk_1" })], { retryWrites: true });
    await asked.client.tasks.update.mutate(UPDATE);
    expect(asked.requests).toHaveLength(3);
  });
});

describe("timeouts and aborts", () => {
  test("an attempt that takes too long is a timeout", async () => {
    const { client } = createScriptedClient(["never"], { timeout: 10, retries: 0 });
    expect(await getFailure(client.tags.list.query())).toMatchObject({ code: "timeout", status: null });
  });

  test("a read is retried after a timeout", async () => {
    const { client, requests } = createScriptedClient(["never", ok()], { timeout: 500 });
    await client.tags.list.query();
    expect(requests).toHaveLength(2);
  });

  test("an aborted call ends immediately, even while it is queued", async () => {
    const { client } = createScriptedClient(["never"]);
    const abort = new AbortController();
    const calls = Array.from({ length: 20 }, () =>
      getFailure(client.tags.list.query(undefined, { signal: abort.signal })),
    );
    setTimeout(() => abort.abort(), 5);
    for (const error of await Promise.all(calls)) expect(error.code).toBe("aborted");
  });

  test("a call aborted before it begins sends nothing", async () => {
    const { client, requests } = createScriptedClient([ok()]);
    const error = await getFailure(client.tags.list.query(undefined, { signal: AbortSignal.abort() }));
    expect([error.code, requests.length]).toEqual(["aborted", 0]);
  });
});

test("429: a reset beyond the client's patience is a refusal, not a wait", async () => {
  const headers = {
    "x-ratelimit-limit": "1",
    "x-ratelimit-remaining": "0",
    "x-ratelimit-reset": "1767225660",
    "retry-after": "60",
  };
  const { client, requests } = createScriptedClient([no(429, headers)], { patience: 1_000 });
  const error = await getFailure(client.tags.list.query());
  // The client's own refusal has the same shape as the service's.
  expect(error).toMatchObject({
    status: 429,
    code: "rate_limited",
    message: "The rate limit resets in 60 s, after this call's patience of 1000 ms.",
    rateLimit: { limit: 1, remaining: 0, reset: new Date("2026-01-01T00:01:00Z") },
    retryAfter: 60,
  });
  expect(requests).toHaveLength(1);
});

test("429: a call refused again and again gives up when its patience ends; one that is not the quota's fails", async () => {
  const headers = { "x-ratelimit-limit": "1", "x-ratelimit-reset": "1767225660", "retry-after": "60" };
  const over = no(429, { ...headers, "x-ratelimit-remaining": "0" });
  const { client, requests } = createScriptedClient([over], { patience: 150_000 });
  expect((await getFailure(client.tasks.update.mutate(UPDATE))).code).toBe("rate_limited");
  expect(requests).toHaveLength(3);
  const other = createScriptedClient([no(429, { ...headers, "x-ratelimit-remaining": "5" })]);
  expect((await getFailure(other.client.tasks.update.mutate(UPDATE))).message).toBe("No: 429");
  expect(other.requests).toHaveLength(1);
});

test("429: the guard of credentials, whose window ends before the quota's, is waited for, too", async () => {
  const limit = { "x-ratelimit-limit": "100", "retry-after": "2" };
  const quota = { ...limit, "x-ratelimit-remaining": "50", "x-ratelimit-reset": "1767225660" };
  const body = { result: { data: { json: { tags: [] } } } };
  const guard = { ...limit, "x-ratelimit-remaining": "0", "x-ratelimit-reset": "1767225602" };
  const { client, requests } = createScriptedClient([{ status: 200, headers: quota, body }, no(429, guard)], {
    patience: 10_000,
  });
  await client.tags.list.query();
  expect((await getFailure(client.tags.list.query())).code).toBe("rate_limited");
  expect(requests.length).toBeLessThan(10);
});

describe("hooks and errors of a client", () => {
  const headers = { "x-request-id": "req_1", "retry-after": "7" };

  test("an error has the request's id and the answer", async () => {
    const { client } = createScriptedClient([no(404, headers)]);
    const error = await getFailure(client.tags.list.query());
    expect(error).toMatchObject({ requestId: "req_1", retryAfter: 7, response: { status: 404 } });
    expect(error.response?.headers.get("retry-after")).toBe("7");
    expect(JSON.parse(error.response?.body ?? "")).toEqual({ error: "No: 404" });
  });

  test("an error without an answer names the address", async () => {
    const { client } = createScriptedClient(["broken"], { retries: 0 });
    const error = await getFailure(client.tags.list.query());
    expect(error.message).toBe("The service at https://minutes.test can't be reached.");
    expect([error.requestId, error.response]).toEqual([null, null]);
  });

  test("onRequest and onResponse are called for each attempt, without the key", async () => {
    const seen: unknown[] = [];
    const { client } = createScriptedClient(["broken", no(503, headers), ok()], {
      onRequest: (request) => seen.push(request),
      onResponse: (response) => seen.push(response),
    });
    await client.tags.list.query();
    const request = { method: "GET", url: "https://minutes.test/v1/me/tags.list" };
    const answered = (status: number | null, requestId: string | null) => ({
      ...request,
      status,
      requestId,
      milliseconds: expect.any(Number),
    });
    expect(seen).toEqual([
      request,
      answered(null, null),
      request,
      answered(503, "req_1"),
      request,
      answered(200, null),
    ]);
    expect(JSON.stringify(seen)).not.toContain("jk_test");
  });
});

test("unauthorized: a key that no header can carry is not sent, and in no message", async () => {
  for (const apiKey of ["jk_…", "jk_secret\r\nx"]) {
    const { client, requests } = createScriptedClient([ok()], { apiKey });
    const failure = await getFailure(client.tags.list.query());
    expect(failure).toMatchObject({ code: "unauthorized", status: null });
    expect(requests).toEqual([]);
    expect(inspect(failure)).not.toContain("secret");
  }
});

test("unauthorized: a key whose variable isn't set is said to be undefined, and nothing is sent", async () => {
  for (const apiKey of [undefined as never, async () => undefined as never]) {
    const { client, requests } = createScriptedClient([ok()], { apiKey });
    const failure = await getFailure(client.tags.list.query());
    expect([failure.code, failure.message]).toEqual([
      "unauthorized",
      "The key is undefined. Is its environment variable set?",
    ]);
    expect(requests).toEqual([]);
  }
});

test("the line break at the end of a key's file is not part of the key", async () => {
  const { client, requests } = createScriptedClient([ok()], { apiKey: "jk_test\n" });
  await client.tags.list.query();
  expect(requests[0]?.[1].headers["x-api-key"]).toBe("jk_test");
});

describe("onWait", () => {
  test("reports the pause before a retry", async () => {
    const waits: Wait[] = [];
    const { client, clock } = createScriptedClient([no(503, { "retry-after": "2" }), ok()], {
      onWait: (wait) => waits.push(wait),
    });
    await client.tags.list.query();
    expect(waits).toEqual([{ reason: "retry", milliseconds: clock.slept[0] }]);
  });

  test("reports the pause until the quota resets once, however many calls wait", async () => {
    const waits: Wait[] = [];
    const quota = (remaining: string, reset: string) => ({
      status: 200,
      body: { result: { data: { json: { tags: [] } } } },
      headers: {
        date: "Thu, 01 Jan 2026 00:00:00 GMT",
        "x-ratelimit-limit": "1",
        "x-ratelimit-remaining": remaining,
        "x-ratelimit-reset": reset,
      },
    });
    const { client } = createScriptedClient([quota("0", "1767225660"), quota("99", "1767225720")], {
      onWait: (wait) => waits.push(wait),
    });
    await client.tags.list.query();
    await Promise.all([1, 2, 3].map(() => client.tags.list.query()));
    expect(waits).toEqual([{ reason: "rate_limit", milliseconds: expect.any(Number) }]);
    expect(waits[0]?.milliseconds).toBeGreaterThanOrEqual(60_000);
  });

  /** A quota with two calls under way, in which a third one waits after the first was answered. */
  const createFullQuota = async () => {
    const waits: number[] = [];
    const clock: Clock = { now: () => 0, random: () => 0, sleep: () => new Promise(() => {}) };
    const quota = createQuota(clock, (milliseconds) => waits.push(milliseconds));
    await quota.enter(Infinity, null);
    await quota.enter(Infinity, null);
    const answer = (resetsIn: number) =>
      quota.leave({ limit: 2, remaining: 0, reset: new Date(60_000), resetsIn, exceeded: false });
    answer(60_000);
    return { quota, waits, answer };
  };

  test("reports a pause once, though a later answer says that it ends sooner", async () => {
    const { quota, waits, answer } = await createFullQuota();
    void quota.enter(Infinity, null);
    await vi.waitFor(() => expect(waits).toEqual([60_000]));
    answer(59_000);
    await new Promise(setImmediate);
    expect(waits).toEqual([60_000]);
  });

  test("reports no pause of a call that fails at once, because the quota resets later than it waits", async () => {
    const { quota, waits, answer } = await createFullQuota();
    const entered = quota.enter(1_000, null);
    await new Promise(setImmediate);
    answer(60_000);
    expect(await entered).toBe(false);
    expect(waits).toEqual([]);
  });
});
