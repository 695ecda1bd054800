import { startTestServer, type TestServer } from "@minutes/server/testing";
import { type Person, sendRaw } from "@minutes/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

let server: TestServer;
let anna: Person;
beforeAll(async () => {
  server = await startTestServer();
  anna = await server.given.person();
});
afterAll(() => server.close());

const HOST = "Host: x\r\n";

describe("requests that can't be parsed are answered like any other error", () => {
  test.each([
    [400, "no HTTP at all", "hello\r\n\r\n"],
    [400, "a bad request line", `GET\r\n${HOST}\r\n`],
    [400, "a bad version", `GET / HTTP/9.9\r\n${HOST}\r\n`],
    [400, "an unknown method", `NOPE / HTTP/1.1\r\n${HOST}\r\n`],
    [400, "a header without a colon", `GET / HTTP/1.1\r\n${HOST}broken header\r\n\r\n`],
    [400, "a control character in a header", `GET / HTTP/1.1\r\n${HOST}x: a\u0001b\r\n\r\n`],
    [400, "a space in a header's name", `GET / HTTP/1.1\r\n${HOST}x-api key: a\r\n\r\n`],
    [400, "two lengths", `POST / HTTP/1.1\r\n${HOST}Content-Length: 1\r\nContent-Length: 2\r\n\r\nxx`],
    [
      400,
      "length and chunks",
      `POST / HTTP/1.1\r\n${HOST}Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0`,
    ],
    [400, "a negative length", `POST / HTTP/1.1\r\n${HOST}Content-Length: -1\r\n\r\n`],
    [400, "TLS", Buffer.from([0x16, 0x03, 0x01, 0x02, 0x00, 0x01, 0x00, 0x01, 0xfc, 0x03])],
    [431, "too much header", `GET / HTTP/1.1\r\n${HOST}x: ${"x".repeat(20_000)}\r\n\r\n`],
    [431, "too long a target", `GET /${"x".repeat(20_000)} HTTP/1.1\r\n${HOST}\r\n`],
    [417, "an unknown expectation", `GET /health HTTP/1.1\r\n${HOST}Expect: tea\r\n\r\n`],
    [401, "no Host", "GET /v1/me/tags.list HTTP/1.1\r\nConnection: close\r\n\r\n"],
    [401, "HTTP/1.0", "GET /v1/me/tags.list HTTP/1.0\r\n\r\n"],
    [401, "a bad percent escape, without a key", `GET /v1/me/%zz HTTP/1.1\r\n${HOST}\r\n`],
    [404, "an asterisk", `OPTIONS * HTTP/1.1\r\n${HOST}\r\n`],
    [404, "an absolute target", `GET http://x/nowhere HTTP/1.1\r\n${HOST}\r\n`],
  ])("%i: %s", async (status, _name, bytes) => {
    const answer = await sendRaw(server.url, bytes);
    expect([answer.status, answer.body]).toEqual([status, { error: expect.any(String) }]);
    expect(answer.headers["content-type"]).toBe("application/json; charset=utf-8");
  });
});

test("200: an absolute target, as a proxy may send it", async () => {
  const answer = await sendRaw(
    server.url,
    `GET http://minutes.example/v1/me/meetings.list?input=%7B%22json%22%3A%7B%7D%7D HTTP/1.1\r\n${HOST}x-api-key: ${anna.key}\r\nConnection: close\r\n\r\n`,
  );
  expect(answer.status).toBe(200);
});

test("400: a broken chunk in a body", async () => {
  const answer = await sendRaw(
    server.url,
    `POST /v1/me/tasks.update HTTP/1.1\r\n${HOST}x-api-key: ${anna.key}\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n`,
  );
  expect([answer.status, answer.body]).toEqual([400, { error: expect.any(String) }]);
});

test("200: Expect: 100-continue", async () => {
  const meeting = await server.given.meeting(anna, { tasks: [{ text: "x" }] });
  const body = JSON.stringify({ json: { taskId: meeting.taskIds[0], completed: true } });
  const answer = await sendRaw(
    server.url,
    `POST /v1/me/tasks.update HTTP/1.1\r\n${HOST}x-api-key: ${anna.key}\r\nContent-Type: application/json\r\nExpect: 100-continue\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  );
  expect(answer.status).toBe(200);
});

test("two requests on one connection are both answered; a body that was refused is not read as a request", async () => {
  const smuggled = `GET /v1/me/tags.list HTTP/1.1\r\n${HOST}x-api-key: ${anna.key}\r\nConnection: close\r\n\r\n`;
  const answer = await sendRaw(
    server.url,
    `POST /v1/me/tasks.update HTTP/1.1\r\n${HOST}Content-Type: text/plain\r\nContent-Length: ${smuggled.length}\r\n\r\n${smuggled}`,
  );
  expect([answer.status, answer.body]).toEqual([
    401,
    { error: "Missing API key. Use header: x-api-key: <key>" },
  ]);
});

test("a client that disconnects during its request does not affect others", async () => {
  const half = `POST /v1/me/tasks.update HTTP/1.1\r\n${HOST}x-api-key: ${anna.key}\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{"json"`;
  await Promise.all(
    Array.from({ length: 20 }, () => sendRaw(server.url, half, { patience: 50 }).catch(() => null)),
  );
  expect((await server.call(anna.key, "me/tags.list")).status).toBe(200);
  expect(server.log.filter((line) => line.includes("failed"))).toEqual([]);
});
