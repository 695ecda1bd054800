import { OPERATIONS } from "@minutes/contract/operations";
import { startTestServer, type TestServer } from "@minutes/server/testing";
import { type Answer, type Company, type PublicRoute, send } from "@minutes/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  buildOpenApiDocument,
  listProcedures,
  listSyncProcedures,
  type Procedure,
  writeRouterTypes,
} from "./index.js";

let server: TestServer;
let company: Company;
beforeAll(async () => {
  server = await startTestServer();
  company = await server.given.company();
});
afterAll(() => server.close());

const keyFor = ({ routes }: Procedure) => (routes === "me" ? company.admin.key : company.key);
const wrongKeyFor = ({ routes }: Procedure) => (routes === "me" ? company.key : company.admin.key);

/** Fills the procedure's example with ids of a new meeting that the key's owner recorded. */
async function exampleInput({ example }: Procedure): Promise<Record<string, unknown>> {
  const { meetingId, taskIds } = await server.given.richMeeting(company.admin);
  const ids = { meetingId, taskId: taskIds[0] };
  return Object.fromEntries(
    Object.entries(example).map(([name, value]) => [
      name,
      name in ids ? ids[name as keyof typeof ids] : value,
    ]),
  );
}

const errorOf = ({ status, body }: Answer) => [status, Object.keys(body as object)];
const remaining = ({ headers }: Answer) => Number(headers["x-ratelimit-remaining"]);

const ALL = [
  ...listProcedures().map((procedure) => ({
    procedure,
    path: procedure.path as PublicRoute,
    url: `/v1/${procedure.path}`,
  })),
  ...listSyncProcedures().map((procedure) => ({
    procedure,
    path: `sync/${procedure.path}` as PublicRoute,
    url: `/sync/v1/${procedure.path}`,
  })),
];

test("/v1 serves the operations that are declared as part of it, and no others", () => {
  const declared = OPERATIONS.filter(({ v1 }) => v1).map(({ name }) => name);
  const served = listProcedures().map(({ path }) => path.slice(path.indexOf("/") + 1));
  expect(new Set(served)).toEqual(new Set(declared));
});

describe.each(ALL)("$path", ({ procedure, path, url }) => {
  const { write } = procedure;

  test("200: its example is accepted, and the answer has exactly the fields of its output", async () => {
    const payload = await server.data(keyFor(procedure), path, await exampleInput(procedure));
    expect(procedure.output.parse(payload)).toEqual(payload);
  });

  test("401 without a key, 403 with a key of the other kind", async () => {
    expect(errorOf(await server.call(null, path, procedure.example))).toEqual([401, ["error"]]);
    expect(errorOf(await server.call(wrongKeyFor(procedure), path))).toEqual([403, ["error"]]);
  });

  test("405 with the other method, 400 for an unknown field", async () => {
    const headers = { "x-api-key": keyFor(procedure), "content-type": "application/json" };
    const body = write ? {} : { body: JSON.stringify({ json: procedure.example }) };
    const other = await send(server.url, url, { method: write ? "GET" : "POST", headers, ...body });
    expect(errorOf(other)).toEqual([405, ["error"]]);
    const unknown = await server.call(keyFor(procedure), path, { ...procedure.example, noSuchField: 1 });
    expect([unknown.status, unknown.body]).toEqual([400, { error: 'Unknown field: "noSuchField".' }]);
  });

  test("the OpenAPI document and the client's types include it", () => {
    const operation = buildOpenApiDocument().paths[url]?.[write ? "post" : "get"];
    expect(operation).toMatchObject({ summary: procedure.summary });
    // Both kinds of keys have the same feed, which the types document once.
    const documented = ALL.find((other) => url.startsWith("/sync/") && other.url.startsWith("/sync/"));
    expect(writeRouterTypes()).toContain(`* ${(documented?.procedure ?? procedure).summary}.\n`);
  });

  test("every call counts against the quota, even refused ones", async () => {
    // Otherwise a window could end between the two calls.
    await server.db.execute("delete from rate_windows");
    const before = remaining(await server.call(keyFor(procedure), path, { noSuchField: 1 }));
    const after = remaining(await server.call(keyFor(procedure), path, procedure.example));
    expect(before - after).toBe(1);
  });
});
