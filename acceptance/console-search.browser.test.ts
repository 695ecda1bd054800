import type { TestServer } from "@minutes/server/testing";
import { type Company, needs } from "@minutes/testing";
import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { type ConsoleVisit, useConsole } from "./support/console.js";

/** Returns the time some days ago, within the default search range. */
const daysAgo = (days: number): string => new Date(Date.now() - days * 86_400_000).toISOString();

/** Searching and asking, with a real server. */
describe("the console's search", needs("chromium"), () => {
  let server: TestServer;
  let company: Company;
  let visit: ConsoleVisit;
  let page: Page;

  useConsole(async (scene) => {
    ({ server, company, visit, page } = scene);
    await server.given.meeting(company.admin, {
      title: "Turbine review",
      startTime: daysAgo(30),
      transcript: [
        { speakerId: "a", speakerName: "Ada", text: "The turbines are late because of the gearbox." },
        { speakerId: "b", speakerName: "Ben", text: "We order a spare." },
      ],
    });
    await server.given.meeting(company.admin, {
      startTime: "2019-03-04T10:00:00.000Z",
      transcript: [{ speakerId: "a", speakerName: "Ada", text: "An archive.", start: 5, end: 9 }],
    });
  });

  test("searches what was said, and a result opens the transcript at its passage", async () => {
    await visit.go("Meetings");
    await page.getByRole("searchbox", { name: "Search meetings" }).fill("gearbox turbines");
    await page
      .getByRole("region", { name: "In meetings" })
      .getByRole("link", { name: /Turbine review: / })
      .first()
      .click();
    await page.locator('.turn[data-current="true"]', { hasText: "gearbox" }).waitFor();
  });

  test("typing a sentence sends nothing before a pause, and then searches it once", async () => {
    const sent: string[] = [];
    const record = (request: { url(): string }) => {
      if (/meetings\.(find|search)\?/.test(request.url())) sent.push(decodeURIComponent(request.url()));
    };
    await visit.open("/meetings", "Meetings");
    await page.clock.install();
    await page.clock.pauseAt(Date.now() + 60_000);
    page.on("request", record);
    try {
      await page.getByRole("searchbox", { name: "Search meetings" }).focus();
      for (const letter of "why are the turbines late") {
        await page.keyboard.type(letter);
        await page.clock.runFor(450);
      }
      expect(sent).toEqual([]);
      await page.clock.resume();
      await page
        .getByRole("region", { name: "In meetings" })
        .getByRole("link", { name: /Turbine review: / })
        .first()
        .waitFor();
      expect(new Set(sent.map((url) => url.includes("why are the turbines late")))).toEqual(new Set([true]));
      expect(sent.length).toBeLessThanOrEqual(4);
    } finally {
      page.off("request", record);
    }
  });

  test("a question is answered with quotes that lead to the turn, about all meetings and about one", async () => {
    await visit.go("Meetings");
    await page.getByRole("button", { name: "Ask", exact: true }).click();
    await page
      .getByRole("textbox", { name: "Ask about your meetings" })
      .fill("What about the gearbox turbines?");
    await page.keyboard.press("Enter");
    await page
      .getByRole("status")
      .getByRole("link", { name: /Turbine review: / })
      .first()
      .click();
    await page.locator('.turn[data-current="true"]', { hasText: "gearbox" }).waitFor();
    await page.getByRole("textbox", { name: "Ask about this meeting" }).fill("Who flew the zeppelin?");
    await page.keyboard.press("Enter");
    await page.getByText("Not found in this meeting.").waitFor();
  });

  test("search says how many meetings a new model has not encoded, and that a model fails", async () => {
    const progress = { meetings: 14, waiting: 3, failing: false };
    const path = "**/console/v1/meetings.searchProgress*";
    await page.route(path, (route) => route.fulfill({ json: { result: { data: { json: progress } } } }));
    await visit.open("/meetings?q=turbines", "Meetings");
    await page.getByText("Still being prepared for search by meaning: 3 of 14 meetings.").waitFor();
    progress.failing = true;
    await visit.open("/meetings?q=turbines", "Meetings");
    await page.getByText("Search by meaning is not available at the moment").waitFor();
    await page.unroute(path);
    await visit.open("/meetings?q=turbines", "Meetings");
    await page
      .getByRole("link", { name: /Turbine review/ })
      .first()
      .waitFor();
    for (const note of ["Still being prepared", "not available at the moment"])
      expect(await page.getByText(note).count()).toBe(0);
  });

  test("search results that fit the query less than others are marked as related", async () => {
    const paint = {
      speakerId: "a",
      speakerName: "Ada",
      text: "The walls want another coat of paint. ".repeat(10),
    };
    await server.given.meeting(company.admin, {
      title: "Print shop",
      startTime: daysAgo(21),
      transcript: [...Array.from({ length: 40 }, () => paint), { ...paint, text: "The xylograph is done." }],
    });
    await visit.open("/meetings?q=xylograph+quokka", "Meetings");
    const passages = page.getByRole("article", { name: "Print shop" }).locator(".passage");
    await expect.poll(() => passages.filter({ hasText: "Related" }).count()).toBeGreaterThan(0);
    await expect.poll(() => passages.first().textContent()).toContain("xylograph");
    await expect.poll(() => passages.first().textContent()).not.toContain("Related");
    await visit.open("/meetings?q=paint+zeppelin+quokka+tangerine+unobtainium+flugelhorn", "Meetings");
    await page.getByText("No close match. These passages may be about something else.").waitFor();
  });

  test("of passages in the same words, a result opens its own", async () => {
    const turn = { speakerId: "a", speakerName: "Ada", text: "The rotor blades want another coat of paint." };
    await server.given.meeting(company.admin, {
      title: "Paint shop",
      startTime: daysAgo(20),
      transcript: Array.from({ length: 120 }, () => turn),
    });
    await visit.open("/meetings?q=rotor", "Meetings");
    const found = page.getByRole("article", { name: "Paint shop" });
    await expect.poll(() => found.locator(".passage").count()).toBe(3);
    const more = found.getByRole("button", { name: /^\d+ more in this meeting$/ });
    const count = Number.parseInt((await more.textContent()) ?? "", 10);
    await more.click();
    await expect.poll(() => found.locator(".passage").count()).toBe(3 + count);
    await found.getByRole("button", { name: "Fewer" }).click();
    await expect.poll(() => found.locator(".passage").count()).toBe(3);
    const title = found.getByRole("link", { name: "Paint shop", exact: true });
    expect(await title.getAttribute("href")).toMatch(/^\/meetings\/[^?]+$/);
    await page.locator('a[href*="at="]:not([href$="at=0"])').first().click();
    const readPlace = () => Number(new URL(page.url()).searchParams.get("at"));
    await expect.poll(readPlace).toBeGreaterThan(0);
    await page.locator(`.turn[data-current="true"][data-index="${readPlace()}"]`).waitFor();
  });

  test("a search says that it covers six months and how many older matches there are; one click widens it", async () => {
    await visit.open("/meetings?q=archive", "Meetings");
    await page.getByRole("link", { name: "1 match in older meetings" }).waitFor();
    await page.getByRole("button", { name: "Remove the filter range" }).click();
    await page.getByText("0:05 – 0:09 · Ada").waitFor();
    expect(new URL(page.url()).searchParams.get("all")).toBe("true");
    await page.getByRole("searchbox", { name: "Search meetings" }).fill("aardvark");
    await page.getByText("No meeting mentions this.").waitFor();
  });
});
