import { startTestServer, type TestServer } from "@minutes/server/testing";
import type { Company, Meeting, Person } from "@minutes/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { getFailure } from "../test/scripted.js";
import { createMeClient, createWorkspaceClient, type MeClient, type WorkspaceClient } from "./index.js";

let server: TestServer;
let company: Company;
let anna: Person;
let meeting: Meeting;
let me: MeClient;
let workspace: WorkspaceClient;
beforeAll(async () => {
  server = await startTestServer();
  company = await server.given.company();
  anna = await server.given.member(company);
  meeting = await server.given.richMeeting(anna);
  me = createMeClient({ baseUrl: `${server.url}/`, apiKey: anna.key });
  workspace = createWorkspaceClient({ baseUrl: server.url, apiKey: company.key });
});
afterAll(() => server.close());

const failure = async (call: Promise<unknown>) => {
  const { status, message } = await getFailure(call);
  return [status, message];
};

test("200: every route of both kinds, typed", async () => {
  const { meetingId } = meeting;
  const taskId = meeting.taskIds[0] ?? "";
  expect((await me.meetings.list.query()).meetings[0]?.id).toBe(meetingId);
  expect((await me.meetings.list.query({ limit: 1, tag: "none" })).meetings).toEqual([]);
  expect((await me.meetings.get.query({ meetingId })).user.email).toBe(anna.email);
  const found = await me.meetings.search.query({ query: "turbines", startDate: "2025-01-01" });
  expect(found.results[0]?.meetingId).toBe(meetingId);
  expect((await me.tasks.list.query({ completed: false })).tasks).toHaveLength(2);
  expect(await me.tasks.update.mutate({ taskId, completed: true })).toEqual({ taskId, completed: true });
  expect((await me.tags.list.query()).tags).toHaveLength(1);
  expect((await workspace.meetings.list.query({ userEmail: anna.email })).nextCursor).toBeNull();
  expect((await workspace.meetings.get.query({ meetingId })).id).toBe(meetingId);
  expect((await workspace.tasks.list.query()).tasks).toHaveLength(3);
  expect(await workspace.tasks.update.mutate({ taskId, text: "New" })).toEqual({ taskId, text: "New" });
  const gone = await server.given.meeting(anna);
  expect((await me.meetings.delete.mutate({ meetingId: gone.meetingId })).success).toBe(true);
});

describe("an error has the service's message and status", () => {
  test("400", async () => {
    expect(await failure(me.meetings.list.query({ limit: 101 }))).toEqual([
      400,
      "limit must be an integer from 1 to 100.",
    ]);
  });

  test("400: a task update without a change; it does not compile either", async () => {
    const change = { taskId: meeting.taskIds[0] ?? "" };
    // @ts-expect-error: completed or text is missing.
    const calls = [me.tasks.update.mutate(change), workspace.tasks.update.mutate(change)];
    for (const call of calls)
      expect(await failure(call)).toEqual([400, "At least one of completed or text is required."]);
  });

  test("401", async () => {
    const stranger = createMeClient({ baseUrl: server.url, apiKey: "jk_none" });
    expect(await failure(stranger.tags.list.query())).toEqual([401, "Invalid API key"]);
  });

  test("403", async () => {
    const wrong = createMeClient({ baseUrl: server.url, apiKey: company.key });
    expect(await failure(wrong.tags.list.query())).toEqual([
      403,
      "This endpoint requires a personal API key.",
    ]);
  });

  test("404", async () => {
    expect(await failure(workspace.meetings.delete.mutate({ meetingId: "none" }))).toEqual([
      404,
      "Meeting not found",
    ]);
  });

  test("429", async () => {
    const full = await startTestServer({ rateLimit: 0, database: server.database });
    const limited = createMeClient({ baseUrl: full.url, apiKey: anna.key, retries: 0 });
    expect((await failure(limited.tags.list.query()))[0]).toBe(429);
    await full.close();
  });

  test("null if nothing answers", async () => {
    const nowhere = createMeClient({ baseUrl: "http://127.0.0.1:9", apiKey: anna.key, retries: 0 });
    expect((await failure(nowhere.tags.list.query()))[0]).toBeNull();
  });
});
