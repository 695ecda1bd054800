import { expect, test } from "vitest";
import { toSearchRanges } from "./meeting-pages";

const now = new Date(2026, 7, 31, 15, 0);

test("a search without dates covers six months, and counts the matches before them", () => {
  const { searched, older } = toSearchRanges({ whose: "mine" }, now);
  // February has no 31st day.
  const start = new Date(2026, 1, 28);
  expect(searched).toEqual({ whose: "mine", startDate: start.toISOString() });
  expect(older).toEqual({
    ...{ whose: "mine", startDate: "0001-01-01" },
    endDate: new Date(start.getTime() - 1).toISOString(),
  });
});

test("a search with dates or in all time counts no others", () => {
  const end = new Date(2026, 0, 1, 23, 59, 59, 999).toISOString();
  expect(toSearchRanges({ to: "2026-01-01" }, now)).toEqual({
    searched: { startDate: "0001-01-01", endDate: end },
    older: null,
  });
  expect(toSearchRanges({ all: true }, now)).toEqual({ searched: { startDate: "0001-01-01" }, older: null });
});
