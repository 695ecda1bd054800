import { once } from "node:events";
import { startTestServer, type TestServer } from "@minutes/server/testing";
import { insertMeetings } from "@minutes/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createFolder, createProgram, readFolder } from "../../test/program.js";
import { createMeClient, createPeopleClient, paginate } from "../index.js";

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.close());

const TITLES = [
  "Weekly",
  "WEEKLY",
  "weekly?",
  "../../etc/passwd",
  "CON",
  "a: b # c",
  "- [x] 'y' \"z\"",
  "…",
  "長い".repeat(90),
];

test("1,000 meetings stay exact through 12 kills, with renames and deletions in between", async () => {
  const owner = await server.given.person();
  await insertMeetings(server.db, owner, { count: 1_000 });
  const [baseUrl, apiKey] = [server.url, owner.key];
  const me = createMeClient({ baseUrl, apiKey });
  const people = createPeopleClient("me", { baseUrl, apiKey });
  const ids: string[] = [];
  for await (const { id } of paginate(me.meetings.list)) ids.push(id);
  expect(ids).toHaveLength(1_000);

  const { run, start } = createProgram(baseUrl, apiKey);
  const [folder, whole] = [await createFolder(), await createFolder()];
  for (let round = 0; round < 12; round++) {
    const child = await start(round < 9 ? 1 + round * 11 : 3, "sync", folder);
    const ended = once(child, "exit");
    child.kill("SIGKILL");
    await ended;
    const changed = ids.splice(0, 15);
    for (const meetingId of changed.slice(0, 5)) await me.meetings.delete.mutate({ meetingId });
    for (const [at, meetingId] of changed.slice(5).entries()) {
      const title = TITLES[at % TITLES.length] ?? "";
      await people.meetings.update.mutate({ meetingId, baseVersion: 1, title });
    }
  }
  expect(await run("sync", folder, "--once")).toMatchObject({ code: 0, stderr: "" });
  expect(await run("sync", whole, "--once")).toMatchObject({ code: 0, stderr: "" });
  const [files, expected] = [await readFolder(folder), await readFolder(whole)];
  // Names can differ: a file keeps the one of its first title.
  expect(Object.values(files).toSorted()).toEqual(Object.values(expected).toSorted());
  expect(Object.keys(files)).toHaveLength(940);
});
