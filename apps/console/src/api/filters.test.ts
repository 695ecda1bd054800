import { expect, test } from "vitest";
import { readDeliveryFilters, readMeetingFilters, readMeetingView, readTaskFilters } from "./filters";

/** Leaves out absent filters. */
const read = <Filters extends object>(filters: Filters) => JSON.parse(JSON.stringify(filters)) as Filters;

test("valid filters are kept", () => {
  const filters = { q: "kiln", from: "2026-01-02", to: "2026-02-03", whose: "mine", all: true };
  expect(read(readMeetingFilters(filters))).toEqual(filters);
});

test("invalid filters in an address are dropped", () => {
  expect(read(readMeetingFilters({ q: "", from: "soon", to: 5, whose: "theirs", all: "yes" }))).toEqual({});
  expect(read(readMeetingView({ at: -1, find: 3, tab: "bogus" }))).toEqual({});
  expect(read(readTaskFilters({ shown: "none", by: "year" }))).toEqual({});
  expect(read(readDeliveryFilters({ state: "lost", from: "2026-01-02" }))).toEqual({});
});

test("a tag takes precedence over whose meetings to show", () => {
  expect(read(readMeetingFilters({ tag: "plan", whose: "shared" }))).toEqual({ tag: "plan" });
});
