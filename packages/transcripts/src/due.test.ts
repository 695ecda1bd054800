import { describe, expect, test } from "vitest";
import { findDue } from "./due.js";
import { readFile } from "./index.js";

describe("the day by which a task should be done", () => {
  test.each([
    ["Order the pump 📅 2026-11-28", "2026-11-28"],
    ["Order ⏳ 2026-11-20 🗓️2026-11-28 ⏫", "2026-11-28"],
    ["Order the pump @due(2026-11-28)", "2026-11-28"],
    ["Order the pump @due(2026-11-28 17:00) @done", "2026-11-28"],
    ["Order [due:: 2026-11-28]", "2026-11-28"],
    ["Order due:2026-11-28", "2026-11-28"],
    ["Order (due 2026-11-28)", "2026-11-28"],
    ["Deadline: 28. November 2026", "2026-11-28"],
    ["Send it by Nov 28, 2026, please", "2026-11-28"],
    ["Come by, then send it by 28 November 2026", "2026-11-28"],
    ["DUE DATE: 28.11.2026", "2026-11-28"],
  ])("%s", (text, day) => {
    expect(findDue(text)).toBe(day);
  });

  test.each([
    "Order by Friday",
    "Order by 28 November",
    "Order by 11/05/2026",
    "Order by 20261128",
    "Order by 2026-13-45",
    "Order by end of 2026",
    "Review the plan of 2026-11-28",
    "✅ 2026-11-28 ➕ 2026-11-20 🛫 2026-11-21",
    "Overdue 2026-11-28",
    "Standby 2026-11-28",
    "due to the outage on 2026-11-28",
  ])("none is guessed: %s", (text) => {
    expect(findDue(text)).toBeNull();
  });

  const readTasks = async (name: string, text: string) => {
    const { meetings } = await readFile({ name, bytes: new TextEncoder().encode(text) });
    const [one] = meetings;
    return one && "transcript" in one ? one.transcript.tasks : one;
  };

  test("is read from notes and from JSON, and the text stays as it is", async () => {
    const turns = Array.from({ length: 4 }, (_, at) => `**${at % 2 ? "Ben" : "Ada"}:** Sentence ${at}.`);
    const notes = `# Plan\n\n## Action items\n\n- [ ] **Ben:** Order 📅 2026-11-28\n- [x] Pay\n\n## Transcript\n\n${turns.join("\n\n")}\n`;
    expect(await readTasks("plan.md", notes)).toEqual([
      { text: "Order 📅 2026-11-28", completed: false, assignee: { name: "Ben" }, due: "2026-11-28" },
      { text: "Pay", completed: true },
    ]);
    const said = [{ speaker: "Ada", text: "Hello.", start: 1 }];
    const tasks = [
      { text: "Order", due_date: "2026-11-28T00:00:00Z" },
      { text: "Pay by 2026-12-01", dueDate: "soon" },
      { text: "Rest", due: null },
    ];
    expect(await readTasks("plan.json", JSON.stringify({ title: "Plan", transcript: said, tasks }))).toEqual([
      { text: "Order", completed: false, due: "2026-11-28" },
      { text: "Pay by 2026-12-01", completed: false, due: "2026-12-01" },
      { text: "Rest", completed: false },
    ]);
  });
});
