import { MeetingImport } from "@minutes/contract";
import { connectPostgres, schema } from "@minutes/db";
import { startTestServer, type TestServer } from "@minutes/server/testing";
import { needs } from "@minutes/testing";
import { eq } from "drizzle-orm";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { importRecording } from "./import-recording.js";

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.close());

test("a completion can take longer than a call of /v1", needs("postgres"), async () => {
  const company = await server.given.company();
  const anna = await server.given.member(company);
  await server.given.meeting(anna, { tags: [{ name: "Weekly" }] });
  const impatient = await connectPostgres({
    url: server.database.url ?? "",
    statementTimeout: 250,
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
  const via = { kind: "key", keyId: "key" } as const;
  const caller = { kind: "recorder", workspaceId: company.workspaceId, via } as const;
  // A lock holds up the completion as long as a large amount of work would.
  const held = server.db.transaction(async (tx) => {
    await tx.select().from(schema.tags).where(eq(schema.tags.userId, anna.userId)).for("update");
    const completed = importRecording(impatient.db, caller, meeting, false);
    completed.catch(() => {});
    await new Promise((resolve) => setTimeout(resolve, 750));
    return { completed };
  });
  expect(await (await held).completed).toMatchObject({ state: "completed" });
});
