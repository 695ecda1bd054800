import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { connectEmbedded } from "@minutes/db";
import { startTestServer, type TestServerOptions } from "@minutes/server/testing";
import { createTestDatabase, engine, needs } from "@minutes/testing";
import { expect, onTestFinished, test } from "vitest";
import { readQmsumMeetings, writeQmsumFiles } from "./dataset.js";

const MINUTES = fileURLToPath(new URL("../../apps/server/bin/minutes.js", import.meta.url));
const OWNER = "qmsum@example.com";

async function serverOn(options: TestServerOptions) {
  const server = await startTestServer(options);
  onTestFinished(async () => {
    await server.close();
    await options.connection?.close();
  });
  return server;
}

test("all 197 meetings of QMSum go in through `minutes import`, and each transcript comes back whole", {
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
  await writeQmsumFiles(join(folder, "meetings"));
  const imported = await minutes("import", join(folder, "meetings"), "--owner", OWNER);
  expect(imported).toEqual({ created: 197, unchanged: 0, failed: [], skipped: [], ownerOnly: 197 });

  const server = await serverOn(database ? { database } : { connection: await connectEmbedded({ dataDir }) });
  const stored = new Map<string, string>();
  for (let cursor: string | null = null, first = true; first || cursor; first = false) {
    const page: { meetings: { id: string; title: string; startTime: string }[]; nextCursor: string | null } =
      await server.data(key, "me/meetings.list", { limit: 50, ...(cursor ? { cursor } : {}) });
    for (const { id, title, startTime } of page.meetings) stored.set(`${startTime} ${title}`, id);
    cursor = page.nextCursor;
  }
  expect(stored.size).toBe(197);
  for (const { input, transcript } of readQmsumMeetings(OWNER)) {
    const meetingId = stored.get(`${input.startTime} ${input.title}`);
    const { transcript: answered } = await server.data(key, "me/meetings.get", { meetingId });
    expect(answered).toBe(transcript);
  }
});
