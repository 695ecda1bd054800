import type { MeRouter, WorkspaceRouter } from "@minutes/core";
import { startTestServer, type TestServer } from "@minutes/server/testing";
import type { Company, Meeting, Person } from "@minutes/testing";
import { createTRPCClient, httpLink } from "@trpc/client";
import superjson from "superjson";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

let server: TestServer;
let company: Company;
let anna: Person;
let meeting: Meeting;
beforeAll(async () => {
  server = await startTestServer();
  company = await server.given.company();
  anna = await server.given.member(company);
  meeting = await server.given.richMeeting(anna);
});
afterAll(() => server.close());

describe("@trpc/client's httpLink with superjson, unchanged", () => {
  const link = (routes: string, key: string) =>
    httpLink({ url: `${server.url}/v1/${routes}`, headers: { "x-api-key": key }, transformer: superjson });
  const me = (key = anna.key) => createTRPCClient<MeRouter>({ links: [link("me", key)] });
  const workspace = (key = company.key) =>
    createTRPCClient<WorkspaceRouter>({ links: [link("workspace", key)] });

  test("200: every read", async () => {
    const { meetingId } = meeting;
    expect((await me().meetings.list.query()).meetings).toHaveLength(1);
    expect((await me().meetings.list.query({})).meetings).toHaveLength(1);
    expect((await me().meetings.get.query({ meetingId })).event.attendees).toHaveLength(3);
    const found = await me().meetings.search.query({ query: "turbines", startDate: "2025-01-01" });
    expect(found.results[0]?.meetingId).toBe(meetingId);
    expect((await me().tasks.list.query({ limit: 2 })).tasks).toHaveLength(2);
    expect((await me().tags.list.query()).tags).toHaveLength(1);
    expect((await workspace().meetings.list.query()).meetings).toHaveLength(1);
    expect((await workspace().meetings.get.query({ meetingId })).id).toBe(meetingId);
    expect((await workspace().tasks.list.query({ completed: true })).tasks).toHaveLength(1);
  });

  test("200: every write", async () => {
    const other = await server.given.company();
    const zoe = await server.given.member(other);
    const [own, all] = [me(zoe.key), workspace(other.key)];
    const taskId = (await server.given.richMeeting(zoe)).taskIds[0] ?? "";
    expect(await own.tasks.update.mutate({ taskId, text: "é 🦀" })).toEqual({ taskId, text: "é 🦀" });
    expect(await all.tasks.update.mutate({ taskId, completed: true })).toEqual({ taskId, completed: true });
    for (const remove of [own.meetings.delete, all.meetings.delete]) {
      const { meetingId } = await server.given.meeting(zoe);
      expect(await remove.mutate({ meetingId })).toMatchObject({
        success: true,
        deletedMeetingId: meetingId,
      });
    }
  });

  test("200: undefined fields count as absent", async () => {
    const input = { limit: undefined, tag: undefined, cursor: undefined, startDate: undefined };
    expect((await me().meetings.list.query(input)).meetings).toHaveLength(1);
    const taskId = meeting.taskIds[1] ?? "";
    expect(await me().tasks.update.mutate({ taskId, completed: true, text: undefined })).toEqual({
      taskId,
      completed: true,
    });
  });

  test("200: a Date is read as its instant", async () => {
    const within = { startDate: new Date("2025-03-14T09:30:00.250Z") as unknown as string };
    expect((await me().meetings.list.query(within)).meetings).toHaveLength(1);
    const after = { startDate: new Date("2025-03-14T09:30:00.251Z") as unknown as string };
    expect((await me().meetings.list.query(after)).meetings).toHaveLength(0);
  });
});
