import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { startTestServer, type TestServer } from "@minutes/server/testing";
import { type Meeting, needs, type Person } from "@minutes/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

let server: TestServer;
let anna: Person;
let meeting: Meeting;
beforeAll(async () => {
  server = await startTestServer();
  anna = await server.given.person();
  meeting = await server.given.richMeeting(anna);
});
afterAll(() => server.close());

describe("curl", needs("curl"), () => {
  const run = promisify(execFile);
  const curl = async (...args: string[]) => {
    const { stdout } = await run("curl", ["-sS", "-w", "\n%{http_code}", ...args]);
    const end = stdout.lastIndexOf("\n");
    return { status: Number(stdout.slice(end + 1)), body: JSON.parse(stdout.slice(0, end)) };
  };

  test("200: a read, with and without input", async () => {
    const header = `x-api-key: ${anna.key}`;
    const plain = await curl("-H", header, `${server.url}/v1/me/meetings.list`);
    expect([plain.status, plain.body.result.data.json.meetings.length]).toEqual([200, 1]);
    const narrowed = await curl(
      ...["-G", "-H", header, "--data-urlencode", 'input={"json":{"endDate":"2020-01-01"}}'],
      `${server.url}/v1/me/meetings.list`,
    );
    expect(narrowed).toEqual({
      status: 200,
      body: { result: { data: { json: { meetings: [], nextCursor: null } } } },
    });
  });

  test("200: a write; 415: a write with curl's default content type", async () => {
    const taskId = meeting.taskIds[2];
    const request = [
      "-H",
      `x-api-key: ${anna.key}`,
      "-d",
      JSON.stringify({ json: { taskId, completed: true } }),
    ];
    const url = `${server.url}/v1/me/tasks.update`;
    expect(await curl(...request, "-H", "Content-Type: application/json", url)).toEqual({
      status: 200,
      body: { result: { data: { json: { taskId, completed: true } } } },
    });
    expect((await curl(...request, url)).status).toBe(415);
  });

  test("401: no key", async () => {
    expect(await curl(`${server.url}/v1/me/meetings.list`)).toEqual({
      status: 401,
      body: { error: "Missing API key. Use header: x-api-key: <key>" },
    });
  });
});
