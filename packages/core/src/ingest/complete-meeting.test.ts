import { MeetingImport } from "@minutes/contract";
import { connectPostgres, schema } from "@minutes/db";
import { asRecorder, needs, openTestApi, type TestApi } from "@minutes/testing";
import { eq, sql } from "drizzle-orm";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { importRecording } from "./import-meeting.js";
import { NO_SUMMARIES } from "./processing.js";

let api: TestApi;
beforeAll(async () => {
  api = await openTestApi();
});
afterAll(() => api.close());

test("a completion can take longer than a call of /v1", needs("postgres"), async () => {
  const company = await api.given.company();
  const anna = await api.given.member(company);
  await api.given.meeting(anna, { tags: [{ name: "Weekly" }] });
  const impatient = await connectPostgres({
    url: api.database.url ?? "",
    statementTimeout: 1_000,
    migrate: false,
  });
  onTestFinished(() => impatient.close());
  const meeting = MeetingImport.parse({
    externalId: "long",
    ownerEmail: anna.email,
    title: "Long",
    startTime: "2025-01-06T09:00:00Z",
    tags: [{ name: "Weekly" }],
  });
  const caller = asRecorder(company.workspaceId);
  // A lock holds up the completion as long as a large amount of work would.
  const held = api.db.transaction(async (tx) => {
    await tx.select().from(schema.tags).where(eq(schema.tags.userId, anna.userId)).for("update");
    const completed = importRecording(impatient.db, caller, meeting, NO_SUMMARIES);
    completed.catch(() => {});
    const overdue = sql`pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'
      and clock_timestamp() - query_start > interval '1.5 seconds'`;
    await expect.poll(() => api.db.$count(overdue)).toBe(1);
    return { completed };
  });
  expect(await (await held).completed).toMatchObject({ state: "completed" });
});
