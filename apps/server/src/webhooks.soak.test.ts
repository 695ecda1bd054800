import { onPostgres, testDatabase } from "@minutes/testing";
import { describe, expect, test } from "vitest";
import { killAtCommit } from "./testing/kill-at-commit.js";
import { emptyDataDir } from "./testing/process.js";
import { killWorkers } from "./testing/webhook-kills.js";

describe.runIf(onPostgres)("nothing is lost", () => {
  test("10,000 events, 5 % of answers 503, two workers killed with -9 200 times", {
    timeout: 3_600_000,
  }, async () => {
    const database = await testDatabase();
    const report = await killWorkers(database, { events: 10_000, kills: 200, failing: 100 });
    console.log(JSON.stringify(report));
    expect(report.lost).toBe(0);
    expect(report.states.delivered).toBe(10_000);
    expect(report.attemptsOfFailed).toEqual({ 5: report.states.failed });
    expect(report.wrongLogs).toBe(0);
    expect(report.receipts - report.recorded).toBeLessThanOrEqual(report.kills * report.inFlight);
    expect(report.receipts).toBeGreaterThanOrEqual(report.recorded);
    await database.close();
  });
});

test("a process that completes meetings is killed with -9 100 times: meetings and deliveries agree", {
  timeout: 3_600_000,
}, async () => {
  const database = onPostgres ? await testDatabase() : null;
  const place = database?.url ? { DATABASE_URL: database.url } : { DATA_DIR: await emptyDataDir() };
  const found = await killAtCommit(place, 100);
  console.log(JSON.stringify(found.at(-1)));
  for (const agreement of found) {
    expect(agreement).toMatchObject({ without: 0, stray: 0, deliveries: agreement.meetings });
  }
  expect(found.at(-1)?.meetings).toBeGreaterThan(100);
  await database?.close();
});
