import { needs } from "@minutes/testing";
import type { Page } from "playwright-core";
import { beforeEach, describe, expect, test } from "vitest";
import { findFaults } from "./support/accessibility.js";
import { type ConsoleScene, holdNote, SCREENS, useConsole } from "./support/console.js";

const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);

/** Tasks: whose they are, who does them by when, on both sizes of the console. */
describe.each(SCREENS)("on %s", needs("chromium"), (_, size) => {
  let scene: ConsoleScene;
  let page: Page;
  let meetingId: string;

  useConsole(async (started) => {
    scene = started;
    page = scene.page;
    const { admin } = scene.company;
    ({ meetingId } = await scene.server.given.meeting(admin, {
      title: "Planning",
      tasks: [
        { text: "Write the report", assignee: { name: admin.name, email: admin.email } },
        { text: "Paint the hall", assignee: { name: "Ben" } },
        { text: "Mow the lawn", due: "2020-01-01" },
        { text: "Order steel", due: inDays(3) },
        { text: "Order paint", due: inDays(60) },
      ],
    }));
  });
  beforeEach(() => page.setViewportSize(size));

  const list = async () => {
    const { tasks } = await scene.server.data(scene.company.admin.key, "me/tasks.list", { meetingId });
    return tasks.map(({ text, assignee }) => [text, assignee?.email ?? assignee?.name ?? null]);
  };

  test("only the person's own tasks are listed on request, in the address", async () => {
    await scene.visit.go("Tasks");
    await page.getByText("Paint the hall").waitFor();
    await page.getByText("Mine", { exact: true }).click();
    await expect.poll(() => page.getByText("Paint the hall").count()).toBe(0);
    await page.getByText("Write the report").waitFor();
    expect(new URL(page.url()).search).toBe("?whose=mine");
  });

  test("a task gets an assignee and a due date, which is marked once it is over; Escape and Cancel change nothing", async () => {
    await scene.visit.open("/tasks", "Tasks");
    await page.getByRole("button", { name: "Edit: Paint the hall" }).click();
    await page.getByLabel("Task text").fill("Paint nothing");
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Edit: Paint the hall" }).click();
    await page.getByLabel("Due").fill("2020-01-02");
    await page.getByRole("button", { name: "Cancel" }).click();
    await page.getByRole("button", { name: "Edit: Paint the hall" }).click();
    await page.getByLabel("Due").fill("2020-02-03");
    await page.getByLabel("Task text").press("Enter");
    const row = page.locator(".task", { hasText: "Paint the hall" });
    await row.getByText("Overdue since").waitFor();
    // A button under the pointer has other colors.
    await page.getByRole("button", { name: "Edit: Paint the hall" }).hover();
    const looks = [
      [size, "dark"],
      [size, "light"],
    ] as const;
    await expect.poll(() => findFaults(page, looks)).toEqual([]);
    // Without the note of the first edit, which says the same as the next one.
    await page.reload();
    await page.getByRole("button", { name: "Edit: Paint the hall" }).click();
    const { name, email } = scene.member;
    await page.getByRole("combobox", { name: "Assignee" }).fill(name);
    await page.getByRole("option", { name: `${name} (${email})` }).click();
    await page.getByText("They can't read this meeting.").waitFor();
    await page.getByLabel("Due").fill(await page.evaluate(() => new Date().toLocaleDateString("sv")));
    await page.getByLabel("Task text").press("Enter");
    const note = await holdNote(page, "Task edited.");
    await row.getByText(name).waitFor();
    await row.getByText("Due today").waitFor();
    expect(await list()).toContainEqual(["Paint the hall", email]);
    await note.getByRole("button", { name: "Undo" }).click();
    await expect.poll(list).toContainEqual(["Paint the hall", "Ben"]);
  });

  test("tasks can be sorted by due date, undated last, and the URL keeps the order", async () => {
    await scene.visit.open("/tasks", "Tasks");
    await page.getByLabel("Group by").selectOption("By due date");
    await page.getByRole("heading", { name: "No due date" }).waitFor();
    expect(new URL(page.url()).search).toBe("?by=due");
    const headings = await page.locator("main section h2").allTextContents();
    expect(headings).toEqual(["Overdue", "Next 7 days", "Later", "No due date"]);
    const rows = await page.locator("main .task").allTextContents();
    expect(rows.findIndex((text) => text.includes("Mow"))).toBe(0);
    await expect.poll(() => findFaults(page, [[size, "light"]])).toEqual([]);
  });

  test("tasks with only the person's name are shown as a guess, and can be claimed", async () => {
    const { server, company } = scene;
    const { admin } = company;
    const assignee = { name: admin.name };
    const spoken = (title: string) => ({
      title,
      transcript: [{ speakerId: "s1", speakerName: admin.name, text: "I'll do it." }],
      tasks: [{ text: `Say ${title}`, assignee }],
    });
    await server.given.meeting(admin, spoken(`One ${size.width}`));
    await server.given.meeting(admin, spoken(`Two ${size.width}`));
    await server.given.meeting(admin, {
      title: "Absent",
      tasks: [{ text: `Call ${size.width}`, assignee }],
    });
    await server.given.meetingSharedDirectly(scene.member, admin, {
      title: "Theirs",
      tasks: [{ text: "Send the offer", assignee }],
    });
    await scene.visit.open("/tasks?whose=mine", "Tasks");
    const guess = page.getByRole("region", { name: "Possibly yours" });
    await guess.getByText("Send the offer").waitFor();
    const listGuesses = () => guess.locator(".task").count();
    expect(await listGuesses()).toBe(4);
    await guess.getByRole("button", { name: /^This is me: Say One/ }).hover();
    await expect
      .poll(() =>
        findFaults(page, [
          [size, "dark"],
          [size, "light"],
        ]),
      )
      .toEqual([]);
    await guess.getByRole("button", { name: /^This is me: Say One/ }).click();
    await page.getByText("Confirmed in 2 meetings.").waitFor();
    await expect.poll(listGuesses).toBe(2);
    await expect
      .poll(() => page.evaluate<string | null>("document.activeElement.textContent"))
      .toMatch(/^(This is me|Tasks)$/);
    await guess.getByRole("button", { name: /^This is me: Call/ }).click();
    const note = await holdNote(page, "Task assigned to you.");
    await expect.poll(listGuesses).toBe(1);
    const mine = async () => {
      const headers = { "x-api-key": admin.key };
      const answer = await fetch(`${server.url}/rest/v1/me/tasks?mine=true`, { headers });
      return ((await answer.json()) as { tasks: { text: string }[] }).tasks.map(({ text }) => text);
    };
    expect(await mine()).toEqual(expect.arrayContaining([`Call ${size.width}`, `Say Two ${size.width}`]));
    await note.getByRole("button", { name: "Undo" }).click();
    await expect.poll(listGuesses).toBe(2);
    expect(await mine()).not.toContain(`Call ${size.width}`);
    expect(scene.visit.faults).toEqual([]);
  });

  test("a task is added to a meeting, and deleted with undo", async () => {
    await scene.visit.open(`/meetings/${meetingId}`, "Planning");
    const tasks = page.getByRole("region", { name: "Tasks" });
    await tasks.getByRole("button", { name: "Add a task" }).click();
    await page.getByLabel("Task text").fill("Order a gearbox");
    await page.getByLabel("Task text").press("Enter");
    await tasks.getByRole("button", { name: "Edit: Order a gearbox" }).click();
    await tasks.getByRole("button", { name: "Delete" }).click();
    const note = await holdNote(page, "Task deleted.");
    await expect.poll(list).not.toContainEqual(["Order a gearbox", null]);
    await note.getByRole("button", { name: "Undo" }).click();
    await expect.poll(list).toContainEqual(["Order a gearbox", null]);
    expect(scene.visit.faults).toEqual([]);
  });
});
