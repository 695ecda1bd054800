import { once } from "node:events";
import { readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { startTestServer, type TestServer } from "@minutes/server/testing";
import { insertMeetings } from "@minutes/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createFolder, createProgram, readFolder } from "../test/program.js";
import { syncFolder } from "./folder/sync-folder.js";
import { createMeClient } from "./index.js";

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.close());

test("a process that is killed while it writes leaves a folder that the next run completes exactly", async () => {
  const owner = await server.given.person();
  await insertMeetings(server.db, owner, { count: 120 });
  const [folder, whole] = [await createFolder(), await createFolder()];
  const child = await createProgram(server.url, owner.key).start(20, "sync", folder);
  const ended = once(child, "exit");
  child.kill("SIGKILL");
  await ended;
  await writeFile(join(folder, ".minutes-sync.tmp"), "cut");
  const client = createMeClient({ baseUrl: server.url, apiKey: owner.key });
  const sync = (folder: string) =>
    syncFolder({ client, folder, url: server.url, timeZone: "UTC", follow: false });
  await sync(folder);
  await sync(whole);
  const files = await readFolder(folder);
  expect(Object.keys(files)).toHaveLength(120);
  expect(files).toEqual(await readFolder(whole));
  expect((await readdir(folder)).filter((name) => name.startsWith("."))).toEqual([".minutes-sync.jsonl"]);
});

test("exit code 0: SIGTERM stops a following process", async () => {
  const owner = await server.given.person();
  const child = await createProgram(server.url, owner.key).start(2, "sync", await createFolder());
  const ended = once(child, "exit");
  child.kill("SIGTERM");
  expect(await ended).toEqual([0, null]);
});
