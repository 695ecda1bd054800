import { needs } from "@minutes/testing";
import type { Page } from "playwright-core";
import { beforeEach, describe, expect, test } from "vitest";
import { findFaults } from "./support/accessibility.js";
import { type ConsoleScene, SCREENS, useConsole } from "./support/console.js";

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
    await page.getByRole("button", { name: "Edit: Paint the hall" }).click();
    const { name, email } = scene.member;
    await page.getByRole("combobox", { name: "Assignee" }).fill(name);
    await page.getByRole("option", { name: `${name} (${email})` }).click();
    await page.getByText("They can't read this meeting.").waitFor();
    await page.getByLabel("Task text").press("Enter");
    await row.getByText(name).waitFor();
    expect(await list()).toContainEqual(["Paint the hall", email]);
    await page.getByRole("button", { name: "Undo" }).last().click();
    await expect.poll(list).toContainEqual(["Paint the hall", "Ben"]);
  });

  test("a task is added to a meeting, and deleted with undo", async () => {
    await scene.visit.open(`/meetings/${meetingId}`, "Planning");
    const tasks = page.getByRole("region", { name: "Tasks" });
    await tasks.getByRole("button", { name: "Add a task" }).click();
    await page.getByLabel("Task text").fill("Order a gearbox");
    await page.getByLabel("Task text").press("Enter");
    await tasks.getByRole("button", { name: "Edit: Order a gearbox" }).click();
    await tasks.getByRole("button", { name: "Delete" }).click();
    await expect.poll(list).not.toContainEqual(["Order a gearbox", null]);
    await page.getByText("Task deleted.").locator("..").getByRole("button", { name: "Undo" }).click();
    await expect.poll(list).toContainEqual(["Order a gearbox", null]);
    expect(scene.visit.faults).toEqual([]);
  });
});
