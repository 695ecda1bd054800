import { execFile } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { connectEmbedded } from "@minutes/db";
import { startTestServer, type TestServerOptions } from "@minutes/server/testing";
import { createTestDatabase, engine, needs } from "@minutes/testing";
import { expect, onTestFinished, test } from "vitest";
import { readQmsumMeetings } from "./dataset.js";

const MINUTES = fileURLToPath(new URL("../../apps/server/bin/minutes.js", import.meta.url));
const OWNER = "qmsum@example.com";
/** Each kind of meeting is among them; `qmsum.test.ts` imports all. */
const EVERY = 8;

async function serverOn(options: TestServerOptions) {
  const server = await startTestServer(options);
  onTestFinished(async () => {
    await server.close();
    await options.connection?.close();
  });
  return server;
}

test("meetings of QMSum go in through `minutes import`, and each transcript comes back whole", {
  ...needs("searchbench"),
  timeout: 600_000,
}, async () => {
  const folder = await mkdtemp(join(tmpdir(), "minutes-qmsum-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const database = engine === "postgres" ? await createTestDatabase() : undefined;
  if (database) onTestFinished(() => database.close());
  const dataDir = join(folder, "data");
  const settings = database?.url ? { DATABASE_URL: database.url } : { DATA_DIR: dataDir };
  const minutes = async (...args: string[]) => {
    const env = { PATH: process.env.PATH, ...settings };
    return JSON.parse((await promisify(execFile)("node", [MINUTES, ...args, "--json"], { env })).stdout);
  };

  await minutes("migrate");
  await minutes("workspaces", "create", "QMSum", "--plan", "team");
  await minutes("users", "create", OWNER, "--workspace", "QMSum");
  const { key } = await minutes("keys", "create", OWNER);
  const meetings = readQmsumMeetings(OWNER).filter((_, at) => at % EVERY === 0);
  await mkdir(join(folder, "meetings"));
  for (const { input } of meetings) {
    const { ownerEmail: _, ...meeting } = input;
    await writeFile(join(folder, "meetings", `${input.externalId}.json`), JSON.stringify(meeting));
  }
  const imported = await minutes("import", join(folder, "meetings"), "--owner", OWNER);
  const created = meetings.length;
  expect(imported).toEqual({ created, unchanged: 0, failed: [], skipped: [], ownerOnly: created });

  const server = await serverOn(database ? { database } : { connection: await connectEmbedded({ dataDir }) });
  const stored = new Map<string, string>();
  for (let cursor: string | null = null, first = true; first || cursor; first = false) {
    const page: { meetings: { id: string; title: string; startTime: string }[]; nextCursor: string | null } =
      await server.data(key, "me/meetings.list", { limit: 10, ...(cursor ? { cursor } : {}) });
    for (const { id, title, startTime } of page.meetings) stored.set(`${startTime} ${title}`, id);
    cursor = page.nextCursor;
  }
  expect(stored.size).toBe(created);
  for (const { input, transcript } of meetings) {
    const meetingId = stored.get(`${input.startTime} ${input.title}`);
    const { transcript: answered } = await server.data(key, "me/meetings.get", { meetingId });
    expect(answered).toBe(transcript);
  }
});
