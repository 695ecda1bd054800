import { readFileSync } from "node:fs";
import { cp, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createSignInToken } from "@minutes/core";
import { startTestServer, type TestServer } from "@minutes/server/testing";
import { type Company, givePassword, insertMeetings, needs, type Person } from "@minutes/testing";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  CONSOLE_DIRECTORY,
  type ConsoleScene,
  type ConsoleVisit,
  startConsole,
  tabTo,
  visitConsole,
} from "./support/console.js";

/** Reads the titles of the meetings in which a search found passages. */
const PASSAGES = `[...document.querySelectorAll("[aria-label='In meetings'] article")].map((one) => one.ariaLabel)`;

/** Finds visible controls that do not take a touch 21 px from their middle. */
const FIND_SMALL_TARGETS = `[...document.querySelectorAll("button, input, select, summary, [role=tab], a[class*=Button]")]
  .filter((one) => {
    one.scrollIntoView({ block: "center", inline: "nearest" });
    const { x, y, width, height } = one.getBoundingClientRect();
    // The rail waits beside the screen.
    if (x + width <= 0 || width < 2 || height < 2 || !one.checkVisibility({ opacityProperty: true, visibilityProperty: true })) return false;
    const takes = (dx, dy) => {
      const found = document.elementFromPoint(x + width / 2 + dx, y + height / 2 + dy);
      return found === one || one.contains(found);
    };
    return ![[0, 21], [0, -21], [21, 0], [-21, 0]].every(([dx, dy]) => takes(dx, dy));
  })
  .map((one) => one.getAttribute("aria-label") ?? one.labels?.[0]?.textContent ?? one.textContent)`;

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

  test("a shared tag is never added to one or several meetings before the members who will read them are named", async () => {
    const titles = ["Bulk one", "Bulk two"];
    for (const title of titles) await server.given.meeting(company.admin, { title });
    await visit.open("/meetings", "Meetings");
    for (const title of titles) await page.getByRole("checkbox", { name: `Select ${title}` }).check();
    const bar = page.getByRole("region", { name: "Selected meetings" });
    const tagged = countRequests("meetings.tag");
    await page.route("**/settings/v1/tags.list*", (route) => route.fulfill({ status: 403, body: "{}" }));
    await bar.getByRole("button", { name: "Tag" }).click();
    await dialog().getByLabel("Tag").fill("alarms");
    await dialog().getByRole("button", { name: "Tag", exact: true }).click();
    await page.getByText("Could not tag the meetings").waitFor();
    expect(tagged()).toBe(0);
    await page.unroute("**/settings/v1/tags.list*");
    await dialog().getByRole("button", { name: "Tag", exact: true }).click();
    await dialog().getByText(`${member.name} will be able to read these 2 meetings`).waitFor();
    expect(tagged()).toBe(0);
    await dialog().getByRole("button", { name: "Add and share" }).click();
    for (const title of titles) await dialog().getByText(`${title}: done`).waitFor();
    await page.keyboard.press("Escape");
  });

  test("several meetings are deleted after a question that names them, also when the list has dropped one; undo keeps all", async () => {
    const owner = await server.given.member(company);
    await insertMeetings(server.db, owner, { count: 450, firstStart: "2026-01-01T10:00:00.000Z" });
    const { meetingId } = await server.given.meeting(owner, {
      title: "Newest",
      startTime: new Date().toISOString(),
    });
    const own = await visitConsole(server, owner, visit);
    try {
      const list = own.page.getByRole("region", { name: "Meetings", exact: true });
      await list.getByRole("checkbox", { name: "Select Newest" }).check();
      const oldest = list.locator('[data-index="450"]');
      await expect
        .poll(async () => {
          await own.page.evaluate("window.scrollTo(0, document.body.scrollHeight)");
          return oldest.count();
        })
        .toBe(1);
      await oldest.getByRole("checkbox").check();
      const bar = own.page.getByRole("region", { name: "Selected meetings" });
      await bar.getByText("2 meetings selected").waitFor();
      await bar.getByRole("button", { name: "Delete" }).click();
      const question = own.page.getByRole("dialog", { name: "Delete 2 meetings?" });
      await question.getByText("Newest").waitFor();
      await question.getByText(/are deleted for everyone who can read them/).waitFor();
      await question.getByRole("button", { name: "Delete" }).click();
      await own.page.getByRole("button", { name: "Undo" }).click();
      await own.page.getByText("2 meetings deleted.").waitFor({ state: "detached" });
      const read = await server.call(owner.key, "me/meetings.get", { meetingId });
      expect(read.status).toBe(200);
    } finally {
      await own.close();
    }
  });

  test("a meeting that can't be deleted is named with the reason", async () => {
    await server.given.meeting(company.admin, { title: "Stays here" });
    await visit.open("/meetings", "Meetings");
    await page.getByRole("checkbox", { name: "Select Stays here" }).check();
    await page
      .getByRole("region", { name: "Selected meetings" })
      .getByRole("button", { name: "Delete" })
      .click();
    const refusal = { status: 403, body: JSON.stringify({ error: "You left the workspace." }) };
    await page.route("**/console/v1/meetings.delete", (route) => route.fulfill(refusal));
    await dialog().getByRole("button", { name: "Delete" }).click();
    await page.getByText("Could not delete “Stays here”").waitFor();
    await page.getByText("You left the workspace.").waitFor();
    await page.unroute("**/console/v1/meetings.delete");
  });

  test("tasks of a shared meeting offer neither a tick nor Edit", async () => {
    const tasks = [{ text: "Mend the fence" }];
    const shared = await server.given.meeting(member, { title: "Garden", tasks });
    await server.given.shared(shared, company.admin);
    await visit.go("Tasks");
    const garden = page.getByRole("region", { name: "Garden" });
    await garden.getByText("Mend the fence").waitFor();
    await garden.getByRole("img", { name: "Open" }).waitFor();
    expect(await garden.getByRole("checkbox").count()).toBe(0);
    expect(await garden.getByRole("button").count()).toBe(0);
  });

  test("a search obeys every filter in the address, counts older matches apart, and hides what is being deleted", async () => {
    const searcher = await server.given.member(company);
    const say = (text: string) => [{ speakerId: "a", speakerName: "Ada", text }];
    for (const [title, startTime] of [
      ["Kiln now", new Date().toISOString()],
      ["Kiln then", "2019-05-06T10:00:00.000Z"],
    ] as const)
      await server.given.meeting(searcher, { title, startTime, transcript: say("The kiln is hot.") });
    const others = await server.given.meeting(member, {
      title: "Kiln of others",
      startTime: new Date().toISOString(),
      transcript: say("The kiln is cold."),
    });
    await server.given.shared(others, searcher);
    const own = await visitConsole(server, searcher, visit);
    try {
      const byTitle = own.page.getByRole("region", { name: "Titles and people" }).getByRole("link");
      const shown = async () => [
        (await byTitle.locator(".row-title").allTextContents()).toSorted(),
        (await own.page.evaluate<string[]>(PASSAGES)).toSorted(),
      ];
      await own.open("/meetings?q=kiln", "Meetings");
      await expect.poll(shown).toEqual([
        ["Kiln now", "Kiln of others"],
        ["Kiln now", "Kiln of others"],
      ]);
      await own.page.getByRole("link", { name: /^\d+ match(es)? in older meetings$/ }).waitFor();
      await own.open("/meetings?q=kiln&whose=mine", "Meetings");
      await expect.poll(shown).toEqual([["Kiln now"], ["Kiln now"]]);
      await own.open("/meetings?q=kiln&to=2020-01-01", "Meetings");
      await expect.poll(shown).toEqual([["Kiln then"], ["Kiln then"]]);
      await own.open("/meetings?q=kiln&whose=mine", "Meetings");
      await own.page.getByRole("checkbox", { name: "Select Kiln now" }).check();
      await own.page.getByRole("button", { name: "Delete" }).click();
      await own.page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
      await expect.poll(shown).toEqual([[], []]);
    } finally {
      await own.close();
    }
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
        await visitor.getByLabel("command for a link", { exact: true }).waitFor();
        await visitor.getByText("docker exec minutes login <e-mail>").waitFor();
      } else {
        await visitor.getByRole("button", { name: /^Sign in as / }).click();
        await visitor.getByRole("heading", { name: "Meetings" }).waitFor();
      }
      await context.close();
    }
  });

  test("a one-time link that is opened while the console is being built signs in once it is there", async () => {
    const building = await mkdtemp(join(tmpdir(), "minutes-console-"));
    const early = await startTestServer({ database: server.database, consoleDirectory: building });
    const context = await page.context().browser()?.newContext();
    try {
      if (!context) throw new Error("The browser is closed.");
      const visitor = await context.newPage();
      const isPreparing = visitor.waitForResponse(async (response) =>
        (await response.text()).includes("Preparing the console…"),
      );
      await visitor.goto(`${early.url}/sign-in#${await createSignInToken(server.db, member.userId)}`);
      await isPreparing;
      await cp(CONSOLE_DIRECTORY, building, { recursive: true });
      await visitor.getByRole("button", { name: `Sign in as ${member.email}` }).click();
      await visitor.getByRole("heading", { name: "Meetings", level: 1 }).waitFor();
    } finally {
      await context?.close();
      await early.close();
      await rm(building, { recursive: true, force: true });
    }
  });

  test("the sign-in form says what is missing beside its field, and that a password is wrong", async () => {
    const context = await page.context().browser()?.newContext();
    if (!context) throw new Error("The browser is closed.");
    await givePassword(server, member);
    const visitor = await context.newPage();
    await visitor.goto(`${server.url}/sign-in`);
    const [email, password] = [
      visitor.getByLabel("E-mail", { exact: true }),
      visitor.locator("input[type=password]"),
    ];
    const submit = visitor.getByRole("button", { name: "Sign in", exact: true });
    await email.fill("anna");
    await submit.click();
    await visitor.getByText("Enter an e-mail address, such as name@example.com.").waitFor();
    await email.fill("");
    await submit.click();
    await visitor.getByText("Fill in this field.").waitFor();
    await email.fill(member.email);
    await password.fill("not the password");
    await submit.click();
    await visitor.getByRole("alert").waitFor();
    await context.close();
  });

  test("opening another page moves the focus to its heading; a time on it stays current", async () => {
    const { meetingId } = await server.given.meeting(company.admin, {
      title: "Just held",
      startTime: new Date().toISOString(),
    });
    const own = await visitConsole(server, company.admin, visit);
    try {
      await own.page.clock.install();
      await own.open(`/meetings/${meetingId}`, "Just held");
      await own.page.getByText("just now").waitFor();
      await own.page.clock.fastForward("05:00");
      await own.page.getByText("5 minutes ago").waitFor();
      await own.page.getByRole("link", { name: "Tags" }).click();
      await expect.poll(() => own.page.evaluate("document.activeElement?.outerHTML")).toMatch(/^<h1.*>Tags</);
    } finally {
      await own.close();
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
    await row.getByRole("button", { name: "Disable" }).click();
    await row.getByText("Disabled").waitFor();
    await row.getByRole("button", { name: "Enable" }).click();
    await row.getByRole("button", { name: "Disable" }).waitFor();
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
    await server.given.meeting(company.admin);
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
    for (const name of ["Share", "More"])
      await expect
        .poll(async () => (await page.getByRole("button", { name, exact: true }).boundingBox())?.height)
        .toBeGreaterThanOrEqual(44);
    await page.getByRole("button", { name: "More" }).click();
    await page.getByRole("menuitem", { name: "Delete" }).waitFor();
    await page.getByRole("menuitem", { name: "Export as JSON" }).waitFor();
    await page.mouse.click(10, 700);
    await page.getByRole("menuitem", { name: "Export as JSON" }).waitFor({ state: "detached" });
    await page.setViewportSize({ width: 1280, height: 800 });
  });

  test("on a phone a meeting's header stays small and in view, its facts are folded, and long words wrap", async () => {
    const { meetingId } = await server.given.meeting(company.admin, {
      title: `Quarterly ${"review".repeat(20)}`,
      summary: { markdown: `${"Everybody agreed.\n\n".repeat(80)}${"x".repeat(300)}` },
      tags: [{ name: "donaudampfschifffahrtsgesellschaft-donaudampfschifffahrtsgesellschaft" }],
    });
    await page.setViewportSize({ width: 390, height: 844 });
    await page.goto(`${server.url}/meetings/${meetingId}`);
    const heading = page.getByRole("heading", { level: 1 });
    await page.getByText("Everybody agreed.").first().waitFor();
    await page.getByText("Recorded by").waitFor({ state: "hidden" });
    await page.locator("summary").click();
    await page.getByText("Recorded by").waitFor();
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(390);
    await page.evaluate("window.scrollTo(0, 2000)");
    await expect.poll(() => page.evaluate("window.scrollY")).toBe(2000);
    const header = await page.locator(".page-header").boundingBox();
    expect([header?.y, (header?.height ?? 0) <= 130]).toEqual([52, true]);
    await expect.poll(async () => (await heading.boundingBox())?.y).toBeLessThan(80);
    await page.setViewportSize({ width: 1280, height: 800 });
  });

  test("every control on a phone can be hit with a thumb", async () => {
    const { meetingId } = await server.given.richMeeting(company.admin, { title: "For thumbs" });
    await page.setViewportSize({ width: 390, height: 844 });
    for (const path of [
      "/meetings?tag=alarms",
      `/meetings/${meetingId}`,
      `/meetings/${meetingId}?tab=transcript`,
      "/tasks",
      "/tags",
      "/developers",
      "/members",
    ]) {
      await page.goto(`${server.url}${path}`);
      await page.getByRole("heading", { level: 1 }).first().waitFor();
      await visit.settle();
      expect([path, await page.evaluate(FIND_SMALL_TARGETS)]).toEqual([path, []]);
    }
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
