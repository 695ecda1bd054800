import { startTestServer, type TestServer } from "@minutes/server/testing";
import { createTestDatabase, needs, type TestDatabase } from "@minutes/testing";
import { sql } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

describe("while an import waits", needs("postgres"), () => {
  let database: TestDatabase;
  let server: TestServer;
  beforeAll(async () => {
    database = await createTestDatabase();
    server = await startTestServer({ database });
  });
  afterAll(async () => {
    await server.close();
    await database.close();
  });

  test("200: other meetings of its owner are imported, also with the same tag", async () => {
    const company = await server.given.company();
    const recorder = await server.given.ingestKey(company);
    const bring = (externalId: string, speakerEmail: string) =>
      server.call(recorder, "ingest/meetings.import", {
        ...{
          externalId,
          ownerEmail: company.admin.email,
          title: externalId,
          startTime: "2026-03-01T09:00:00Z",
        },
        transcript: [{ speakerId: "1", speakerName: "Anna", speakerEmail, text: "Hello" }],
        tags: [{ name: "weekly" }],
      });
    expect((await bring("first", "anna@example.com")).status).toBe(200);
    let waiting: Promise<{ status: number }> | undefined;
    await database.db.transaction(async (tx) => {
      await tx.execute(sql`select from people where workspace_id = ${company.workspaceId} for update`);
      waiting = bring("waiting", "anna@example.com");
      await expect
        .poll(() =>
          database.db.$count(
            sql`pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`,
          ),
        )
        .toBe(1);
      expect((await bring("other", "ben@example.com")).status).toBe(200);
    });
    expect((await waiting)?.status).toBe(200);
  });
});
