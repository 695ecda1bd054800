import { completeMeeting, createWebhookScene, type WebhookScene, waitFor } from "@minutes/testing";
import { sql } from "drizzle-orm";
import { afterAll, beforeAll, expect, test } from "vitest";
import { fillEveryTable } from "../../testing/every-table.js";
import { startTestServer, type TestServer } from "../../testing/index.js";
import { type Collector, startCollector } from "./testing/collector.js";

/** Written to every content field, as a word that occurs nowhere else. */
const CANARY = "Quetzal7c41";
/** Columns with user content or names that no database constraint restricts. */
const CONTENT: Readonly<Record<string, readonly string[]>> = {
  api_keys: ["name"],
  calendar_attendees: ["name", "email"],
  calendar_events: ["title"],
  ingest_keys: ["name"],
  meeting_version_contents: ["content"],
  meetings: ["title", "generated_title"],
  participants: ["name", "email"],
  passkeys: ["name"],
  people: ["name", "organisation"],
  recording_drafts: ["content"],
  retention_rules: ["tag"],
  sessions: ["label"],
  summaries: ["markdown", "html", "short", "origin"],
  summary_instructions: ["name", "prompt", "tag", "word"],
  summary_requests: ["origin"],
  tags: ["name"],
  tasks: ["text", "assignee_name", "assignee_email"],
  transcript_segments: ["text"],
  users: ["name"],
  vocabulary_terms: ["term"],
  webhooks: ["name"],
  workspaces: ["name"],
};
const TOKEN = "a-long-enough-token";

let scene: WebhookScene;
let server: TestServer;
let collector: Collector;
beforeAll(async () => {
  collector = await startCollector();
  scene = await createWebhookScene();
  server = await startTestServer({
    database: scene.database,
    webhooks: scene.settings,
    accessLog: true,
    watch: { METRICS_TOKEN: TOKEN, OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, SLOW_STATEMENT_MS: 1 },
  });
});
afterAll(async () => {
  await scene.close();
  await collector.close();
});

test("no content, name, address, key or secret gets into logs, metrics and traces", async () => {
  const email = `${CANARY}@example.com`.toLowerCase();
  const anna = await scene.given.person({ email, name: CANARY });
  const meeting = await scene.given.meeting(anna, { title: CANARY, tasks: [{ text: CANARY }] });
  const receiver = await scene.receiver(() => 503);
  const webhook = await scene.personalWebhook(anna, `${receiver.url}?${CANARY}`);
  const attempts: (string | null)[] = [];
  await scene.worker({
    traceDelivery: server.watch?.traceDelivery,
    onAttempt: (outcome) => {
      attempts.push(outcome.error);
      server.watch?.onAttempt?.(outcome);
    },
  });
  await completeMeeting(scene.db, anna, {
    title: CANARY,
    transcript: [{ speakerId: "s1", speakerName: CANARY, speakerEmail: email, text: `${CANARY} said so` }],
    summary: { markdown: CANARY, short: CANARY },
    tasks: [{ text: CANARY, assignee: { name: CANARY } }],
    tags: [{ name: CANARY, color: "#112233" }],
    calendarEvent: { externalId: CANARY, title: CANARY, attendees: [{ name: CANARY, email }] },
  });
  const { anna: other, company } = await fillEveryTable(scene.db, scene.settings);
  await writeEverywhere(CANARY);
  const token = await scene.given.session(anna);
  const calls: [key: string | null, route: string, input: object][] = [
    [anna.key, "me/meetings.list", { tag: CANARY }],
    [anna.key, "me/meetings.get", { meetingId: meeting.meetingId }],
    [anna.key, "me/meetings.search", { query: CANARY }],
    [anna.key, "me/tasks.update", { taskId: meeting.taskIds[0], text: CANARY }],
    [anna.key, `me/${CANARY}`, {}],
    [anna.key, "me/tasks.list", { [CANARY]: 1 }],
    [anna.key, "sync/me/changes.list", { cursor: CANARY }],
    [other.key, "me/meetings.search", { query: CANARY }],
    [other.key, "sync/me/changes.list", { include: ["detail"] }],
    [company.key, "workspace/meetings.list", {}],
    [company.key, "workspace/tasks.list", {}],
    [`jk_${CANARY}`, "me/tasks.list", {}],
  ];
  const askAll = async () => {
    for (const [key, route, input] of calls)
      await server.call(key, route.replace(/^sync\/me/, "sync/me"), input);
    const headers = { authorization: `Bearer ${token}`, "user-agent": CANARY, "x-request-id": `${CANARY}_` };
    await fetch(`${server.url}/settings/v1/vocabulary.list?${CANARY}`, { headers });
    await fetch(`${server.url}/${CANARY}`, {
      headers: { tracestate: `a=${CANARY}`, baggage: `a=${CANARY}` },
    });
    await fetch(`${server.url}/identity/v1/session.create`, {
      method: "POST",
      headers: { "content-type": "application/json", origin: server.url },
      body: JSON.stringify({ json: { email, password: CANARY } }),
    });
  };
  await askAll();
  await scene.db.execute(sql`alter table tasks rename to tasks_away`);
  await askAll();
  await scene.db.execute(sql`alter table tasks_away rename to tasks`);
  await waitFor(() => expect(attempts.length).toBeGreaterThanOrEqual(5));

  const scraped = await fetch(`${server.url}/metrics`, { headers: { authorization: `Bearer ${TOKEN}` } });
  const metrics = await scraped.text();
  await server.close(); // sends pending spans
  const log = server.log.join("\n");
  const traces = collector.bodies.join("\n");
  // The searched text contains the activity.
  expect(metrics).toContain('outcome="status"');
  expect(log).toContain('"call failed"');
  expect(log).toContain('"slow statement"');
  expect(collector.spans.map(({ name }) => name)).toEqual(expect.arrayContaining(["attempt", "verify_keys"]));

  const secrets = [
    CANARY,
    anna.key,
    token,
    webhook.secret,
    meeting.meetingId,
    anna.userId,
    receiver.url,
    "select ",
  ];
  for (const [place, text] of Object.entries({ log, metrics, traces }))
    for (const secret of secrets)
      expect(text.toLowerCase().includes(secret.toLowerCase()), `${secret} in ${place}`).toBe(false);
});

/** Writes a word into every content column, followed by a suffix that keeps different values different. */
async function writeEverywhere(word: string): Promise<void> {
  for (const [table, columns] of Object.entries(CONTENT)) {
    const values = columns.map(
      (column) =>
        sql`${sql.identifier(column)} = ${word}::text || ' ' || md5(coalesce(${sql.identifier(column)}, ''))`,
    );
    const written = await scene.db.execute(
      sql`update ${sql.identifier(table)} set ${sql.join(values, sql`, `)} returning 1 as one`,
    );
    const rows = Array.isArray(written) ? written : (written as { rows: unknown[] }).rows;
    expect(rows.length, table).toBeGreaterThan(0);
  }
}
