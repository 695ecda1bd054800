import { startTestServer, type TestServer } from "@minutes/server/testing";
import type { Company, Person } from "@minutes/testing";
import { afterAll, beforeAll, expect, expectTypeOf, test } from "vitest";
import { getFailure } from "../test/scripted.js";
import { createMeClient, createWorkspaceClient, type InputOf, type MeClient, paginate } from "./index.js";

let server: TestServer;
let company: Company;
let anna: Person;
let client: MeClient;
beforeAll(async () => {
  server = await startTestServer();
  company = await server.given.company();
  anna = await server.given.member(company);
  for (let number = 0; number < 7; number++) {
    await server.given.meeting(anna, { title: `Meeting ${number}`, tasks: [{ text: `Task ${number}` }] });
  }
  client = createMeClient({ baseUrl: server.url, apiKey: anna.key });
});
afterAll(() => server.close());

test("for await iterates over all pages in order", async () => {
  const ids: string[] = [];
  for await (const meeting of paginate(client.meetings.list, { limit: 3 })) ids.push(meeting.id);
  const { meetings } = await client.meetings.list.query();
  expect(ids).toEqual(meetings.map(({ id }) => id));
  expect(ids).toHaveLength(7);
});

test("tasks and the workspace's lists are paged as well", async () => {
  const workspace = createWorkspaceClient({ baseUrl: server.url, apiKey: company.key });
  const tasks = await paginate(workspace.tasks.list, { limit: 2, userEmail: anna.email }).toArray();
  expect(tasks.map(({ text }) => text).toSorted()).toEqual([0, 1, 2, 3, 4, 5, 6].map((n) => `Task ${n}`));
});

test("toArray({ max }) fetches no more pages and rows than needed", async () => {
  const asked: unknown[] = [];
  const list: Pick<MeClient["meetings"]["list"], "query"> = {
    query: (input, options) => {
      asked.push(input);
      return client.meetings.list.query(input, options);
    },
  };
  expect(await paginate(list, { limit: 3 }).toArray({ max: 5 })).toHaveLength(5);
  expect(asked).toEqual([{ limit: 3 }, { limit: 2, cursor: expect.stringContaining("::") }]);
  expect(await paginate(list).toArray({ max: 0 })).toEqual([]);
  expect(asked).toHaveLength(2);
});

test("ends after a page without a cursor, such as a fake's", async () => {
  const list = { query: async () => ({ meetings: [1, 2] }) } as never;
  expect(await paginate(list).toArray({ max: 5 })).toEqual([1, 2]);
});

test("starts at the given cursor", async () => {
  const { nextCursor } = await client.meetings.list.query({ limit: 5 });
  expect(await paginate(client.meetings.list, { cursor: nextCursor ?? "" }).toArray()).toHaveLength(2);
});

test("the input type of a list has its filters, and nothing of an absent input", () => {
  expectTypeOf<InputOf<MeClient["meetings"]["list"]>["limit"]>().toEqualTypeOf<number | undefined>();
  expectTypeOf<InputOf<MeClient["tasks"]["update"]>["taskId"]>().toEqualTypeOf<string>();
});

test("an aborted signal ends the iteration", async () => {
  const abort = new AbortController();
  const read = async () => {
    for await (const _ of paginate(client.meetings.list, { limit: 1 }, { signal: abort.signal }))
      abort.abort();
  };
  expect((await getFailure(read())).code).toBe("aborted");
});

test("400: a refusal ends the iteration", async () => {
  const error = await getFailure(paginate(client.meetings.list, { limit: 500 }).toArray());
  expect([error.status, error.message]).toEqual([400, "limit must be an integer from 1 to 100."]);
});
