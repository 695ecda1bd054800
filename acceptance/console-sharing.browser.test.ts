import { type Meeting, needs, type Person } from "@minutes/testing";
import type { Page } from "playwright-core";
import { beforeEach, describe, expect, test } from "vitest";
import { findFaults } from "./support/accessibility.js";
import {
  type ConsoleScene,
  chooseAction,
  holdNote,
  SCREENS,
  useConsole,
  visitConsole,
} from "./support/console.js";

/** Sharing, in one way for meetings and tags, on both sizes of the console. */
describe.each(SCREENS)("on %s", needs("chromium"), (_, size) => {
  let scene: ConsoleScene;
  let page: Page;
  let meeting: Meeting;
  let other: Person;

  useConsole(async (started) => {
    scene = started;
    page = scene.page;
    other = await scene.server.given.member(scene.company);
    meeting = await scene.server.given.meeting(scene.company.admin, {
      title: "Budget",
      tags: [{ name: "board" }],
    });
  });
  beforeEach(() => page.setViewportSize(size));

  const canRead = async ({ key }: { key: string }) =>
    (await scene.server.call(key, "me/meetings.get", { meetingId: meeting.meetingId })).status === 200;

  test("a typed address and Enter share a meeting; then everyone, and the undo takes back only what it added", async () => {
    const { member } = scene;
    await scene.visit.open(`/meetings/${meeting.meetingId}`, "Budget");
    await page.getByRole("button", { name: "Share", exact: true }).click();
    const dialog = page.getByRole("dialog", { name: "Share this meeting" });
    const field = dialog.getByRole("combobox", { name: "Share with" });
    await field.fill("nobody@elsewhere.test");
    await field.press("Enter");
    await dialog.getByText("People outside can read it with a link, below.").waitFor();
    await field.fill(member.email);
    await field.press("Enter");
    await dialog.getByText("shared directly").waitFor();
    expect([await canRead(member), await canRead(other)]).toEqual([true, false]);
    await field.fill("Everyone");
    await page.getByRole("option", { name: "Everyone now in the workspace (2)" }).click();
    await dialog.getByRole("button", { name: "Share", exact: true }).click();
    const note = await holdNote(page, `Shared with ${other.email}.`);
    await expect.poll(() => dialog.getByText("shared directly").count()).toBe(2);
    expect(await canRead(other)).toBe(true);
    await note.getByRole("button", { name: "Undo" }).click();
    await expect.poll(() => dialog.getByText("shared directly").count()).toBe(1);
    expect([await canRead(member), await canRead(other)]).toEqual([true, false]);
    await dialog.getByRole("button", { name: `Remove ${member.name}`, exact: true }).click();
    await expect.poll(() => canRead(member)).toBe(false);
    // If sharing fails for the second member, the list shows the first one.
    let shares = 0;
    await page.route("**/settings/v1/meetings.share*", (route) =>
      shares++ === 0 ? route.continue() : route.fulfill({ status: 403, body: "{}" }),
    );
    await field.fill("Everyone");
    await page.getByRole("option", { name: "Everyone now in the workspace (2)" }).click();
    await dialog.getByRole("button", { name: "Share", exact: true }).click();
    await page.getByText("Could not share the meeting").waitFor();
    await expect.poll(() => dialog.getByText("shared directly").count()).toBe(1);
    await page.unroute("**/settings/v1/meetings.share*");
    await dialog.getByRole("button", { name: /^Remove / }).press("Enter");
    await expect.poll(() => dialog.getByText("shared directly").count()).toBe(0);
    await page.keyboard.press("Escape");
  });

  test("a member asks for access, the owner sees it in three places, and shares it or dismisses it", async () => {
    const { server, company, visit } = scene;
    const [carl, dora] = [
      await server.given.member(company, { name: "Carl" }),
      await server.given.member(company, { name: "Dora" }),
    ];
    for (const who of [carl, dora]) {
      const own = await visitConsole(server, who, visit);
      try {
        await own.page.setViewportSize(size);
        await own.open(`/meetings/${meeting.meetingId}`, "You can't open this meeting");
        await own.page.getByRole("button", { name: "Ask for access" }).click();
        await own.page.getByText("they now see that you asked").waitFor();
        await expect.poll(() => findFaults(own.page)).toEqual([]);
      } finally {
        await own.close();
      }
    }
    await visit.open("/meetings", "Meetings");
    const notice = page.getByRole("region", { name: "Requests for access" });
    await notice.getByText(`Carl (${carl.email}) asks to read Budget.`).waitFor();
    await expect.poll(() => findFaults(page)).toEqual([]);
    await notice.getByRole("link", { name: "Budget" }).first().click();
    await page.getByRole("heading", { name: "Budget", exact: true }).first().waitFor();
    await notice.getByRole("button", { name: "Share Budget with Carl" }).click();
    await expect.poll(() => canRead(carl)).toBe(true);
    await expect.poll(() => findFaults(page)).toEqual([]);
    await page.getByRole("button", { name: "Share", exact: true }).first().click();
    const dialog = page.getByRole("dialog", { name: "Share this meeting" });
    await dialog.getByText("Carl", { exact: true }).waitFor();
    await dialog.getByRole("button", { name: "Dismiss the request of Dora for Budget" }).click();
    await expect.poll(() => page.getByText("asks to read").count()).toBe(0);
    expect(await canRead(dora)).toBe(false);
    await page.keyboard.press("Escape");
  });

  test("a meeting that isn't shared looks like one that doesn't exist, and says who can change that", async () => {
    const stranger = await scene.server.given.member(scene.company);
    const own = await visitConsole(scene.server, stranger, scene.visit);
    try {
      const shown: string[] = [];
      for (const id of [meeting.meetingId, "mtg_unknown"]) {
        await own.open(`/meetings/${id}`, "You can't open this meeting");
        shown.push((await own.page.locator("main").textContent()) ?? "");
        await own.page.getByRole("button", { name: "Ask for access" }).click();
        await own.page.getByText("they now see that you asked").waitFor();
        shown.push((await own.page.locator("main").textContent()) ?? "");
      }
      expect(shown[0]).toContain(`can share it with ${stranger.email}`);
      expect(shown.slice(2)).toEqual(shown.slice(0, 2));
      await expect.poll(() => findFaults(own.page)).toEqual([]);
    } finally {
      await own.close();
    }
  });

  test("a tag is shared in the same way, and a copied link says who can open it", async () => {
    await scene.visit.open("/tags", "Tags");
    const row = page.getByRole("row", { name: /board/ });
    await row.getByRole("button", { name: "Share" }).click();
    const dialog = page.getByRole("dialog", { name: "Share the tag “board”" });
    const field = dialog.getByRole("combobox", { name: "Share with" });
    const readers = [scene.member, other];
    const removeButton = ({ name }: Person) =>
      dialog.getByRole("button", { name: `Remove ${name}`, exact: true });
    const share = async (email: string) => {
      await field.fill(email);
      // The click waits while the button can't be used.
      await dialog.getByRole("button", { name: "Share", exact: true }).click();
    };
    for (const reader of readers) {
      await share(reader.email);
      await removeButton(reader).waitFor();
      expect(await canRead(reader)).toBe(true);
    }
    await share("nobody@elsewhere.test");
    await expect.poll(() => field.getAttribute("aria-invalid")).toBe("true");
    // By keyboard: on a phone a note covers the buttons, and stays while the pointer is on it.
    for (const reader of readers) {
      await expect.poll(() => removeButton(reader).isEnabled()).toBe(true);
      await removeButton(reader).press("Enter");
    }
    for (const reader of readers) await expect.poll(() => canRead(reader)).toBe(false);
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
    const { server, visit } = scene;
    await visit.browser.grantPermissions(["clipboard-read", "clipboard-write"], { origin: server.url });
    await visit.open(`/meetings/${meeting.meetingId}`, "Budget");
    await chooseAction(page, "Copy link");
    await page.getByText("Only its owner and the people it is shared with can open it.").waitFor();
  });
});
