import type { TestServer } from "@minutes/server/testing";
import { needs, type Person } from "@minutes/testing";
import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import {
  type ConsoleVisit,
  chooseAction,
  holdNote,
  press,
  useConsole,
  visitConsole,
  waitForDialog,
} from "./support/console.js";
import { giveTurbineReview } from "./support/turbine-review.js";

describe("the console: tasks, tags, shares and keys", needs("chromium"), () => {
  let server: TestServer;
  let admin: Person;
  let colleague: Person;
  let visit: ConsoleVisit;
  let page: Page;
  let meetingId: string;

  useConsole(async (scene) => {
    ({ server, member: colleague, visit, page } = scene);
    admin = scene.company.admin;
    meetingId = await giveTurbineReview(server, admin);
    await page.reload();
  });

  test("ticks and edits a task", async () => {
    await visit.go("Tasks");
    await page.getByRole("button", { name: "Edit: Order a spare gearbox" }).click();
    await page.getByLabel("Task text").fill("Order two gearboxes");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByRole("checkbox", { name: "Completed: Order two gearboxes" }).click();
    await expect
      .poll(async () => {
        const { tasks } = await server.data(admin.key, "me/tasks.list", { meetingId });
        return tasks.map(({ text, completed }) => [text, completed]);
      })
      .toEqual([["Order two gearboxes", true]]);
  });

  test("groups tasks by day, in the address", async () => {
    await visit.go("Tasks");
    await page.getByText("All", { exact: true }).click();
    await page.getByRole("heading", { name: "Turbine review" }).waitFor();
    await page.getByLabel("Group by").selectOption("By day added");
    await page.getByRole("heading", { name: "Turbine review" }).waitFor({ state: "detached" });
    const day = page.locator("main section").filter({ hasText: "Order two gearboxes" });
    await day.getByRole("link", { name: "Turbine review" }).waitFor();
    await expect.poll(() => day.getByRole("heading").textContent()).toMatch(/Today|\d/);
    expect(new URL(page.url()).search).toBe("?shown=all&by=day");
  });

  test("tags a meeting and shares it with a member", async () => {
    await visit.open(`/meetings/${meetingId}`, "Turbine review");
    await page.getByLabel("New tag").fill("Hardware");
    await page.getByRole("button", { name: "Add tag" }).click();
    await page.getByRole("button", { name: "Remove the tag Hardware" }).waitFor();
    // The field suggests it on the next meeting.
    await page.locator('datalist > option[value="Hardware"]').waitFor({ state: "attached" });
    const pill = await page.locator(".mantine-Pill-root", { hasText: "Hardware" }).boundingBox();
    expect(pill?.height, "a short tag is on one line").toBeLessThan(30);
    await page.getByRole("button", { name: "Share", exact: true }).click();
    await page.getByRole("combobox", { name: "Share with" }).click();
    await page.getByRole("option", { name: new RegExp(colleague.email) }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Share", exact: true }).click();
    await expect
      .poll(async () => (await server.call(colleague.key, "me/meetings.get", { meetingId })).status)
      .toBe(200);
    await page
      .getByRole("region", { name: "Who can read this meeting" })
      .getByText("shared directly")
      .waitFor();
    await press(page, "Escape");
  });

  test("creates a key in one dialog, and the key works", async () => {
    await visit.go("Developers");
    await page.getByRole("button", { name: "Create a key" }).click();
    await page.getByLabel("Permissions", { exact: true }).selectOption({ value: "read" });
    await page.getByLabel("Expires").fill("2099-12-31");
    await page.getByRole("textbox", { name: "Name", exact: true }).fill("weekly report");
    await page.keyboard.press("Enter");
    const key = await page.getByLabel("key", { exact: true }).textContent();
    expect((await server.call(key, "me/meetings.list")).status).toBe(200);
    expect((await server.call(key, "me/tasks.update", { taskId: "none", completed: true })).status).toBe(403);
    await page.reload();
    await page.getByRole("cell", { name: "weekly report Read only" }).waitFor();
    await page.locator('time[datetime="2099-12-31T23:59:59.999Z"]').waitFor();
    await expect.poll(() => page.content()).not.toContain(key);
  });

  test("a tag that marks a meeting is listed after the meetings were, shared with a member, renamed, and deleted", async () => {
    await visit.open("/meetings", "Meetings");
    await visit.settle();
    await visit.go("Tags");
    const row = page.getByRole("row", { name: /Hardware/ });
    await row.getByRole("button", { name: "Share" }).click();
    const dialog = await waitForDialog(page, "Share the tag “Hardware”");
    await dialog.getByRole("combobox", { name: "Share with" }).fill(colleague.email);
    await page.keyboard.press("Enter");
    await dialog.getByRole("button", { name: `Remove ${colleague.name}`, exact: true }).waitFor();
    // The first Escape closes the field's list, if that is open.
    await expect
      .poll(async () => {
        await press(page, "Escape");
        return dialog.count();
      })
      .toBe(0);
    await row.getByRole("cell", { name: colleague.name, exact: true }).waitFor();
    await row.getByRole("button", { name: "Rename" }).click();
    const renaming = await waitForDialog(page, "Rename the tag “Hardware”");
    await renaming.getByText(/^Webhooks and summary instructions for this tag keep its old name/).waitFor();
    await renaming.getByRole("textbox", { name: "Name", exact: true }).fill("Machines");
    await press(page, "Enter");
    const note = await holdNote(page, "Tag renamed.");
    await page.getByRole("row", { name: /Machines/ }).waitFor();
    await note.getByRole("button", { name: "Undo" }).click();
    await row.getByRole("button", { name: "Delete" }).click();
    await page
      .getByRole("dialog")
      .getByText(/1 meeting loses the tag/)
      .waitFor();
    await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
    await row.waitFor({ state: "detached" });
  });

  test("puts a meeting on hold and releases it, and says what a hold is", async () => {
    const { meetingId } = await server.given.meeting(admin, { title: "Evidence" });
    let answer = () => {};
    const wanted = new Promise<void>((resolve) => {
      answer = resolve;
    });
    await page.route("**/settings/v1/retention.getHold*", async (route) => {
      await wanted;
      await route.continue();
    });
    await visit.open(`/meetings/${meetingId}`, "Evidence");
    await page.getByRole("button", { name: "More", exact: true }).click();
    const entry = page.getByRole("menuitem", { name: "Put on hold: keep despite retention rules" });
    await entry.waitFor();
    expect(await entry.isDisabled()).toBe(true);
    answer();
    await entry.click();
    await page.getByText("On hold: kept despite retention rules").first().waitFor();
    await chooseAction(page, "Release from hold");
    await page.getByText("Released.").waitFor();
    await page.getByRole("button", { name: "More", exact: true }).click();
    await page.getByRole("menuitem", { name: /^Put on hold/ }).waitFor();
    await press(page, "Escape");
  });

  test("asks before a meeting is deleted; leaving the page deletes it at once", async () => {
    const { meetingId } = await server.given.meeting(admin, { title: "Doomed meeting" });
    const ask = async () => (await server.call(admin.key, "me/meetings.get", { meetingId })).status;
    await visit.open(`/meetings/${meetingId}`, "Doomed meeting");
    await chooseAction(page, "Delete");
    await page.getByRole("dialog").getByRole("button", { name: "Cancel" }).click();
    expect(await ask()).toBe(200);
    await chooseAction(page, "Delete");
    await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
    await page.getByRole("heading", { name: "Meetings" }).waitFor();
    await page.getByText("“Doomed meeting” deleted.").waitFor();
    await page.goto("about:blank");
    await expect.poll(ask).toBe(404);
    await visit.open("/meetings", "Meetings");
  });

  test("a deletion waits for as long as its note offers to undo it, which is longer under the pointer", async () => {
    const { meetingId } = await server.given.meeting(admin, { title: "Nearly gone" });
    const own = await visitConsole(server, admin, visit);
    const note = own.page.getByRole("alert").filter({ hasText: "“Nearly gone” deleted." });
    const remove = async () => {
      await own.page.getByRole("link", { name: /^Nearly gone/ }).click();
      await chooseAction(own.page, "Delete");
      await own.page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
      await note.waitFor();
    };
    const ask = async () => (await server.call(admin.key, "me/meetings.get", { meetingId })).status;
    try {
      await own.page.clock.install();
      await remove();
      await note.hover();
      await own.page.clock.fastForward(60_000);
      await note.getByRole("button", { name: "Undo" }).click();
      await own.page.getByRole("link", { name: /^Nearly gone/ }).waitFor();
      await own.page.mouse.move(0, 0);
      await own.page.clock.fastForward(60_000);
      expect(await ask()).toBe(200);
      await remove();
      await own.page.clock.fastForward(11_000);
      await expect.poll(ask).toBe(404);
    } finally {
      await own.close();
    }
  });

  test("no page made the browser report an error", () => {
    // Refused reads of signed-out pages are network errors, not page errors.
    expect(visit.faults.filter((fault) => !/status of 40[134]/.test(fault))).toEqual([]);
  });
});
