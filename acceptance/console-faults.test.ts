import { readFileSync } from "node:fs";
import { createSignInToken } from "@minutes/core";
import type { TestServer } from "@minutes/server/testing";
import { type Company, needs, type Person } from "@minutes/testing";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  type ConsoleScene,
  type ConsoleVisit,
  startConsole,
  tabTo,
  visitConsole,
} from "./support/console.js";

/** What broke in the console once, with a real server and browser. */
describe("the console", needs("chromium"), () => {
  let scene: ConsoleScene;
  let server: TestServer;
  let company: Company;
  let member: Person;
  let visit: ConsoleVisit;
  let page: Page;

  beforeAll(async () => {
    scene = await startConsole();
    ({ server, company, member, visit } = scene);
    page = visit.page;
  });
  afterAll(() => scene?.close());
  const dialog = () => page.getByRole("dialog");
  const countRequests = (part: string) => {
    const urls: string[] = [];
    page.on("request", (request) => request.url().includes(part) && urls.push(request.url()));
    return () => urls.length;
  };

  test("an installation without meetings shows three steps", async () => {
    const steps = page.getByRole("region", { name: "First steps" });
    for (const name of ["Upload a transcript", "Connect a recorder", "Connect an assistant"])
      await steps.getByRole("link", { name }).waitFor();
    await steps.getByRole("link", { name: "Connect a recorder" }).click();
    await page.getByRole("heading", { name: "Recorders" }).waitFor();
  });

  test("a meeting that a tag shares names its readers and why; a shared tag says who will read the meeting", async () => {
    const shared = await server.given.meetingSharedByTag(company.admin, member, {
      title: "Tagged",
      tag: "alarms",
    });
    await visit.open(`/meetings/${shared.meetingId}`, "Tagged");
    await page.getByRole("button", { name: "Share", exact: true }).click();
    const readers = dialog().getByRole("region", { name: "Who can read this meeting" });
    await readers.getByText(`${member.name} via tag alarms`).waitFor();
    await readers.getByText(/workspace API key/).waitFor();
    const { meetingId } = await server.given.meeting(company.admin, { title: "Private so far" });
    await visit.open(`/meetings/${meetingId}`, "Private so far");
    await page.getByLabel("New tag").fill("alarms");
    await page.getByRole("button", { name: "Add tag" }).click();
    await dialog().getByText(`${member.name} will be able to read this meeting`).waitFor();
    expect((await server.call(member.key, "me/meetings.get", { meetingId })).status).toBe(403);
    await dialog().getByRole("button", { name: "Add and share" }).click();
    await page.getByRole("button", { name: "Remove the tag alarms" }).waitFor();
    expect((await server.call(member.key, "me/meetings.get", { meetingId })).status).toBe(200);
  });

  test("a page whose script can't be fetched while the server is down opens when it is back, without a reload", async () => {
    const fresh = await visitConsole(server, company.admin, visit);
    try {
      await fresh.page.evaluate("window.sameDocument = true");
      for (const path of ["**/assets/**", "**/health", "**/{console,settings}/v1/**"])
        await fresh.page.route(path, (route) => route.abort());
      await fresh.page.getByRole("link", { name: "Tags" }).click();
      await fresh.page.getByText("Offline. Reconnecting…").waitFor();
      await fresh.page.unrouteAll();
      await fresh.page.getByRole("heading", { name: "Tags", level: 1 }).waitFor();
      await expect.poll(() => fresh.page.evaluate("window.sameDocument")).toBe(true);
    } finally {
      await fresh.close();
    }
  });

  test("a link that was already used says how to get another one", async () => {
    const link = `${server.url}/sign-in#${await createSignInToken(server.db, member.userId)}`;
    for (const isUsed of [false, true]) {
      const context = await page.context().browser()?.newContext();
      if (!context) throw new Error("The browser is closed.");
      const visitor = await context.newPage();
      await visitor.goto(link);
      if (isUsed) {
        await visitor.getByRole("alert").filter({ hasText: "expired or was already used" }).waitFor();
        await visitor.getByText("pnpm minutes login <e-mail>").waitFor();
      } else {
        await visitor.getByRole("button", { name: /^Sign in as / }).click();
        await visitor.getByRole("heading", { name: "Meetings" }).waitFor();
      }
      await context.close();
    }
  });

  test("a double click sends once", async () => {
    await visit.go("Developers");
    await page.getByLabel("Name of the recorder").fill("Twice");
    const created = countRequests("keys.create");
    await page.getByRole("button", { name: "Create a credential" }).dblclick();
    const row = page.getByRole("row", { name: /Twice/ });
    await row.waitFor();
    expect(created()).toBe(1);
    await row.getByRole("button", { name: "Revoke" }).click();
    const revoked = countRequests("keys.revokeIngest");
    await dialog().getByRole("button", { name: "Revoke" }).dblclick();
    await row.waitFor({ state: "detached" });
    expect(revoked()).toBe(1);
  });

  test("a date filter means days of the reader's time zone", async () => {
    // In Los Angeles it is still the evening of the first.
    await server.given.meeting(company.admin, { title: "Late call", startTime: "2026-02-02T03:00:00.000Z" });
    const zone = await page.context().newCDPSession(page);
    await zone.send("Emulation.setTimezoneOverride", { timezoneId: "America/Los_Angeles" });
    await visit.open("/meetings?from=2026-02-01&to=2026-02-01", "Meetings");
    await page.getByRole("link", { name: /^Late call/ }).waitFor();
    await page.getByRole("heading", { name: "Sunday, February 1" }).waitFor();
    await zone.send("Emulation.setTimezoneOverride", { timezoneId: "" });
    await zone.detach();
  });

  test("the console's JSON export can be uploaded; a second time it is a duplicate", async () => {
    const { meetingId } = await server.given.richMeeting(company.admin, { title: "Round: trip/1" });
    await visit.open(`/meetings/${meetingId}`, "Round: trip/1");
    const downloading = page.waitForEvent("download");
    await page.getByRole("button", { name: "Export" }).click();
    await page.getByRole("menuitem", { name: "JSON" }).click();
    const download = await downloading;
    expect(download.suggestedFilename()).toMatch(/^\d{4}-\d\d-\d\d Round trip 1\.json$/);
    const buffer = readFileSync(await download.path());
    await visit.go("Add meetings");
    for (const outcome of ["1 imported, 0 duplicates skipped", "0 imported, 1 duplicate skipped"]) {
      const file = { name: "export.json", mimeType: "application/json", buffer };
      await page.getByLabel("Files to upload").setInputFiles([file]);
      await page.getByText(outcome).waitFor();
    }
  });

  test("a form shows what is wrong beside its field, in words that name no field of the API", async () => {
    await visit.go("Developers");
    await page.getByRole("button", { name: "Create a webhook" }).click();
    await dialog().getByRole("button", { name: "Create" }).click();
    await expect.poll(() => dialog().getByText("Fill in this field.").count()).toBe(2);
    await dialog().getByRole("textbox", { name: "Name", exact: true }).fill("orders");
    await dialog().getByLabel("URL").fill("ftp://example.com");
    await dialog().getByRole("button", { name: "Create" }).click();
    await expect.poll(() => dialog().getByLabel("URL").getAttribute("aria-invalid")).toBe("true");
    const described = (await dialog().getByLabel("URL").getAttribute("aria-describedby")) ?? "";
    const id = described.split(" ").find((one) => one.endsWith("-error"));
    const sentence = await page.locator(`[id="${id}"]`).textContent();
    expect(sentence).toMatch(/^[A-Z].*\.$/);
    expect(sentence).not.toMatch(/^url/i);
    await page.keyboard.press("Escape");
  });

  test("the keyboard reaches the first meeting soon, and comes back to the button of the first dialog", async () => {
    await visit.open("/meetings", "Meetings");
    await visit.settle();
    let presses = 0;
    const isInList = () => page.evaluate<boolean>("document.activeElement.matches('.row-link')");
    while (!(await isInList()) && presses < 40) {
      await page.keyboard.press("Tab");
      presses += 1;
    }
    expect(presses).toBeLessThanOrEqual(14);
    await visit.open("/developers", "Developers");
    await visit.settle();
    await tabTo(page, "Create a key");
    await page.keyboard.press("Enter");
    await dialog().waitFor();
    await page.keyboard.press("Escape");
    await dialog().waitFor({ state: "detached" });
    await expect.poll(() => page.evaluate("document.activeElement.textContent")).toBe("Create a key");
  });

  test("an unknown tab shows the summary, and buttons on a phone are large enough for a thumb", async () => {
    const { meetingId } = await server.given.meeting(company.admin, {
      title: "On a phone",
      summary: { markdown: "Everybody agreed." },
    });
    await page.setViewportSize({ width: 390, height: 844 });
    await visit.open(`/meetings/${meetingId}?tab=bogus`, "On a phone");
    await page.getByText("Everybody agreed.").waitFor();
    for (const name of ["Export", "Share", "Delete"])
      await expect
        .poll(async () => (await page.getByRole("button", { name, exact: true }).boundingBox())?.height)
        .toBeGreaterThanOrEqual(44);
    await page.getByRole("button", { name: "Export" }).click();
    await page.getByRole("menuitem", { name: "JSON" }).waitFor();
    await page.mouse.click(10, 700);
    await page.getByRole("menuitem", { name: "JSON" }).waitFor({ state: "detached" });
    await page.setViewportSize({ width: 1280, height: 800 });
  });

  test("signing out everywhere ends every session, and leads to the sign-in page", async () => {
    const [first, second] = [
      await visitConsole(server, member, visit),
      await visitConsole(server, member, visit),
    ];
    try {
      await first.page.getByRole("button", { name: /^Your menu/ }).click();
      await first.page.getByRole("menuitem", { name: "Sign out everywhere" }).click();
      await first.page.getByRole("heading", { name: "Sign in to Minutes" }).waitFor();
      await second.page.getByRole("link", { name: "Tasks" }).click();
      await second.page.getByRole("heading", { name: "Sign in to Minutes" }).waitFor();
    } finally {
      await first.close();
      await second.close();
    }
  });
});
