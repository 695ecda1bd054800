import { HOSTILE_VALUES, startTestServer, type TestServer } from "@minutes/server/testing";
import { type Company, PROCEDURES, type Procedure, send } from "@minutes/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import * as forms from "./testing/plain-inputs.js";
import { compareForms, getTexts, type PlainScene, toJsonValue, toOutcome } from "./testing/plain-inputs.js";

let server: TestServer;
let company: Company;
let taskId: string;
let meetingId: string;
beforeAll(async () => {
  server = await startTestServer({ corsOrigins: ["https://app.example.com"] });
  company = await server.given.company();
  const meeting = await server.given.richMeeting(company.admin);
  ({ meetingId } = meeting);
  taskId = meeting.taskIds[0] ?? "";
});
afterAll(() => server.close());

const V1 = PROCEDURES.filter(({ path }) => path.startsWith("/v1/"));
const toHeaders = (path: string) => ({
  "x-api-key": path.includes("/workspace/") ? company.key : company.admin.key,
  "content-type": "application/json",
});
const scene = (path: string): PlainScene => ({
  url: server.url,
  key: path.includes("/workspace/") ? company.key : company.admin.key,
  ids: [taskId, meetingId],
});
const callEnvelope = (procedure: Procedure, json: string) =>
  forms.callEnvelope(scene(procedure.path), procedure, json);
const callPlain = (path: string, query: string, body?: string) =>
  forms.callPlain(scene(path), path, query, body);

describe("plain HTTP gives the same answers as /v1", () => {
  test.each(V1.filter(({ isWrite }) => !isWrite).map((procedure) => [procedure.path, procedure] as const))(
    "GET %s, for every text in every parameter",
    async (path, procedure) => {
      const cases = procedure.fields.flatMap((field) =>
        getTexts(field).map((text) => [field, text] as const),
      );
      for (const field of ["noSuchField", "__proto__", "input", "batch"]) cases.push([field, "5"]);
      await Promise.all(
        cases.map(async ([field, text]) => {
          const query = `?${encodeURIComponent(field)}=${encodeURIComponent(text)}`;
          const expected = await callEnvelope(procedure, `{"${field}":${toJsonValue(field, text)}}`);
          expect([query, toOutcome(await callPlain(path, query))]).toEqual([query, toOutcome(expected)]);
        }),
      );
      const none = await callPlain(path, "");
      expect(toOutcome(none)).toEqual(toOutcome(await callEnvelope(procedure, "{}")));
    },
  );

  test.each(V1.filter(({ isWrite }) => isWrite).map((procedure) => [procedure.path, procedure] as const))(
    "POST %s, for every hostile value in every field",
    async (path, procedure) => {
      const bodies = [
        "{}",
        `{"taskId":"${taskId}","completed":true}`,
        '{"taskId":"none","text":"x","more":1}',
      ];
      for (const field of [...procedure.fields, "noSuchField", "__proto__"])
        for (const value of Object.values(HOSTILE_VALUES)) bodies.push(`{"${field}":${value}}`);
      await Promise.all(
        bodies.map(async (body) => {
          const expected = toOutcome(await callEnvelope(procedure, body));
          expect([body, toOutcome(await callPlain(path, "", body))]).toEqual([body, expected]);
        }),
      );
    },
  );
});

describe("plain HTTP gives the same answers as /v1 to generated inputs", () => {
  test.each(V1.map((procedure) => [procedure.path, procedure] as const))("%s", async (path, procedure) => {
    // Deleting an existing object is answered differently the second time.
    const ids = path.endsWith("meetings.delete") ? [taskId] : [taskId, meetingId];
    const { different } = await compareForms({ ...scene(path), ids }, procedure, 10, 1);
    expect(different).toEqual([]);
  });
});

describe("plain HTTP", () => {
  const READ = "/v1/me/tasks.list";
  test("200: parameters by name, the bare payload, the quota's headers; the same quota as /v1", async () => {
    const answer = await callPlain(READ, "?limit=1&completed=false&startDate=2020-01-01");
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({ tasks: [expect.any(Object)], nextCursor: expect.any(String) });
    const after = await send(server.url, READ, { headers: toHeaders(READ) });
    expect(Number(after.headers["x-ratelimit-remaining"])).toBeLessThan(
      Number(answer.headers["x-ratelimit-remaining"]),
    );
    const origin = { ...toHeaders(READ), origin: "https://app.example.com" };
    const page = await send(server.url, `/rest${READ}`, { headers: origin });
    expect(page.headers["access-control-allow-origin"]).toBe("https://app.example.com");
  });

  test.each([
    ["?limit=1&limit=2", "limit was given more than once."],
    ["?tag=%zz", "A parameter is not valid percent-encoding."],
    ["?%zz=1", "The query string is not valid percent-encoding."],
    ["?limit=1&constructor=1", 'Unknown field: "constructor".'],
    [`?${"a=1&".repeat(3_000)}`, 'Unknown field: "a".'],
  ])("400: %s", async (query, error) => {
    const { status, body } = await callPlain("/v1/me/meetings.list", query);
    expect([status, body]).toEqual([400, { error }]);
  });

  test.each([
    ["", "The body is not valid JSON."],
    ["[]", "The body must be a JSON object."],
    ["null", "The body must be a JSON object."],
    ['{"meetingId":"x","json":{}}', 'Unknown field: "json".'],
    [
      JSON.stringify(Object.fromEntries(Array.from({ length: 101 }, (_, at) => [`k${at}`, 1]))),
      "The body has too many fields.",
    ],
  ])("400: the body %s", async (text, error) => {
    const { status, body } = await callPlain("/v1/me/meetings.delete", "", text);
    expect([status, body]).toEqual([400, { error }]);
  });

  test("400: a write's parameters in the query; 401, 403, 404, 405, 413 and 415 as on /v1", async () => {
    const write = "/rest/v1/me/tasks.update";
    const headers = toHeaders(write);
    const ask = async (path: string, options: Parameters<typeof send>[2]) => {
      const { status, body } = await send(server.url, path, options);
      return [status, Object.keys(body as object)];
    };
    const post = { method: "POST", headers, body: "{}" };
    expect(await ask(`${write}?taskId=x`, post)).toEqual([400, ["error"]]);
    expect(await ask(write, { ...post, headers: { "content-type": "application/json" } })).toEqual([
      401,
      ["error"],
    ]);
    expect(await ask("/rest/v1/workspace/tasks.update", post)).toEqual([403, ["error"]]);
    expect(await ask("/rest/v1/me/tasks.remove", post)).toEqual([404, ["error"]]);
    expect(await ask(write, { headers })).toEqual([405, ["error"]]);
    expect(await ask(write, { ...post, body: `{"text":"${"x".repeat(300_000)}"}` })).toEqual([
      413,
      ["error"],
    ]);
    expect(await ask(write, { ...post, headers: { ...headers, "content-type": "text/plain" } })).toEqual([
      415,
      ["error"],
    ]);
  });
});
