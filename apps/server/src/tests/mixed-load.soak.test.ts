import {
  createTestCa,
  createTestDatabase,
  engine,
  startWebhookReceiver,
  type TestDatabase,
} from "@minutes/testing";
import { expect, onTestFinished, test } from "vitest";
import { minutesJson } from "../testing/installation.js";
import { findFailures, type Rates, runMixedLoad } from "../testing/mixed-load.js";
import { addPeople } from "../testing/people.js";
import { emptyDataDir, startProcess } from "../testing/process.js";

const SECONDS = Number(process.env.SOAK_SECONDS ?? 300);
const LOADS: readonly [number, Rates][] = [
  [16, { reads: 60, searches: 2, imports: 4, updates: 8 }],
  [200, { reads: 100, searches: 3, imports: 5, updates: 12 }],
];

test.each(LOADS)(
  `200: every call for ${SECONDS} seconds over %i connections, at %j a second`,
  { timeout: (SECONDS + 600) * 1_000 },
  async (connections, rates) => {
    const ca = await createTestCa();
    const receiver = await startWebhookReceiver(await ca.issue());
    let database: TestDatabase | null = null;
    if (engine === "postgres") database = await createTestDatabase();
    onTestFinished(async () => {
      await receiver.close();
      await database?.close();
    });
    const settings = {
      ...(database
        ? { DATABASE_URL: database.url ?? "", SECRETS_KEY: Buffer.alloc(32, 7).toString("base64") }
        : { DATA_DIR: await emptyDataDir(), DEMO: "off" }),
      EMBEDDINGS: "builtin",
      WEBHOOK_ALLOWED_NETWORKS: "127.0.0.1/32",
      WEBHOOK_CA_FILE: ca.caFile,
    };
    const people = await addPeople({ ...settings, LOG_LEVEL: "silent" });
    await minutesJson(["webhooks", "create", people.email, receiver.url], settings);
    const server = await startProcess({
      ...settings,
      RATE_LIMIT_PER_MINUTE: "1000000",
      INGEST_LIMIT_PER_MINUTE: "1000000",
    });
    const report = await runMixedLoad(
      { ...people, url: server.url },
      { rates, connections, seconds: SECONDS },
    );
    console.log(engine, connections, JSON.stringify({ rates, report, deliveries: receiver.received.length }));
    expect(findFailures(report)).toEqual({});
    await expect
      .poll(() => receiver.received.length)
      .toBeGreaterThanOrEqual(report.imports.statuses[200] ?? 0);
    expect((await server.stop()).code).toBe(0);
  },
);
