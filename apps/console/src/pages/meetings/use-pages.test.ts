import { expect, test } from "vitest";
import { findDays } from "./use-pages";

/** Meetings at noon of these local days of March. */
const onDays = (...days: number[]) =>
  days.map((day) => ({ startTime: new Date(2026, 2, day, 12).toISOString(), startPrecision: null }));

test("each first meeting of a local day starts a day", () => {
  expect([...findDays(onDays(9, 9, 8, 7, 7), 0, [])]).toEqual([0, 2, 3]);
});

test("rows of dropped pages keep their days; loaded rows are counted again", () => {
  const days = findDays(onDays(6, 6, 5), 100, [0, 40, 100, 101]);
  expect([...days].toSorted((a, b) => a - b)).toEqual([0, 40, 100, 102]);
});
