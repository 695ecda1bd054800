import { expect, test } from "vitest";
import {
  formatClock,
  formatDate,
  formatDateTime,
  formatDay,
  formatDuration,
  formatRelative,
  formatStart,
  toLocalDay,
  toLocalInstant,
  toLocalStart,
} from "./times";

/** Returns the local instant so many minutes from now. */
const inMinutes = (minutes: number) => new Date(Date.now() + minutes * 60_000 + (minutes < 0 ? -1000 : 1000));

test("an instant's day, and a day's first and last instant, are those of the reader's time zone", () => {
  const lateEvening = new Date(2026, 2, 1, 23, 30).toISOString();
  expect(toLocalDay(lateEvening)).toBe("2026-03-01");
  expect(toLocalInstant("2026-03-01", "start")).toBe(new Date(2026, 2, 1).toISOString());
  expect(toLocalInstant("2026-03-01", "end")).toBe(new Date(2026, 2, 1, 23, 59, 59, 999).toISOString());
});

test.each([
  [-5, "5 minutes ago"],
  [-120, "2 hours ago"],
  [90, "in 2 hours"],
])("%i minutes from now is written as a distance", (minutes, text) => {
  expect(formatRelative(inMinutes(minutes))).toBe(text);
});

test("a time older than a week is written as a date", () => {
  expect(formatRelative(inMinutes(-8 * 24 * 60))).toMatch(/20\d\d/);
});

test("today and yesterday are named, older days have their date", () => {
  const noon = new Date();
  noon.setHours(12, 0, 0, 0);
  expect(formatDay(noon.toISOString())).toBe("Today");
  noon.setDate(noon.getDate() - 1);
  expect(formatDay(noon.toISOString())).toBe("Yesterday");
  noon.setDate(noon.getDate() + 2);
  expect(formatDay(noon.toISOString())).toBe("Tomorrow");
  expect(formatDay("2019-03-05T12:00:00.000Z")).toContain("2019");
});

test("a start without a time shows its UTC day in every zone; a guess is marked", () => {
  const startTime = "2026-03-04T00:00:00.000Z";
  const day = { startTime, startPrecision: "day" };
  expect(formatStart(day)).toBe(formatDate("2026-03-04"));
  expect(new Date(toLocalStart(day)).toDateString()).toBe("Wed Mar 04 2026");
  expect(formatStart({ startTime, startPrecision: null })).toBe(formatDateTime(startTime));
  expect(formatStart({ startTime, startPrecision: "guess" })).toBe(`${formatDateTime(startTime)} (a guess)`);
});

test("clocks and durations", () => {
  expect([0, 65.9, 3725].map(formatClock)).toEqual(["0:00", "1:05", "1:02:05"]);
  const start = "2026-03-01T10:00:00Z";
  expect(formatDuration(start, "2026-03-01T10:45:00Z")).toBe("45 min");
  expect(formatDuration(start, "2026-03-01T11:30:00Z")).toBe("1 h 30 min");
  expect(formatDuration(start, "2026-03-01T12:00:00Z")).toBe("2 h");
  expect(formatDuration(start, "2026-03-01T10:00:20Z")).toBe("under 1 min");
  expect(formatDuration(start, null)).toBeNull();
});
