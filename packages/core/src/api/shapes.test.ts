import { startTestServer, type TestServer } from "@minutes/server/testing";
import { listKeyPaths } from "@minutes/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.close());

const LIST_ITEM = ["calendarEventId", "endTime", "generatedTitle", "id", "startTime", "title", "userId"];
const TASK_ITEM = [
  "assignee.email",
  "assignee.id",
  "assignee.name",
  "completed",
  "createdAt",
  "id",
  "meetingId",
  "meetingTitle",
  "text",
  "userId",
];
const DETAIL = [
  "endTime",
  "event.attendees[].email",
  "event.attendees[].name",
  "event.attendees[].organizer",
  "event.attendees[].responseStatus",
  "event.endTime",
  "event.externalId",
  "event.id",
  "event.scheduledTime",
  "event.title",
  "generatedTitle",
  "id",
  "participants[].email",
  "participants[].id",
  "participants[].name",
  "startTime",
  "summary.html",
  "summary.markdown",
  "summary.short",
  "tags[].color",
  "tags[].name",
  "tasks[].assignee.email",
  "tasks[].assignee.name",
  "tasks[].completed",
  "tasks[].content",
  "title",
  "transcript",
  "user.email",
  "user.id",
];
const DELETED = ["deletedMeetingId", "message", "success"];
const inList = (name: string, keys: string[]) => [...keys.map((key) => `${name}[].${key}`), "nextCursor"];

/** Creates a company with one meeting that has a value in every field; all its tasks are assigned. */
async function stage() {
  const company = await server.given.company();
  const anna = await server.given.member(company);
  const meeting = await server.given.richMeeting(anna, {
    startTime: new Date(Date.now() - 86_400_000).toISOString(),
    endTime: new Date(Date.now() - 80_000_000).toISOString(),
    tasks: [{ text: "Call the supplier", assignee: { name: anna.name, email: anna.email } }],
  });
  return { company, anna, meeting };
}
type Stage = Awaited<ReturnType<typeof stage>>;

const ROUTES: {
  route: Parameters<TestServer["data"]>[1];
  input?: (stage: Stage) => object;
  keys: string[];
}[] = [
  { route: "me/meetings.list", keys: inList("meetings", LIST_ITEM) },
  { route: "workspace/meetings.list", keys: inList("meetings", LIST_ITEM) },
  { route: "me/meetings.get", input: (s) => ({ meetingId: s.meeting.meetingId }), keys: DETAIL },
  { route: "workspace/meetings.get", input: (s) => ({ meetingId: s.meeting.meetingId }), keys: DETAIL },
  {
    route: "me/meetings.search",
    input: () => ({ query: "turbines" }),
    keys: ["id", "meetingDate", "meetingId", "meetingTitle", "text"].map((key) => `results[].${key}`),
  },
  { route: "me/tasks.list", keys: inList("tasks", TASK_ITEM) },
  { route: "workspace/tasks.list", keys: inList("tasks", TASK_ITEM) },
  { route: "me/tags.list", keys: ["tags[].id", "tags[].name", "tags[].shared"] },
  {
    route: "me/tasks.update",
    input: (s) => ({ taskId: s.meeting.taskIds[0], completed: true }),
    keys: ["completed", "taskId"],
  },
  {
    route: "me/tasks.update",
    input: (s) => ({ taskId: s.meeting.taskIds[0], text: "New" }),
    keys: ["taskId", "text"],
  },
  {
    route: "workspace/tasks.update",
    input: (s) => ({ taskId: s.meeting.taskIds[0], text: "New", completed: false }),
    keys: ["completed", "taskId", "text"],
  },
  { route: "me/meetings.delete", input: (s) => ({ meetingId: s.meeting.meetingId }), keys: DELETED },
  { route: "workspace/meetings.delete", input: (s) => ({ meetingId: s.meeting.meetingId }), keys: DELETED },
];

describe("200: the answer has exactly the specified keys", () => {
  test.each(ROUTES)("$route $keys.length", async ({ route, input, keys }) => {
    const stand = await stage();
    const key = route.startsWith("me/") ? stand.anna.key : stand.company.key;
    const answer = await server.call(key, route, input?.(stand));
    expect(answer.status).toBe(200);
    expect(Object.keys(answer.body as object)).toEqual(["result"]);
    expect(answer.headers["content-type"]).toBe("application/json; charset=utf-8");
    const envelope = answer.body as { result: { data: { json: object } } };
    expect(Object.keys(envelope.result)).toEqual(["data"]);
    expect(Object.keys(envelope.result.data)).toEqual(["json"]);
    expect(listKeyPaths(envelope.result.data.json)).toEqual([...keys].sort());
  });
});

test("200: nullable fields are present and null", async () => {
  const anna = await server.given.person();
  const { meetingId } = await server.given.meeting(anna, { tasks: [{ text: "Nobody's" }] });
  const detail = await server.data(anna.key, "me/meetings.get", { meetingId });
  expect(detail).toMatchObject({ generatedTitle: null, endTime: null, tasks: [{ assignee: null }] });
  expect(detail.event).toMatchObject({ id: null, externalId: null, endTime: null, attendees: [] });
  const { meetings, nextCursor } = await server.data(anna.key, "me/meetings.list");
  expect(meetings[0]).toMatchObject({ generatedTitle: null, endTime: null, calendarEventId: null });
  expect(nextCursor).toBeNull();
  const { tasks } = await server.data(anna.key, "me/tasks.list");
  expect(tasks[0]?.assignee).toBeNull();
});

test("200: every time is UTC with milliseconds, and every id is a string", async () => {
  const { anna, meeting } = await stage();
  const detail = await server.data(anna.key, "me/meetings.get", { meetingId: meeting.meetingId });
  const times = [
    detail.startTime,
    detail.endTime,
    detail.event.scheduledTime,
    detail.event.endTime,
    (await server.data(anna.key, "me/tasks.list")).tasks[0]?.createdAt,
  ];
  for (const time of times) expect(time).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  expect(typeof detail.id).toBe("string");
});

test("404: procedures that a key kind lacks don't exist", async () => {
  const { company, anna } = await stage();
  for (const route of [
    "workspace/meetings.search",
    "workspace/tags.list",
    "workspace/tasks.get",
    "workspace/toString",
  ]) {
    const answer = await server.call(company.key, route);
    expect([answer.status, answer.body]).toEqual([404, { error: "No such procedure." }]);
  }
  for (const route of ["me/meetings", "me/meetings.list.x", "me/tags.delete", "me/__proto__", "me/"])
    expect((await server.call(anna.key, route)).status).toBe(404);
});
