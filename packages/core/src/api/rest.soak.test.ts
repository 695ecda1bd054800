import { startTestServer, type TestServer } from "@minutes/server/testing";
import { PROCEDURES } from "@minutes/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { compareForms, type RestScene } from "./testing/rest-inputs.js";

let server: TestServer;
let toScene: (path: string) => RestScene;
beforeAll(async () => {
  server = await startTestServer({ rateLimit: 1_000_000_000 });
  const company = await server.given.company();
  const meeting = await server.given.richMeeting(company.admin);
  toScene = (path) => ({
    url: server.url,
    key: path.includes("/workspace/") ? company.key : company.admin.key,
    // Deleting an existing object is answered differently the second time.
    ids: [...meeting.taskIds, ...(path.endsWith("meetings.delete") ? [] : [meeting.meetingId])],
  });
});
afterAll(() => server.close());

const V1 = PROCEDURES.filter(({ path }) => path.startsWith("/v1/"));

describe("resources give the same answers as /v1 to 300 generated inputs", () => {
  test.each(V1.map((procedure) => [procedure.path, procedure] as const))("%s", async (path, procedure) => {
    const { different, statuses } = await compareForms(toScene(path), procedure, 300, Date.now());
    process.stdout.write(`${path} ${JSON.stringify(statuses)}\n`);
    expect(different).toEqual([]);
    expect(Object.values(statuses).reduce((sum, count) => sum + count, 0)).toBe(300);
  });
});
