import { readFileSync } from "node:fs";
import { startTestServer, type TestServer } from "@minutes/server/testing";
import { type Company, insertMeetings, needs, type Person } from "@minutes/testing";
import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import {
  CONSOLE_DIRECTORY,
  type ConsoleVisit,
  chooseAction,
  useConsole,
  visitConsole,
} from "./support/console.js";

/** Reads the titles of the meetings in which a search found passages. */
const PASSAGES = `[...document.querySelectorAll("[aria-label='In meetings'] article")].map((one) => one.ariaLabel)`;

/** What broke in the console once, with a real server and browser. */
describe("the console", needs("chromium"), () => {
  let server: TestServer;
  let company: Company;
  let member: Person;
  let visit: ConsoleVisit;
  let page: Page;

  useConsole((scene) => ({ server, company, member, visit, page } = scene));
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
    const garden = page.locator("main section").filter({ hasText: "Garden" });
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

  test("a rate-limited page says when it retries, and goes on by itself; so does a rate-limited upload", async () => {
    const limited = await startTestServer({ consoleDirectory: CONSOLE_DIRECTORY, rateLimit: 20 });
    const own = await visitConsole(limited, (await limited.given.company()).admin, visit);
    try {
      await own.go("Add meetings");
      await own.page.clock.install();
      for (const path of ["settings/v1/account.get", "console/v1/tasks.list"]) {
        const read = () => own.page.request.get(`${limited.url}/${path}?input=%7B%22json%22%3A%7B%7D%7D`);
        await expect.poll(async () => (await read()).status()).toBe(429);
      }
      // A slow machine needs longer for the rest than the minute that the quota would take.
      await limited.db.execute("update rate_windows set started_at = now() + interval '50 seconds'");
      const file = { name: "a.vtt", mimeType: "text/vtt", buffer: Buffer.from("WEBVTT\n") };
      await own.page.getByLabel("Files to upload").setInputFiles([file]);
      await own.page.getByText(/^Too many requests\. Try again in \d+ s\.$/).waitFor();
      await own.page.getByRole("link", { name: "Tags" }).click();
      const note = own.page.getByRole("status").getByText(/Retrying in \d+ s\.$/);
      const readSeconds = async () => Number(/\d+/.exec((await note.textContent()) ?? "")?.[0]);
      const first = await readSeconds();
      await own.page.clock.fastForward(3_000);
      await expect.poll(readSeconds).toBeLessThan(first);
      await own.page.reload();
      await note.waitFor();
      await limited.db.execute("delete from rate_windows");
      await own.page.clock.fastForward(121_000);
      await own.page.getByText("You have no tags yet.").waitFor();
      await note.waitFor({ state: "detached" });
    } finally {
      await own.close();
      await limited.close();
    }
  });

  test("a double click sends once", async () => {
    await visit.go("Developers");
    await page.getByLabel("Recorder name").fill("Twice");
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
    const revoked = countRequests("keys.revoke");
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
    const recordingUrl = "https://recordings.example/1";
    const { meetingId } = await server.given.richMeeting(company.admin, {
      ...{ title: "Round: trip/1", recordingUrl },
      tasks: [{ text: "Order the rotor", due: "2026-03-14" }],
    });
    await visit.open(`/meetings/${meetingId}`, "Round: trip/1");
    const downloading = page.waitForEvent("download");
    await chooseAction(page, "Export as JSON");
    const download = await downloading;
    expect(download.suggestedFilename()).toMatch(/^\d{4}-\d\d-\d\d Round trip 1\.json$/);
    const buffer = readFileSync(await download.path());
    expect(JSON.parse(String(buffer))).toMatchObject({ recordingUrl, tasks: [{ due: "2026-03-14" }] });
    await visit.go("Add meetings");
    for (const outcome of ["1 imported, 0 duplicates skipped", "0 imported, 1 duplicate skipped"]) {
      const file = { name: "export.json", mimeType: "application/json", buffer };
      await page.getByLabel("Files to upload").setInputFiles([file]);
      await page.getByRole("button", { name: "Import this meeting" }).click();
      await page.getByText(outcome).waitFor();
    }
  });

  test("a form shows what is wrong beside its field, in words that name no field of the API", async () => {
    await visit.go("Developers");
    await page.getByRole("button", { name: "Create a webhook" }).click();
    await dialog().getByRole("button", { name: "Create" }).click();
    await dialog().getByText("Fill in this field.").waitFor();
    // A webhook without a name is named by its host.
    expect(await dialog().locator("[aria-invalid=true]").count()).toBe(1);
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
});
