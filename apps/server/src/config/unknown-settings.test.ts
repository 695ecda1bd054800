import { expect, test } from "vitest";
import { SETTINGS } from "./config.js";
import { describeUnknownSetting, findUnknownSettings } from "./unknown-settings.js";

test.each([
  ["RATE_LIMIT", "RATE_LIMIT_PER_MINUTE"],
  ["RATE_LIMIT_PER_SECOND", "RATE_LIMIT_PER_MINUTE"],
  ["DATABSE_URL", "DATABASE_URL"],
  ["DATADIR", "DATA_DIR"],
  ["WEBHOOKS_LOG_DAYS", "WEBHOOK_LOG_DAYS"],
  ["SMTP_HOST", "SMTP_URL"],
  ["CORS_ORIGIN", "CORS_ORIGINS"],
])("%s is named, with the suggestion %s", (name, meant) => {
  expect(findUnknownSettings({ [name]: "5" })).toEqual([{ name, meant }]);
  expect(describeUnknownSetting({ name, meant })).toBe(`${name} is not a setting. Did you mean ${meant}?`);
});

test("settings and other programs' variables are left alone", () => {
  const others = [
    "PATH",
    "HOME",
    "HOSTNAME",
    "LANG",
    "PWD",
    "SHLVL",
    "PORTS",
    "SESSION_MANAGER",
    "DATABASE",
    "LOGNAME",
    "PGHOST",
    "PGPORT",
  ];
  const known = Object.keys(SETTINGS);
  const source = Object.fromEntries(
    [...others, ...known, "MINUTES_API_KEY", "MINUTES_URL"].map((name) => [name, "x"]),
  );
  expect(findUnknownSettings(source)).toEqual([]);
});
