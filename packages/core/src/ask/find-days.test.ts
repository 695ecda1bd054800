import { expect, test } from "vitest";
import { findDays } from "./find-days.js";

// A Wednesday.
const NOW = new Date("2026-01-14T12:00:00Z");

test.each([
  ["What was decided yesterday?", "2026-01-13", "2026-01-13"],
  ["What happened since yesterday?", "2026-01-13", null],
  ["Who spoke today?", "2026-01-14", "2026-01-14"],
  ["What did we plan this week?", "2026-01-12", "2026-01-18"],
  ["What did Ben say last week?", "2026-01-05", "2026-01-11"],
  ["What changed last month?", "2025-12-01", "2025-12-31"],
  ["What was said in March?", "2025-03-01", "2025-03-31"],
  ["What was said in January?", "2026-01-01", "2026-01-31"],
  ["What was said in February 2024?", "2024-02-01", "2024-02-29"],
  ["What was said on 2025-07-01?", "2025-07-01", "2025-07-01"],
  ["What was said since 2025-07-01?", "2025-07-01", null],
  ["What was said on 2025-13-45?", null, null],
  ["What was said on 2026-02-31?", null, null],
  ["What was said since 2026-02-29?", null, null],
  ["What was said on 0000-01-01?", null, null],
  ["What was said in March 0000?", null, null],
  ["What was said in March 0099?", null, null],
  ["What was said in December 9999?", "9999-12-01", "9999-12-31"],
  ["What may we do?", null, null],
  ["What did we plan IN MAY 2025?", "2025-05-01", "2025-05-31"],
  ["What did José say on Monday?", "2026-01-12", "2026-01-12"],
  ["What did Ben promise on Wednesday?", "2026-01-07", "2026-01-07"],
  ["What did we say last Thursday?", "2026-01-08", "2026-01-08"],
  ["What changed since Friday?", "2026-01-09", null],
  ["What happened since October with Nordwind?", "2025-10-01", null],
  ["What happened since March 2024?", "2024-03-01", null],
  ["What was decided on 3 March?", "2025-03-03", "2025-03-03"],
  ["What was decided on the 3rd of January, 2024?", "2024-01-03", "2024-01-03"],
  ["What was decided on January 13th?", "2026-01-13", "2026-01-13"],
  ["What was decided on February 31?", null, null],
  ["What did we earn in 2025?", "2025-01-01", "2025-12-31"],
  ["What did we earn last year?", "2025-01-01", "2025-12-31"],
  ["What did we plan in the second quarter?", "2025-04-01", "2025-06-30"],
  ["What did we plan for Q1 2024?", "2024-01-01", "2024-03-31"],
  ["What did we plan last quarter?", "2025-10-01", "2025-12-31"],
  ["What was said two weeks ago?", "2025-12-29", "2026-01-04"],
  ["What was said 3 days ago?", "2026-01-11", "2026-01-11"],
  ["What was said in the last 10 days?", "2026-01-04", "2026-01-14"],
  ["Does May know 2000 people?", null, null],
  ["Is the march 12 km long?", null, null],
])("%s: from %s to %s", (question, from, to) => {
  expect(findDays(question, NOW)).toMatchObject({ from, to });
});

test("the rest of a question has no days", () => {
  expect(findDays("What was said in March 2024 about costs?", NOW).rest).toBe("What was said  about costs?");
  expect(findDays("What was said on 2025-13-45?", NOW).rest).toBe("What was said on 2025-13-45?");
});
