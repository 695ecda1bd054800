import { expect, test } from "vitest";
import { checkInspected } from "./database.js";

const INSPECTED = {
  version: 150_000,
  now: 0,
  vector: "0.8.0",
  connections: 1,
  port: null,
  schema: "current",
  ahead: 0,
  unreadableSecrets: 0,
} as const;

test("a transaction that holds the change feed back for more than a minute is a warning", () => {
  const feed = (feedDelay: number, embedded = false) =>
    checkInspected({ ...INSPECTED, feedDelay }, embedded).filter(({ name }) => name === "Change feed");
  expect(feed(59)).toMatchObject([{ status: "ok" }]);
  expect(feed(75.4)).toMatchObject([{ status: "warn", message: expect.stringContaining("open for 75 s") }]);
  expect(feed(75.4, true)).toEqual([]);
});

test("webhooks' secrets that no key of the installation decrypts are a failure", () => {
  const secrets = (unreadableSecrets: number) =>
    checkInspected({ ...INSPECTED, feedDelay: 0, unreadableSecrets }, true).filter(
      ({ name }) => name === "Secrets",
    );
  expect(secrets(0)).toEqual([]);
  expect(secrets(2)).toMatchObject([{ status: "fail", message: expect.stringContaining("2 webhooks") }]);
});
