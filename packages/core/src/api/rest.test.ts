import { MESSAGES } from "@minutes/contract";
import { REST_ROUTES } from "@minutes/contract/operations";

import { HOSTILE_VALUES, startTestServer, type TestServer } from "@minutes/server/testing";
import { type Company, createPersonalKey, type Person, PROCEDURES, send } from "@minutes/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  callEnvelope,
  callResource,
  compareForms,
  getTexts,
  listPathFields,
  type RestScene,
  toJson,
  toOutcome,
} from "./testing/rest-inputs.js";

let server: TestServer;
let company: Company;
let stranger: Person;
let taskId: string;
let meetingId: string;
beforeAll(async () => {
  server = await startTestServer({ corsOrigins: ["https://app.example.com"], rateLimit: 100_000 });
  company = await server.given.company();
  stranger = (await server.given.company()).admin;
  const meeting = await server.given.richMeeting(company.admin);
  ({ meetingId } = meeting);
  taskId = meeting.taskIds[0] ?? "";
});
afterAll(() => server.close());

const V1 = PROCEDURES.filter(({ path }) => path.startsWith("/v1/")).map(
  (procedure) => [procedure.path, procedure] as const,
);
const scene = (path: string): RestScene => ({
  url: server.url,
  key: path.includes("/workspace/") ? company.key : company.admin.key,
  ids: [taskId, meetingId],
});

interface RequestOptions {
  readonly method?: string;
  readonly key?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}
/** Calls a path below `/rest/v1`, with the admin's or the workspace's key. */
const ask = (path: string, { key, headers, ...options }: RequestOptions = {}) =>
  send(server.url, `/rest/v1${path}`, {
    ...options,
    headers: {
      "x-api-key": key ?? scene(path).key,
      ...(options.body === undefined ? {} : { "content-type": "application/json" }),
      ...headers,
    },
  });
const patch = (path: string, body: unknown, options: RequestOptions = {}) =>
  ask(path, { ...options, method: "PATCH", body: JSON.stringify(body) });

describe("a resource gives the same answers as its procedure of /v1", () => {
  test.each(V1)("%s, for every text in every parameter", async (path, procedure) => {
    const inPath = listPathFields(procedure).map((field) => [field, "none"] as const);
    const isBody = path.endsWith(".update");
    const fields = procedure.fields.filter((field) => !inPath.some(([name]) => name === field));
    const cases = fields.flatMap((field) =>
      (isBody ? Object.values(HOSTILE_VALUES) : getTexts(field)).map((text) => [field, text] as const),
    );
    for (const field of ["noSuchField", "__proto__", "input", "batch"]) cases.push([field, "5"]);
    const inputs = [inPath, ...cases.map((one) => [...inPath, one])];
    await Promise.all(
      inputs.map(async (input) => {
        const json = toJson(procedure, input);
        const expected = toOutcome(await callEnvelope(scene(path), procedure, json));
        expect([json, toOutcome(await callResource(scene(path), procedure, input))]).toEqual([
          json,
          expected,
        ]);
      }),
    );
  });

  test.each(V1)("%s, for generated inputs", async (path, procedure) => {
    // Deleting an existing object is answered differently the second time.
    const ids = path.endsWith("meetings.delete") ? [taskId] : [taskId, meetingId];
    const { different } = await compareForms({ ...scene(path), ids }, procedure, 10, 1);
    expect(different).toEqual([]);
  });
});

describe("features of resources only", () => {
  test.each(["me", "workspace"])("the transcript of a meeting, /rest/v1/%s", async (routes) => {
    const { status, body } = await ask(`/${routes}/meetings/${meetingId}/transcript`);
    expect(status).toBe(200);
    const { segments } = body as { segments: { speakerName: string; text: string }[] };
    expect(segments.length).toBeGreaterThan(0);
    expect(segments[0]).toMatchObject({ speakerName: expect.any(String), text: expect.any(String) });
  });

  test.each(["me", "workspace"])(
    "a task as in the list, with its due date and whether the caller can complete it, /rest/v1/%s",
    async (routes) => {
      const list = await ask(`/${routes}/tasks?meetingId=${meetingId}`);
      const { tasks } = list.body as { tasks: { id: string }[] };
      for (const task of tasks) {
        expect(task).toMatchObject({ due: null, canComplete: true });
        expect((await ask(`/${routes}/tasks/${task.id}`)).body).toEqual(task);
      }
    },
  );

  test.each([
    ["/me/tasks/TASK", 404, MESSAGES.taskNotFound],
    ["/me/meetings/MEETING", 403, MESSAGES.noMeetingAccess],
    ["/me/meetings/MEETING/transcript", 403, MESSAGES.noMeetingAccess],
  ])("somebody else's key: %s is %i", async (path, status, error) => {
    const filled = path.replace("TASK", taskId).replace("MEETING", meetingId);
    const answer = await ask(filled, { key: stranger.key });
    expect([answer.status, answer.body, answer.headers.etag]).toEqual([status, { error }, undefined]);
  });

  test("a task of a deleted meeting is 404", async () => {
    const { meetingId: deleted, taskIds } = await server.given.richMeeting(company.admin);
    const task = `/me/tasks/${taskIds[0]}`;
    expect((await ask(task)).status).toBe(200);
    expect((await ask(`/me/meetings/${deleted}`, { method: "DELETE" })).body).toMatchObject({
      deletedMeetingId: deleted,
    });
    expect((await ask(task)).status).toBe(404);
  });
});

describe("paging", () => {
  test("Link leads from page to page to the end, with the same filters", async () => {
    await Promise.all([1, 2, 3].map(() => server.given.richMeeting(company.admin)));
    const all = (await ask("/me/meetings?startDate=2020-01-01")).body as { meetings: object[] };
    const found: object[] = [];
    let next: string | undefined = "/rest/v1/me/meetings?limit=1&startDate=2020-01-01&tag=";
    while (next !== undefined) {
      const answer: Awaited<ReturnType<typeof ask>> = await ask(next.replace("/rest/v1", ""));
      const { meetings, nextCursor } = answer.body as { meetings: object[]; nextCursor: string | null };
      found.push(...meetings);
      next = /^<(.+)>; rel="next"$/.exec(String(answer.headers.link ?? ""))?.[1];
      expect(next === undefined).toBe(nextCursor === null);
      if (next) expect(next).toContain("limit=1&startDate=2020-01-01&cursor=");
    }
    expect(found).toEqual(all.meetings);
    expect(found.length).toBeGreaterThan(3);
  });
});

describe("ETag", () => {
  test("304 without a body until the task changes; a stranger gets no 304", async () => {
    const path = `/me/tasks/${taskId}`;
    const first = await ask(path);
    const etag = String(first.headers.etag);
    expect(etag).toMatch(/^"[\w-]{22}"$/);
    for (const condition of [etag, `W/${etag}`, `"x", ${etag}`, "*"]) {
      const again = await ask(path, { headers: { "if-none-match": condition } });
      expect([condition, again.status, again.text, again.headers.etag]).toEqual([condition, 304, "", etag]);
      expect(again.headers["content-length"]).toBeUndefined();
    }
    const foreign = await ask(path, { key: stranger.key, headers: { "if-none-match": etag } });
    expect(foreign.status).toBe(404);
    expect((await patch(path, { text: "Order more mugs" })).status).toBe(200);
    const changed = await ask(path, { headers: { "if-none-match": etag } });
    expect([changed.status, changed.body]).toMatchObject([200, { text: "Order more mugs" }]);
  });

  test("lists, writes and errors have none", async () => {
    for (const answer of [
      await ask("/me/meetings"),
      await ask("/me/meetings/none"),
      await patch(`/me/tasks/${taskId}`, { completed: false }),
    ])
      expect(answer.headers.etag).toBeUndefined();
  });
});

describe("requests", () => {
  test("HEAD is GET without the body", async () => {
    for (const path of ["/me/meetings?limit=1", `/me/meetings/${meetingId}`]) {
      const get = await ask(path);
      const head = await ask(path, { method: "HEAD" });
      expect([head.status, head.text]).toEqual([200, ""]);
      for (const name of ["content-length", "content-type", "link", "etag"])
        expect([name, head.headers[name]]).toEqual([name, get.headers[name]]);
    }
  });

  test("each call counts once, and a bearer token works like x-api-key", async () => {
    // Whose window has just begun, and so does not end between the two calls.
    const { key } = await server.given.person();
    const [first, second] = [
      await ask("/me/tags", { key }),
      await send(server.url, "/rest/v1/me/tags", { headers: { authorization: `Bearer ${key}` } }),
    ];
    expect([first.status, second.status]).toEqual([200, 200]);
    const remaining = [first, second].map(({ headers }) => Number(headers["x-ratelimit-remaining"]));
    expect(remaining[0]).toBe((remaining[1] ?? 0) + 1);
  });

  test("401: without a key, or with another scheme, the answer names both headers", async () => {
    for (const headers of [{}, { authorization: "Basic YTpi" }, { "x-api-key": "" }])
      for (const path of ["/me/tags", "/workspace/tasks", "/me/changes", "/recordings/vocabulary"]) {
        const { status, body } = await send(server.url, `/rest/v1${path}`, {
          headers: headers as Record<string, string>,
        });
        expect([path, status, body]).toEqual([path, 401, { error: MESSAGES.missingKeyOrBearer }]);
      }
  });

  test("blank known parameters are absent, unknown ones are 400", async () => {
    expect((await ask("/me/meetings?foo=")).body).toEqual({ error: 'Unknown field: "foo".' });
    expect((await ask("/me/meetings?cursor=&limit=&startDate=&tag=")).body).toEqual(
      (await ask("/me/meetings")).body,
    );
    expect((await ask("/me/search?q=")).status).toBe(400);
  });

  test("a parameter that can only be true takes the word", async () => {
    expect((await ask("/me/tasks?mine=true")).status).toBe(200);
    expect((await ask("/me/tasks?mine=yes")).body).toEqual({ error: "mine must be true or absent" });
  });

  test.each([
    ["startDate", "2026-01-01T10:00:00"],
    ["startDate", "2026-01-01T10:00"],
    ["endDate", "2026-01-01T10:00:00+02:00"],
  ])("400: %s=%s has no zone", async (name, text) => {
    const error = `${name} has no time zone. Add Z for UTC, or an offset such as +02:00 with its + written as %2B.`;
    expect((await ask(`/me/meetings?${name}=${text}`)).body).toEqual({ error });
    expect(
      (await ask(`/me/meetings?${name}=${encodeURIComponent("2026-01-01T10:00:00+02:00")}`)).status,
    ).toBe(200);
  });

  test.each([
    ["/me/meetings?limit=1&limit=2", "limit was given more than once."],
    ["/me/meetings?tag=%zz", "A parameter is not valid percent-encoding."],
    ["/me/meetings?%zz=1", "The query string is not valid percent-encoding."],
    ["/me/meetings?limit=1&constructor=1", 'Unknown field: "constructor".'],
    [`/me/meetings?${"a=1&".repeat(3_000)}`, 'Unknown field: "a".'],
    ["/me/meetings/none?meetingId=other", 'Unknown field: "meetingId".'],
    ["/me/meetings/%zz", MESSAGES.badPath],
  ])("400: %s", async (path, error) => {
    const { status, body } = await ask(path);
    expect([status, body]).toEqual([400, { error }]);
  });

  test.each([
    ["", "The body is not valid JSON."],
    ["[]", "The body must be a JSON object."],
    ["null", "The body must be a JSON object."],
    ['{"taskId":"other","completed":true}', 'Unknown field: "taskId".'],
    ["{}", "At least one of completed or text is required."],
    [
      JSON.stringify(Object.fromEntries(Array.from({ length: 101 }, (_, at) => [`k${at}`, 1]))),
      "The body has too many fields.",
    ],
  ])("400: the body %s", async (body, error) => {
    const answer = await ask(`/me/tasks/${taskId}`, { method: "PATCH", body });
    expect([answer.status, answer.body]).toEqual([400, { error }]);
  });

  test("401, 403, 404, 405, 413 and 415 as on /v1", async () => {
    const task = `/me/tasks/${taskId}`;
    const json = { "content-type": "application/json" };
    expect((await send(server.url, `/rest/v1${task}`, { headers: {} })).status).toBe(401);
    expect((await ask(task, { key: company.key })).status).toBe(403);
    expect((await ask("/workspace/tasks", { key: company.admin.key })).status).toBe(403);
    for (const path of [
      "/me/",
      "/me/task",
      "/me/tasks/",
      "/me/tasks.list",
      `${task}/more`,
      "/workspace/tags",
    ])
      expect([path, (await ask(path)).body]).toEqual([path, { error: MESSAGES.unknownResource }]);
    expect((await ask("/me/search", { key: company.admin.key, method: "POST", body: "{}" })).status).toBe(
      405,
    );
    const put = await ask(task, { method: "PUT", body: "{}" });
    expect([put.status, put.headers.allow, put.body]).toEqual([
      405,
      "DELETE, GET, HEAD, PATCH",
      { error: "Wrong HTTP method: this resource allows DELETE, GET, HEAD, PATCH." },
    ]);
    expect((await patch(`${task}?completed=true`, {})).status).toBe(400);
    expect((await patch(task, { text: "x".repeat(300_000) })).status).toBe(413);
    const text = { method: "PATCH", body: "{}", headers: { ...json, "content-type": "text/plain" } };
    expect((await ask(task, text)).status).toBe(415);
  });

  test("415: audio is told apart, with what imports it", async () => {
    const key = await server.given.ingestKey(company);
    const headers = { "content-type": "audio/mpeg" };
    const answer = await ask("/recordings", { key, method: "POST", body: "ID3", headers });
    expect([answer.status, answer.body]).toEqual([415, { error: MESSAGES.uploadedAudio }]);
  });

  test("a read-only key reads, and neither changes nor deletes", async () => {
    const { key } = await createPersonalKey(server.db, company.admin.userId, "read", {
      access: "read",
    });
    expect((await ask(`/me/meetings/${meetingId}`, { key })).status).toBe(200);
    for (const answer of [
      await patch(`/me/tasks/${taskId}`, { completed: true }, { key }),
      await ask(`/me/meetings/${meetingId}`, { key, method: "DELETE" }),
    ])
      expect([answer.status, answer.body]).toEqual([403, { error: MESSAGES.readOnlyKey }]);
  });

  test("pages of allowed origins may send every method, and read the headers", async () => {
    const preflight = await send(server.url, "/rest/v1/me/tasks", {
      method: "OPTIONS",
      headers: { origin: "https://app.example.com", "access-control-request-method": "PATCH" },
    });
    expect(preflight.headers["access-control-allow-methods"]).toContain("PATCH");
    const page = await ask("/me/tasks", { headers: { origin: "https://app.example.com" } });
    expect(page.headers["access-control-expose-headers"]).toContain("Link");
  });
});

test("no two resources have the same method and path, or the same operation", () => {
  const all = Object.values(REST_ROUTES);
  expect(new Set(all.map(({ at }) => at)).size).toBe(all.length);
  expect(new Set(all.map(({ id }) => id)).size).toBe(all.length);
});
