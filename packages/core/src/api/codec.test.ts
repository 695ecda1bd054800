import { startTestServer, type TestServer } from "@minutes/server/testing";
import { type Person, readPayload, send, sendInput } from "@minutes/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

let server: TestServer;
let anna: Person;
let taskId: string;
beforeAll(async () => {
  server = await startTestServer();
  anna = await server.given.person();
  for (let at = 0; at < 3; at++) {
    const meeting = await server.given.meeting(anna, {
      startTime: `2025-04-0${at + 1}T12:00:00Z`,
      tasks: [{ text: "Old" }],
    });
    taskId = meeting.taskIds[0] ?? "";
  }
});
afterAll(() => server.close());

const read = async (text: string, route = "me/meetings.list") => {
  const { status, body } = await sendInput(server.url, anna.key, route, text);
  return { status, body: body as never };
};
const listed = async (text: string) => {
  return readPayload<{ meetings: unknown[] }>(await read(text)).meetings.length;
};

describe("200: valid envelopes", () => {
  test.each([
    ["empty parameters", '{"json":{}}', 3],
    ["parameters", '{"json":{"limit":2}}', 2],
    ["any order and whitespace", ' {\n"json" : {"limit":1}} ', 1],
    ["a stock client's undefined input", '{"json":null,"meta":{"values":["undefined"],"v":1}}', 3],
    ["the same without a version", '{"json":null,"meta":{"values":["undefined"]}}', 3],
    [
      "fields marked undefined are left out",
      '{"json":{"limit":null,"tag":null},"meta":{"values":{"limit":["undefined"],"tag":["undefined"]},"v":1}}',
      3,
    ],
    [
      "a field marked Date is its ISO string",
      '{"json":{"startDate":"2025-04-02T00:00:00.000Z"},"meta":{"values":{"startDate":["Date"]},"v":1}}',
      2,
    ],
    ["annotations of missing fields", '{"json":{"limit":1},"meta":{"values":{},"v":1}}', 1],
  ])("%s", async (_name, text, count) => {
    expect(await listed(text)).toBe(count);
  });

  test("no input and an empty input mean no parameters", async () => {
    expect((await server.data(anna.key, "me/meetings.list")).meetings).toHaveLength(3);
    expect(await listed("")).toBe(3);
  });
});

describe("400: an invalid envelope never means “no filters”", () => {
  test.each([
    [" ", "input is not valid JSON."],
    ["{", "input is not valid JSON."],
    ['{"limit":5}', 'input must be a JSON object of the form {"json": {…}}.'],
    ["[]", 'input must be a JSON object of the form {"json": {…}}.'],
    ["5", 'input must be a JSON object of the form {"json": {…}}.'],
    ["null", 'input must be a JSON object of the form {"json": {…}}.'],
    ['{"json":null}', "input.json must be an object."],
    ['{"json":[]}', "input.json must be an object."],
    ['{"json":5}', "input.json must be an object."],
    ['{"json":{},"limit":5}', 'Unknown field: "limit".'],
    ['{"json":{"limit":5,"x":1}}', 'Unknown field: "x".'],
    ['{"json":{"__proto__":{}}}', 'Unknown field: "__proto__".'],
    [
      '{"json":{"limit":5},"meta":{"values":{"limit":["bigint"]}}}',
      "input.meta may only mark top-level fields as undefined or Date.",
    ],
  ])("%s", async (text, error) => {
    expect(await read(text)).toEqual({ status: 400, body: { error } });
  });

  test("input given twice, in any spelling", async () => {
    const one = `input=${encodeURIComponent('{"json":{}}')}`;
    for (const query of [`${one}&${one}`, `${one}&%69nput=x`, `${one}&input`]) {
      const answer = await send(server.url, `/v1/me/meetings.list?${query}`, {
        headers: { "x-api-key": anna.key },
      });
      expect([answer.status, answer.body]).toEqual([400, { error: "input was given more than once." }]);
    }
  });
});

test.each([
  ["me/meetings.get", "meetingId must be a string of 1 to 128 characters."],
  ["me/meetings.search", "query must be a string of 1 to 1,000 characters after trimming."],
])("400: %s without input names the missing field", async (route, error) => {
  expect(await read('{"json":null,"meta":{"values":["undefined"],"v":1}}', route)).toEqual({
    status: 400,
    body: { error },
  });
  const answer = await server.call(anna.key, route);
  expect([answer.status, answer.body]).toEqual([400, { error }]);
});

describe("writes", () => {
  const write = (text: string) => read(text, "me/tasks.update");

  test("200: fields marked undefined stay unchanged and are not in the answer", async () => {
    const body = `{"json":{"taskId":"${taskId}","completed":true,"text":null},"meta":{"values":{"text":["undefined"]},"v":1}}`;
    expect(await write(body)).toEqual({
      status: 200,
      body: { result: { data: { json: { taskId, completed: true } } } },
    });
  });

  test("400: marking every updatable field undefined is not an update", async () => {
    const body = `{"json":{"taskId":"${taskId}","completed":null,"text":null},"meta":{"values":{"text":["undefined"],"completed":["undefined"]},"v":1}}`;
    expect(await write(body)).toEqual({
      status: 400,
      body: { error: "At least one of completed or text is required." },
    });
  });
});

test("200: an answer has no meta, whatever was sent", async () => {
  const answer = await read('{"json":null,"meta":{"values":["undefined"],"v":1}}');
  expect(JSON.stringify(answer.body)).not.toContain('"meta"');
});
