import { createTestDatabase, needs } from "@minutes/testing";
import { describe, expect, test } from "vitest";
import { crashWorkers } from "../testing/webhook-kills.js";

describe("nothing is lost", needs("postgres"), () => {
  test("10,000 events, 5 % of answers 503, two workers killed with -9 200 times", {
    timeout: 3_600_000,
  }, async () => {
    const database = await createTestDatabase();
    const report = await crashWorkers(database, { events: 10_000, kills: 200, failing: 100 });
    console.log(JSON.stringify(report));
    expect(report.lost).toBe(0);
    expect(report.states.delivered).toBe(10_000);
    expect(report.attemptsOfDeadWebhook).toEqual({ 5: report.states.failed });
    expect(report.wrongLogs).toBe(0);
    expect(report.receipts - report.recorded).toBeLessThanOrEqual(report.kills * report.concurrency);
    expect(report.receipts).toBeGreaterThanOrEqual(report.recorded);
    await database.close();
  });
});
