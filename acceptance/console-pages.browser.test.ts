import { readdirSync, readFileSync } from "node:fs";
import type { TestServer } from "@minutes/server/testing";
import { type Company, insertMeetings, needs } from "@minutes/testing";
import { zipSync } from "fflate";
import type { Locator, Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import {
  CONSOLE_DIRECTORY,
  type ConsoleVisit,
  chooseAction,
  press,
  useConsole,
  visitConsole,
  waitForDialog,
} from "./support/console.js";
import { toRepositoryPath } from "./support/run.js";
import { startServer } from "./support/start-server.js";

/** Work on the pages around meetings, with a real server. */
describe("the console's pages", needs("chromium"), () => {
  let server: TestServer;
  let company: Company;
  let visit: ConsoleVisit;
  let page: Page;

  useConsole((scene) => ({ server, company, visit, page } = scene));

  test("upload: each file shows what became of it, with the importer's sentence for a bad one", async () => {
    await visit.go("Add meetings");
    const vtt =
      "WEBVTT\n\n00:00:01.000 --> 00:00:04.000\n<v Ada>The new gearbox has come at last, and it fits.</v>\n";
    await page.getByLabel("Files to upload").setInputFiles([
      { name: "Gearbox 2026-03-01.vtt", mimeType: "text/vtt", buffer: Buffer.from(vtt) },
      { name: "broken.json", mimeType: "application/json", buffer: Buffer.from("{") },
    ]);
    await page.getByText("1 of 2 files processed, 1 to check").waitFor();
    const good = page.getByRole("article", { name: "Gearbox 2026-03-01.vtt" });
    await good.getByRole("button", { name: "Import this meeting" }).click();
    await page.getByText("2 of 2 files processed").waitFor();
    await expect.poll(() => good.textContent()).toContain("1 imported, 0 duplicates skipped, 0 failed.");
    const bad = page.getByRole("article", { name: "broken.json" });
    await expect.poll(() => bad.getByRole("alert").textContent()).toContain("Not valid JSON");
    await good.getByRole("link", { name: "Open the meeting" }).click();
    await page.getByRole("heading", { name: "Gearbox" }).waitFor();
    // The list of files is still there after using the back button.
    await page.goBack();
    await page.getByText("2 of 2 files processed").waitFor();
  });

  test("upload: what a file contains is shown, and imported as the person corrects it", async () => {
    await visit.go("Add meetings");
    const text = "Priya Nair: Who leads?\nNoor: I do.\nPriya Nair: Gr\xfc\xdfe.\n";
    await page
      .getByLabel("Files to upload")
      .setInputFiles([{ name: "call.txt", mimeType: "text/plain", buffer: Buffer.from(text, "latin1") }]);
    const file = page.getByRole("article", { name: "call.txt" });
    await file.getByText("Speakers: Priya Nair (2 turns), Noor (1 turn)").waitFor();
    await file.getByRole("status").getByText("Date taken from the file's time").waitFor();
    await file.getByText("Read as Windows-1252.").waitFor();
    await file.getByRole("checkbox", { name: "Noor (1)" }).click();
    await file.getByText("Speakers: Priya Nair (2 turns)", { exact: true }).waitFor();
    await file.getByLabel("Title").fill("Who leads");
    await file.getByLabel("Start").fill("2026-03-05T10:30:00");
    await expect.poll(() => file.getByText("Date taken from the file's time").count()).toBe(0);
    await file.getByRole("button", { name: "Import this meeting" }).click();
    await file.getByRole("link", { name: "Open the meeting" }).click();
    await page.getByRole("heading", { level: 1, name: "Who leads" }).waitFor();
    await page.getByText("I do.").waitFor();
    await visit.go("Add meetings");
    const undated = {
      name: "undated.txt",
      mimeType: "text/plain",
      buffer: Buffer.from("Kim Lee: Hi.\nJo Day: Ho.\nKim Lee: Bye.\n"),
    };
    await page.getByLabel("Files to upload").setInputFiles([undated]);
    const second = page.getByRole("article", { name: "undated.txt" });
    await second.getByRole("button", { name: "Import this meeting" }).click();
    await second.getByText("1 imported").waitFor();
    await second.getByText("Date taken from the file's time").waitFor();
  });

  test("another account that signs in in another tab gets nothing of this page, which says so", async () => {
    const [anna, ben] = [await server.given.member(company), await server.given.member(company)];
    const hers = await visitConsole(server, anna, visit);
    await hers.go("Add meetings");
    const text = "WEBVTT\n\n00:01.000 --> 00:04.000\n<v Ada>This is for the board only.</v>\n";
    const board = { name: "Board 2026-03-01.vtt", mimeType: "text/vtt", buffer: Buffer.from(text) };
    await hers.page.getByLabel("Files to upload").setInputFiles([board]);
    const file = hers.page.getByRole("article", { name: board.name });
    const button = file.getByRole("button", { name: "Import this meeting" });
    await button.waitFor();
    const beside = Promise.resolve({ browser: hers.browser, close: async () => {} });
    await visitConsole(server, ben, undefined, beside);
    // Not `click`: the page can have noticed before, and then the dialog covers the button.
    await button.dispatchEvent("click");
    const dialog = await waitForDialog(hers.page, "Another account is signed in");
    const { meetings } = await server.data(ben.key, "me/meetings.list", {});
    expect(meetings).toEqual([]);
    await dialog.getByRole("button", { name: "Reload" }).click();
    await hers.page.getByRole("heading", { level: 1, name: "Add meetings" }).waitFor();
    await expect.poll(() => hers.page.getByRole("navigation").textContent()).toContain(ben.name);
    await hers.close();
  });

  test("upload: the start of each meeting in an archive is shown, and set where its file has none", async () => {
    await visit.go("Add meetings");
    const call = (said: string) => Buffer.from(`Anna Chen: ${said}\nBen Ode: Yes.\n`);
    const archive = zipSync({
      "2026-02-03 Dated.txt": call("dated"),
      ...Object.fromEntries([1, 2, 3, 4, 5, 6].map((at) => [`Undated ${at}.txt`, call(`undated ${at}`)])),
    });
    await page
      .getByLabel("Files to upload")
      .setInputFiles([{ name: "calls.zip", mimeType: "application/zip", buffer: Buffer.from(archive) }]);
    const file = page.getByRole("article", { name: "calls.zip" });
    await file.getByText("6 of 7 meetings have no date.").waitFor();
    expect(await file.getByLabel("Start of Dated").inputValue()).toMatch(/^2026-02-03T/);
    for (const at of [1, 2, 3, 4, 5])
      await file.getByLabel(`Start of Undated ${at}`).fill(`2025-06-0${at}T09:00:00`);
    await file.getByText("1 of 7 meetings have no date.").waitFor();
    await file.getByRole("button", { name: "Import 7 meetings" }).click();
    await file.getByText("7 imported").waitFor();
    const assumed = file.getByRole("status").filter({ hasText: "Date taken from the file's time" });
    await expect.poll(() => assumed.textContent()).toContain("Undated 6");
    expect(await assumed.textContent()).not.toContain("Undated 5");
    await visit.open("/meetings?from=2025-06-01&to=2025-06-30", "Meetings");
    await page.getByRole("link", { name: /^Undated 5/ }).waitFor();
  });

  test("upload: a file that is dragged onto the page is read", async () => {
    await visit.go("Add meetings");
    const file = await page.evaluateHandle(`(() => {
      const carried = new DataTransfer();
      const vtt = "WEBVTT\\n\\n00:00:01.000 --> 00:00:04.000\\n<v Ada>Dragged and dropped.</v>\\n";
      carried.items.add(new File([vtt], "Dragged 2026-03-02.vtt", { type: "text/vtt" }));
      return carried;
    })()`);
    const zone = page.locator(".dropzone");
    await zone.dispatchEvent("dragenter", { dataTransfer: file });
    await page.getByText("Drop the files to upload them.").waitFor();
    await zone.dispatchEvent("drop", { dataTransfer: file });
    const result = page.getByRole("article", { name: "Dragged 2026-03-02.vtt" });
    await result.getByRole("button", { name: "Import this meeting" }).click();
    await result.getByText("1 imported, 0 duplicates skipped, 0 failed.").waitFor();
    await page.getByText("Drop files here, or choose them.").waitFor();
  });

  test("a meeting shows its date; its facts are aligned, and the search box stays in place while results arrive", async () => {
    const { meetingId } = await server.given.meeting(company.admin, {
      title: "Town hall",
      startTime: "2026-01-05T10:00:00Z",
      endTime: "2026-01-05T11:00:00Z",
      transcript: Array.from({ length: 40 }, (_, at) => ({
        ...{ speakerId: `${at}`, speakerName: `Guest ${at}`, text: "Yes." },
      })),
    });
    await visit.open(`/meetings/${meetingId}`, "Town hall");
    await page.getByText(/2026.*, 1 h$/).waitFor();
    const countLines = `(() => {
      const range = document.createRange();
      range.selectNodeContents(document.querySelector(".initials > :last-child [class*=placeholder]"));
      return range.toString() + ": " + new Set([...range.getClientRects()].map(({ top }) => top)).size;
    })()`;
    expect(await page.evaluate(countLines)).toBe("+36: 1");
    const left = async (part: Locator) => (await part.boundingBox())?.x ?? Number.NaN;
    const [tag, heading] = [page.getByLabel("New tag"), page.getByRole("heading", { name: "Summary" })];
    await expect.poll(async () => (await left(tag)) - (await left(heading))).toBe(0);
    await press(page, "Control+k");
    const field = page.getByLabel("Search meetings and pages");
    await waitForDialog(page);
    const top = (await field.boundingBox())?.y;
    await field.fill("Town");
    await page.getByRole("dialog").getByText("Town hall").waitFor();
    expect((await field.boundingBox())?.y).toBe(top);
    await press(page, "Escape");
  });

  test("finds in a transcript, and copies a turn, the transcript, the summary and the link", async () => {
    const speakers = ["Ada", "Ben"];
    const { meetingId } = await server.given.meeting(company.admin, {
      title: "Long talk",
      summary: { markdown: "## Agreed\n\nNothing **yet**." },
      transcript: Array.from({ length: 300 }, (_, at) => ({
        speakerId: `${at % 2}`,
        speakerName: speakers[at % 2] ?? "",
        text: at % 100 === 50 ? `The Rotor of part ${at} turns.` : `Sentence ${at}.`,
      })),
    });
    await visit.browser.grantPermissions(["clipboard-read", "clipboard-write"], { origin: server.url });
    const copy = async (name: string, act = () => page.getByRole("button", { name }).click()) => {
      await page.evaluate("navigator.clipboard.writeText('')");
      await act();
      await expect.poll(() => page.evaluate<string>("navigator.clipboard.readText()")).not.toBe("");
      return page.evaluate<string>("navigator.clipboard.readText()");
    };
    await visit.open(`/meetings/${meetingId}`, "Long talk");
    expect(await copy("Copy link", () => chooseAction(page, "Copy link"))).toBe(
      `${server.url}/meetings/${meetingId}`,
    );
    expect(await copy("Copy the summary")).toBe("## Agreed\n\nNothing **yet**.");
    const transcript = await copy("Copy the whole transcript");
    expect(transcript.split("\n")).toHaveLength(300);
    expect(transcript).toContain("Ben: Sentence 299.");
    const field = page.getByLabel("Find in the transcript");
    const found = (part: number) =>
      page.locator('.turn[data-current="true"]', { hasText: `The Rotor of part ${part} turns.` }).waitFor();
    await field.fill("rotor");
    await page.getByText("1 of 3", { exact: true }).waitFor();
    await found(50);
    await field.press("Enter");
    await page.getByText("2 of 3", { exact: true }).waitFor();
    await found(150);
    await page.getByRole("button", { name: "Previous" }).click();
    await page.getByRole("button", { name: "Previous" }).click();
    await page.getByText("3 of 3", { exact: true }).waitFor();
    await found(250);
    await expect
      .poll(() => page.locator('.turn[data-current="true"] mark').allTextContents())
      .toEqual(["Rotor"]);
    await page.evaluate("navigator.clipboard.writeText('')");
    await page.locator('.turn[data-current="true"]').getByRole("button", { name: "Copy this turn" }).click();
    await expect
      .poll(() => page.evaluate<string>("navigator.clipboard.readText()"))
      .toBe("Ada: The Rotor of part 250 turns.");
    await field.fill("no such words");
    await page.getByText("Not found", { exact: true }).waitFor();
    await chooseAction(page, "Export as SubRip");
    await page.getByText("This transcript has no times, so it has no subtitles.").waitFor();
    // As on a page without https.
    await page.evaluate("void Object.defineProperty(navigator, 'clipboard', { value: undefined })");
    for (const [action, title] of [
      ["Copy link", "Could not copy the link"],
      ["Copy for e-mail", "Could not copy the meeting"],
    ] as const) {
      await chooseAction(page, action);
      const note = page.locator(".mantine-Notification-root", { hasText: title });
      await note.getByText("Browsers copy only from pages whose address begins with https.").waitFor();
    }
  });

  test("meetings: the filters by date and tag are in the address; reload and the back button keep them", async () => {
    for (const [title, startTime] of [
      ["January talk", "2026-01-10T10:00:00.000Z"],
      ["February talk", "2026-02-10T10:00:00.000Z"],
    ] as const)
      await server.given.meeting(company.admin, { title, startTime, tags: [{ name: "Talks" }] });
    await visit.open("/meetings", "Meetings");
    const list = page.getByRole("region", { name: "Meetings" });
    const readTitles = () => list.locator(".row-title").allTextContents();
    const readFilters = () => Object.fromEntries(new URL(page.url()).searchParams);
    const openFilters = () => page.getByRole("button", { name: "Filter", exact: true }).click();
    await openFilters();
    await page.getByLabel("Tag", { exact: true }).selectOption("Talks");
    await expect.poll(readTitles).toEqual(["February talk", "January talk"]);
    await page.getByLabel("To", { exact: true }).fill("2026-01-31");
    await expect.poll(readTitles).toEqual(["January talk"]);
    expect(readFilters()).toEqual({ tag: "Talks", to: "2026-01-31" });
    await page.reload();
    await expect.poll(readTitles).toEqual(["January talk"]);
    await openFilters();
    await expect.poll(() => page.getByLabel("To", { exact: true }).inputValue()).toBe("2026-01-31");
    await expect.poll(() => page.getByLabel("Tag", { exact: true }).inputValue()).toBe("Talks");
    await page.keyboard.press("Escape");
    await list.getByRole("link", { name: /^January talk/ }).click();
    await page.getByRole("heading", { name: "Summary" }).waitFor();
    await page.goBack();
    await expect.poll(readTitles).toEqual(["January talk"]);
    await page.goBack();
    await expect.poll(readTitles).toEqual(["February talk", "January talk"]);
    expect(readFilters()).toEqual({ tag: "Talks" });
    await page.getByRole("button", { name: "Remove the filter tag" }).click();
    await expect.poll(readFilters).toEqual({});
  });

  test("a long list is read with few calls when it is opened again, and comes back to its place, also by a reload", async () => {
    const reader = await server.given.member(company);
    await insertMeetings(server.db, reader, { count: 650 });
    const own = await visitConsole(server, reader, visit);
    const list = own.page.getByRole("region", { name: "Meetings" });
    const scrollTo = (place: number) => own.page.evaluate(`window.scrollTo(0, ${place})`);
    const getPlace = () => own.page.evaluate<number>("window.scrollY");
    /** Scrolls until the list shows a row. */
    const scrollUntil = (row: number, place: number) =>
      expect
        .poll(async () => {
          await scrollTo(place);
          return list.locator(`[data-index="${row}"]`).count();
        })
        .toBe(1);
    const calls: string[] = [];
    own.page.on("request", (request) => {
      if (request.url().includes("/console/v1/meetings.browse")) calls.push(request.url());
    });
    try {
      await list.getByRole("link").first().waitFor();
      const newest = await list.locator('[data-index="0"]').textContent();
      await scrollUntil(649, 1e9);
      await expect
        .poll(async () => {
          if ((await list.locator('[data-index="622"]').count()) === 1) return true;
          await own.page.evaluate("window.scrollBy(0, -400)");
          return false;
        })
        .toBe(true);
      await list.locator('[data-index="622"]').scrollIntoViewIfNeeded();
      const before = await getPlace();
      const row = list.locator('[data-index="622"]');
      const title = await row.textContent();
      await row.getByRole("link").click();
      await own.page.getByRole("heading", { name: "Summary" }).waitFor();
      calls.length = 0;
      await own.page.goBack();
      await expect.poll(() => row.textContent()).toBe(title);
      await own.page.waitForLoadState("networkidle");
      // The three cached pages, and one more for rows drawn before the position is known; all would be seven.
      expect(calls.length).toBeLessThanOrEqual(4);
      await expect.poll(async () => Math.abs((await getPlace()) - before)).toBeLessThan(100);
      calls.length = 0;
      await own.page.reload();
      await expect.poll(() => row.textContent()).toBe(title);
      await own.page.waitForLoadState("networkidle");
      await expect.poll(async () => Math.abs((await getPlace()) - before)).toBeLessThan(100);
      // The server preloads the first page as well.
      expect(calls.length).toBeLessThanOrEqual(5);
      await scrollUntil(0, 0);
      await expect.poll(() => list.locator('[data-index="0"]').textContent()).toBe(newest);
      await scrollUntil(649, 1e9);
      expect(own.faults).toEqual([]);
    } finally {
      await own.close();
    }
  });

  test("half-typed forms are here again after the back button and a reload; passwords are not, nor after signing out", async () => {
    const painter = await server.given.member(company);
    await server.given.meeting(painter, { title: "To do", tasks: [{ text: "Paint the hall" }] });
    const own = await visitConsole(server, painter, visit);
    const kept = () => own.page.evaluate<string>("JSON.stringify({ ...sessionStorage })");
    try {
      await own.go("Tasks");
      await own.page.getByRole("button", { name: "Edit: Paint the hall" }).click();
      await own.page.getByLabel("Task text").fill("Paint the hall green");
      await own.go("Developers");
      await own.page.getByRole("button", { name: "Create a key" }).click();
      await own.page.getByRole("dialog").getByLabel("Name").fill("half a name");
      await own.page.getByLabel("Permissions", { exact: true }).selectOption({ value: "read" });
      // The first step closes the dialog. Developers is a page of the settings, which open with the account.
      for (const heading of ["Developers", "Account", "Tasks"]) {
        await own.page.goBack();
        await own.page.getByRole("heading", { level: 1, name: heading }).waitFor();
      }
      await expect.poll(() => own.page.getByLabel("Task text").inputValue()).toBe("Paint the hall green");
      await own.page.goForward();
      await own.page.goForward();
      await own.page.reload();
      await own.page.getByRole("button", { name: "Create a key" }).click();
      await own.page.getByText("Your unsaved input was restored.").waitFor();
      await expect
        .poll(() => own.page.getByRole("dialog").getByLabel("Name").inputValue())
        .toBe("half a name");
      await expect.poll(() => own.page.getByLabel("Permissions", { exact: true }).inputValue()).toBe("read");
      await own.page.getByRole("button", { name: "Start over" }).click();
      await expect.poll(() => own.page.getByRole("dialog").getByLabel("Name").inputValue()).toBe("");
      await expect.poll(kept).not.toContain("half a name");
      await press(own.page, "Escape");
      await own.go("Account");
      await own.page.getByLabel("New password").fill("typed but never sent");
      await expect.poll(kept).toContain("Paint the hall green");
      await expect.poll(kept).not.toContain("typed but never sent");
      await own.page.getByRole("button", { name: /^Your menu/ }).click();
      await own.page.getByRole("menuitem", { name: "Sign out", exact: true }).click();
      await own.page.getByRole("heading", { name: "Sign in to Minutes" }).waitFor();
      await expect.poll(kept).not.toContain("Paint the hall green");
    } finally {
      await own.close();
    }
  });

  test("plan and usage: the charts say in words what they show", async () => {
    await server.call(company.key, "workspace/meetings.list");
    await visit.go("Plan and usage");
    await page.getByRole("img", { name: /Credits by month\. .*: 1$/ }).waitFor();
    await page.getByRole("img", { name: /Requests in the last hour\. [1-9]\d* requests/ }).waitFor();
    await page.getByText("None of your summaries are locked.").waitFor();
    const bars = page.getByRole("img", { name: /Credits by month/ }).locator("rect");
    await expect.poll(() => bars.count()).toBeGreaterThan(0);
  });

  test("has the styles of every component whose script it has", () => {
    const library = readFileSync(
      toRepositoryPath("apps/console/node_modules/@mantine/core/styles.css"),
      "utf8",
    );
    const assets = `${CONSOLE_DIRECTORY}/assets`;
    const read = (end: string) =>
      readdirSync(assets)
        .filter((name) => name.endsWith(end))
        .map((name) => readFileSync(`${assets}/${name}`, "utf8"))
        .join("");
    const [scripts, styles] = [read(".js"), read(".css")];
    const used = [...new Set(scripts.match(/\bm_[0-9a-f]{6,8}\b/g))];
    expect(used.length).toBeGreaterThan(100);
    expect(used.filter((name) => library.includes(`.${name}`) && !styles.includes(`.${name}`))).toEqual([]);
  });

  test(
    "404: with CONSOLE=off a browser gets the API's error in place of the pages; `/` says where to begin",
    needs("embedded"),
    async () => {
      const url = await startServer({ CONSOLE: "off" });
      const open = (path: string) => fetch(`${url}${path}`, { headers: { accept: "text/html" } });
      const script = readdirSync(`${CONSOLE_DIRECTORY}/assets`).find((name) => name.endsWith(".js"));
      for (const path of ["/meetings", "/sign-in", "/setup", `/assets/${script}`, "/icon.svg"]) {
        const answer = await open(path);
        expect([path, answer.status, await answer.json()]).toEqual([path, 404, { error: "Not found" }]);
      }
      const home = await open("/");
      expect(home.status).toBe(200);
      expect(await home.text()).not.toContain("/assets/");
      expect((await fetch(`${url}/v1/me/meetings.list`)).status).toBe(401);
    },
  );

  test("a lost connection is shown, and the page goes on when it is back", async () => {
    await visit.go("Tasks");
    await page.route("**/{console,settings}/v1/**", (route) => route.abort());
    await page.route("**/health", (route) => route.abort());
    await page.getByText("All", { exact: true }).click();
    await page.getByText("Offline. Reconnecting…").waitFor();
    await page.unrouteAll();
    await page.getByText("Offline. Reconnecting…").waitFor({ state: "detached" });
    await page.getByText("No tasks.").waitFor();
  });
});
