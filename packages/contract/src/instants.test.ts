import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseBound, parseInstant } from "./instants.js";

describe("a date-time with a zone", () => {
  test.each([
    ["2025-01-06T09:30:00Z", "2025-01-06T09:30:00.000Z"],
    ["2025-01-06T09:30Z", "2025-01-06T09:30:00.000Z"],
    ["2025-01-06T09:30:00.5Z", "2025-01-06T09:30:00.500Z"],
    ["2025-01-06T09:30:00,25Z", "2025-01-06T09:30:00.250Z"],
    ["2025-01-06T09:30:00.123999999Z", "2025-01-06T09:30:00.123Z"],
    ["2025-01-06T09:30:00+05:30", "2025-01-06T04:00:00.000Z"],
    ["2025-01-06T09:30:00-0800", "2025-01-06T17:30:00.000Z"],
    ["2025-01-06T09:30:00+02", "2025-01-06T07:30:00.000Z"],
    ["2024-12-31T23:30:00-01:00", "2025-01-01T00:30:00.000Z"],
    ["0001-01-01T00:00:00Z", "0001-01-01T00:00:00.000Z"],
    ["9999-12-31T23:59:59.999Z", "9999-12-31T23:59:59.999Z"],
  ])("%s is %s", (text, instant) => {
    expect(parseInstant(text)).toBe(instant);
  });

  test.each([
    "2025-01-06",
    "2025-01-06T09:30:00",
    "2025-01-06t09:30:00z",
    "2025-02-29T00:00:00Z",
    "2025-01-06T24:00:00Z",
    "2025-01-06T09:30:60Z",
    "0001-01-01T00:00:00+00:01",
    "9999-12-31T23:59:59.999-00:01",
    "2025-01-06T09:30:00.1234567890Z",
    " 2025-01-06T09:30:00Z",
    "2025-01-06T09:30:00Z\n",
    "٢٠٢٥-01-06T09:30:00Z",
  ])("%j is none", (text) => {
    expect(parseInstant(text)).toBeNull();
  });

  test("every instant of the years 0001 to 9999 parses to itself, in any zone", () => {
    const date = fc.date({ min: new Date("0001-01-02"), max: new Date("9999-12-30"), noInvalidDate: true });
    fc.assert(
      fc.property(date, fc.integer({ min: -1439, max: 1439 }), (at, offset) => {
        const instant = at.toISOString();
        expect(parseInstant(instant)).toBe(instant);
        const local = new Date(at.getTime() + offset * 60_000).toISOString().slice(0, -1);
        const size = Math.abs(offset);
        const zone = `${offset < 0 ? "-" : "+"}${String(Math.floor(size / 60)).padStart(2, "0")}:${String(size % 60).padStart(2, "0")}`;
        if (local.length === 23) expect(parseInstant(local + zone)).toBe(instant);
      }),
    );
  });

  test("no text throws", () => {
    fc.assert(fc.property(fc.string(), (text) => parseInstant(text) === null || text.length > 15));
  });
});

describe("one end of a range", () => {
  test("a day covers the whole UTC day", () => {
    expect(parseBound("2025-01-06", "start")).toBe("2025-01-06T00:00:00.000Z");
    expect(parseBound("2025-01-06", "end")).toBe("2025-01-06T23:59:59.999Z");
  });

  test("finer fractions never widen the range", () => {
    expect(parseBound("2025-01-06T00:00:00.0001Z", "start")).toBe("2025-01-06T00:00:00.001Z");
    expect(parseBound("2025-01-06T00:00:00.0019Z", "end")).toBe("2025-01-06T00:00:00.001Z");
    expect(parseBound("2025-01-06T00:00:00.29Z", "start")).toBe("2025-01-06T00:00:00.290Z");
    expect(parseBound("2025-01-06T00:00:00.57Z", "end")).toBe("2025-01-06T00:00:00.570Z");
  });

  test("whole milliseconds stay unchanged at both ends", () => {
    for (let ms = 0; ms < 1_000; ms++) {
      const instant = `2025-01-06T00:00:00.${String(ms).padStart(3, "0")}Z`;
      expect([parseBound(instant, "start"), parseBound(instant, "end")]).toEqual([instant, instant]);
    }
  });

  test("exactly the days that exist are accepted", () => {
    for (let year = 1899; year <= 1904; year++)
      for (let month = 1; month <= 12; month++)
        for (let day = 0; day <= 32; day++) {
          const text = [
            String(year).padStart(4, "0"),
            String(month).padStart(2, "0"),
            String(day).padStart(2, "0"),
          ].join("-");
          const exists = day >= 1 && day <= new Date(Date.UTC(year, month, 0)).getUTCDate();
          expect([text, parseBound(text, "start") !== null]).toEqual([text, exists]);
        }
  });
});
