import { createHmac } from "node:crypto";
import { createPeopleClient } from "@minutes/client";
import { startTestServer, type TestServer } from "@minutes/server/testing";
import type { Meeting, Person } from "@minutes/testing";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { createMirror, type Issue } from "../examples/mirror-tasks/mirror.js";

const SECRET = "ss_secret";

let server: TestServer;
let anna: Person;
beforeAll(async () => {
  server = await startTestServer();
  anna = await server.given.person();
});
afterAll(() => server.close());

/** The issues of a tracker, by task. */
let issues: Map<string, Issue>;
/** Number of calls that the tracker still refuses. */
let faults: number;
/** Calls of the tracker, in order. */
let calls: string[];
let mirror: ReturnType<typeof createMirror>;
let meeting: Meeting;
beforeEach(async () => {
  issues = new Map();
  faults = 0;
  calls = [];
  mirror = createMirror({
    ...{ baseUrl: server.url, apiKey: anna.key, secret: SECRET },
    tracker: {
      put: async (issue) => {
        if (faults-- > 0) throw new Error("the tracker is away");
        calls.push("put");
        issues.set(issue.taskId, issue);
      },
      list: async (meetingId) => {
        calls.push("list");
        return [...issues.values()].filter((one) => one.meetingId === meetingId).map(({ taskId }) => taskId);
      },
      remove: async (taskId) => void issues.delete(taskId),
    },
  });
  const assignee = { name: "Ben", email: "ben@example.com" };
  meeting = await server.given.meeting(anna, { tasks: [{ text: "Call", assignee }, { text: "Write" }] });
});

/** Delivers an event about a meeting, with whatever data it was sent. @returns the status */
async function deliver(event: string, meetingId: string, secret = SECRET): Promise<number> {
  const body = JSON.stringify({ metadata: { id: "1", event, created: 1 }, data: { id: meetingId } });
  const seconds = Math.floor(Date.now() / 1000);
  const signed = createHmac("sha256", secret).update(`${seconds}.${body}`).digest("hex");
  const headers = { "x-service-signature": `t=${seconds},v0=${signed}` };
  const request = new Request("https://mirror.test/", { method: "POST", body, headers });
  return (await mirror.receive(request)).status;
}
const shown = () => [...issues.values()].map(({ text, completed }) => [text, completed]).toSorted();

test("tasks become issues, once for deliveries that are repeated, late or at the same time", async () => {
  const { meetingId, taskIds } = meeting;
  const [call = ""] = taskIds;
  expect(await deliver("meeting.completed", meetingId)).toBe(204);
  expect(issues.get(call)).toEqual({
    ...{ taskId: call, meetingId, text: "Call", completed: false, assignee: "Ben" },
  });
  await server.data(anna.key, "me/tasks.update", { taskId: call, completed: true });
  const events = ["task.updated", "meeting.completed", "task.updated", "meeting.updated"];
  expect(await Promise.all(events.map((event) => deliver(event, meetingId)))).toEqual([204, 204, 204, 204]);
  expect(shown()).toEqual([
    ["Call", true],
    ["Write", false],
  ]);
});

test("a meeting is read only after what was read before is stored, so no older state wins", async () => {
  const events = ["meeting.completed", "task.updated"];
  await Promise.all(events.map((event) => deliver(event, meeting.meetingId)));
  expect(calls).toEqual(["list", "put", "put", "list", "put", "put"]);
});

test("issues of deleted tasks and meetings are removed, and an event from before brings none back", async () => {
  const { meetingId, taskIds } = meeting;
  await deliver("meeting.completed", meetingId);
  const client = createPeopleClient("me", { baseUrl: server.url, apiKey: anna.key });
  const { version } = await client.speakers.list.query({ meetingId });
  await client.tasks.delete.mutate({ taskId: taskIds[0] ?? "", baseVersion: version });
  await deliver("meeting.updated", meetingId);
  expect(shown()).toEqual([["Write", false]]);
  await server.data(anna.key, "me/meetings.delete", { meetingId });
  expect([await deliver("meeting.deleted", meetingId), await deliver("task.updated", meetingId)]).toEqual([
    204, 204,
  ]);
  expect(shown()).toEqual([]);
  expect(await deliver("meeting.completed", "mtg_sample")).toBe(204);
});

test("what the tracker refused comes again, and nothing unsigned is believed", async () => {
  faults = 1;
  await expect(deliver("meeting.completed", meeting.meetingId)).rejects.toThrow("the tracker is away");
  expect(await deliver("meeting.completed", meeting.meetingId, "ss_other")).toBe(400);
  expect(shown()).toEqual([]);
  expect(await deliver("meeting.completed", meeting.meetingId)).toBe(204);
  expect(shown()).toHaveLength(2);
});

test("an issue that is closed in the tracker completes its task", async () => {
  const [call = ""] = meeting.taskIds;
  await mirror.complete(call, true);
  await mirror.complete(call, true);
  await deliver("task.updated", meeting.meetingId);
  expect(issues.get(call)?.completed).toBe(true);
});
