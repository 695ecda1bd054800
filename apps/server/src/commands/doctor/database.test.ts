import { expect, test } from "vitest";
import { checkInspected, checkLayout } from "./database.js";

const INSPECTED = {
  version: 150_000,
  now: 0,
  encoding: "UTF8",
  vector: "0.8.0",
  connections: 1,
  url: null,
  moved: null,
  schema: "current",
  ahead: 0,
  retentionOverdue: 0,
  unreadableSecrets: null,
  languageKnown: true,
  keptAudio: null,
  layout: null,
  search: null,
  withoutAdmin: [] as string[],
} as const;

test("a transaction that holds the change feed back for more than a minute is a warning", () => {
  const feed = (feedDelay: number, embedded = false) =>
    checkInspected({ ...INSPECTED, feedDelay }, embedded, true).filter(({ name }) => name === "Change feed");
  expect(feed(59)).toMatchObject([{ status: "ok" }]);
  expect(feed(75.4)).toMatchObject([{ status: "warn", message: expect.stringContaining("open for 75 s") }]);
  expect(feed(75.4, true)).toEqual([]);
});

test("an encoding other than UTF-8 is a failure", () => {
  const checks = (encoding: string) =>
    checkInspected({ ...INSPECTED, feedDelay: 0, encoding }, false, true).filter(
      ({ name }) => name === "Encoding",
    );
  expect(checks("UTF8")).toEqual([]);
  expect(checks("SQL_ASCII")).toMatchObject([
    { status: "fail", message: expect.stringContaining("SQL_ASCII") },
  ]);
});

test("retention that makes no progress for hours is a warning", () => {
  const retention = (retentionOverdue: number) =>
    checkInspected({ ...INSPECTED, feedDelay: 0, retentionOverdue }, true, true).filter(
      ({ name }) => name === "Retention",
    );
  expect(retention(3_600)).toEqual([]);
  expect(retention(5.5 * 3_600)).toMatchObject([
    { status: "warn", message: expect.stringContaining("no progress for 5 hours") },
  ]);
});

test("secrets that no key decrypts are a failure", () => {
  const none = { webhooks: 0, oldSecrets: 1, calendars: 0, keptAudio: 0 };
  const secrets = (found: Partial<typeof none>, embedded = true, hasKey = true) => {
    const unreadableSecrets = { ...none, ...found };
    const checks = checkInspected({ ...INSPECTED, feedDelay: 0, unreadableSecrets }, embedded, hasKey);
    return checks.filter(({ name }) => name === "Secrets");
  };
  expect(secrets({})).toEqual([]);
  const says = (message: string) => [{ status: "fail", message: expect.stringContaining(message) }];
  expect(secrets({ webhooks: 2 })).toMatchObject(says("no key decrypts the secrets of 2 webhooks:"));
  expect(secrets({ webhooks: 2 }, true, false)).toMatchObject(says("no key"));
  expect(secrets({ webhooks: 1 }, false, false)).toMatchObject(
    says("SECRETS_KEY is not set, and the secret of 1 webhook can't"),
  );
  expect(secrets({ calendars: 1, keptAudio: 2 })).toMatchObject(
    says("no key decrypts the address of 1 calendar, the audio of 2 meetings:"),
  );
});

test("a failing search model is a warning; meetings that a new model has not encoded are counted", () => {
  const search = (state: Parameters<typeof checkInspected>[0]["search"]) =>
    checkInspected({ ...INSPECTED, feedDelay: 0, search: state }, true, true).filter(
      ({ name }) => name === "Search",
    );
  const byMeaning = { mode: "similarity", name: "small" } as const;
  expect(search(null)).toEqual([]);
  expect(search({ mode: "words", reason: "EMBEDDINGS is off", waiting: 0 })).toMatchObject([
    { status: "ok", message: "by words: EMBEDDINGS is off." },
  ]);
  expect(search({ ...byMeaning, waiting: 0 })).toMatchObject([
    { status: "ok", message: "by words and meaning." },
  ]);
  expect(search({ ...byMeaning, waiting: 12 })).toMatchObject([
    { status: "ok", message: expect.stringContaining("12 meetings") },
  ]);
  expect(search({ mode: "failing", name: "small", waiting: 12 })).toMatchObject([{ status: "warn" }]);
});

test("the layout lists sizes by worker, undistributed tables, workers without data, and shards that a rebalance would move", () => {
  const share = (node: string, bytes: number) => ({ table: "search_chunks", node, shards: 2, bytes });
  const shares = [share("w1:5432", 4_000_000), share("w2:5432", 1_000_000)];
  const even = { shares, undistributed: [], idle: 0, moves: { shards: 0, bytes: 0 } };
  expect(checkLayout(even).map(({ name, status }) => `${name} ${status}`)).toEqual([
    "Layout ok",
    "Worker ok",
    "Worker ok",
    "Balance ok",
  ]);
  expect(checkLayout(even)[1]?.message).toContain("w1:5432 has 4.0 MB");
  expect(
    checkLayout({ ...even, undistributed: ["search_windows"], moves: { shards: 1, bytes: 2_000_000 } }),
  ).toMatchObject([
    { status: "warn", message: expect.stringContaining("search_windows is not distributed") },
    { status: "ok" },
    { status: "ok" },
    { status: "warn", message: expect.stringContaining("1 shards of 2.0 MB") },
  ]);
  expect(checkLayout({ ...even, idle: 2 })).toContainEqual(
    expect.objectContaining({ status: "warn", message: expect.stringContaining("--shards 4") }),
  );
});
