import { startTestServer, type TestServer } from "@minutes/server/testing";
import { needs, type Person } from "@minutes/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { run, toRepositoryPath } from "./support/run.js";

let server: TestServer;
let anna: Person;
let env: Record<string, string>;
beforeAll(async () => {
  server = await startTestServer();
  anna = await server.given.person();
  await server.given.richMeeting(anna, { title: "Review: a/b" });
  env = { MINUTES_URL: server.url, MINUTES_API_KEY: anna.key };
});
afterAll(() => server.close());

test("the tour with curl", needs("bash", "curl"), async () => {
  const output = await run("bash", [toRepositoryPath("examples/curl/tour.sh")], { env });
  expect(output).toContain('"title":"Review: a/b"');
  expect(output).toMatch(/"completed":true.*\n.*"completed":false/);
});

test("the client in Python lists open tasks", needs("python3"), async () => {
  const output = await run("python3", [toRepositoryPath("examples/python/minutes.py")], { env });
  expect(output.trim().split("\n").toSorted()).toEqual([
    `Call the supplier (${anna.name}, Review: a/b)`,
    "Nobody's task (nobody, Review: a/b)",
  ]);
});
