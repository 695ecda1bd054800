import { runRetention, setRetentionRule } from "@minutes/core";
import { schema } from "@minutes/db";
import { startTestServer, type TestServer } from "@minutes/server/testing";
import { asWorkspace } from "@minutes/testing";
import { eq, sql } from "drizzle-orm";
import { afterAll, beforeAll, expect, test } from "vitest";
import { readQueues } from "./queues.js";

const { retentionRules, searchDocuments, searchSettings } = schema;

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.close());

test("retention is overdue since the first run that was due and did not take place", async () => {
  const readOverdue = async () => (await readQueues(server.db)).retentionOverdue;
  const company = await server.given.company();
  await setRetentionRule(server.db, asWorkspace(company.workspaceId), { days: 30 });
  expect(await readOverdue()).toBe(0);
  await server.db.update(retentionRules).set({ nextRunAt: sql`now() - interval '5 hours'` });
  expect(await readOverdue()).toBeGreaterThanOrEqual(5 * 3_600);
  await runRetention(server.db, new AbortController().signal);
  expect(await readOverdue()).toBe(0);
});

const countWithoutVectors = async () => (await readQueues(server.db)).meetingsWithoutVectors;

test("meetings without vectors are those without vectors of the current model", async () => {
  const anna = await server.given.person();
  const transcript = [{ speakerId: "s1", speakerName: "Anna", text: "Wombats dig." }];
  const [first] = [
    await server.given.meeting(anna, { transcript }),
    await server.given.meeting(anna, { transcript }),
  ];
  expect(await countWithoutVectors()).toBe(2);
  await server.db.update(searchDocuments).set({ space: "model:m:3:384" });
  await server.db.update(searchSettings).set({ space: "model:m:3:384" });
  expect(await countWithoutVectors()).toBe(0);
  for (const other of ["model:a:3:384", "model:z:3:384", null]) {
    const ofFirst = eq(searchDocuments.meetingId, first.meetingId);
    await server.db.update(searchDocuments).set({ space: other }).where(ofFirst);
    expect(await countWithoutVectors()).toBe(1);
  }
  await server.db.update(searchSettings).set({ space: "model:z:3:384" });
  expect(await countWithoutVectors()).toBe(2);
});
