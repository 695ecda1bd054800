import type { TestServer } from "@minutes/server/testing";
import { type Company, completeMeeting, needs } from "@minutes/testing";
import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { findFaults } from "./support/accessibility.js";
import {
  type ConsoleVisit,
  chooseAction,
  holdNote,
  tabTo,
  useConsole,
  visitConsole,
  waitForDialog,
} from "./support/console.js";
import { readPdf } from "./support/pdf.js";

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

/** Finds fields whose text is smaller than 16 px: an iPhone zooms into them. */
const FIND_SMALL_FIELDS = `[...document.querySelectorAll("input:not([type=checkbox], [type=radio]), select, textarea")]
  .filter((one) => parseFloat(getComputedStyle(one).fontSize) < 16)
  .map((one) => one.getAttribute("aria-label") ?? one.labels?.[0]?.textContent)`;

/** A word that fits no screen. */
const LONG = "x".repeat(300);

/** Focus, the keyboard and a phone's screen, with a real server. */
describe("the console by keyboard and thumb", needs("chromium"), () => {
  let server: TestServer;
  let company: Company;
  let visit: ConsoleVisit;
  let page: Page;

  useConsole((scene) => ({ server, company, visit, page } = scene));
  const dialog = () => page.getByRole("dialog");

  test("opening another page moves the focus to its heading; a time on it stays current", async () => {
    const startTime = new Date().toISOString();
    await server.given.meeting(company.admin, {
      ...{ startTime, transcript: [{ speakerId: "a", speakerName: "Just Met", text: "Hello." }] },
    });
    const own = await visitConsole(server, company.admin, visit);
    try {
      // The page's time stands still, because on a slow machine opening a page can take a minute.
      await own.page.clock.setFixedTime(startTime);
      await own.open("/people", "People");
      const row = own.page.getByRole("row", { name: /Just Met/ });
      await row.getByText("just now").waitFor();
      await own.page.clock.setFixedTime(Date.parse(startTime) + 5 * 60_000);
      await own.page.clock.fastForward(10_000);
      await row.getByText("5 minutes ago").waitFor();
      await own.page.getByRole("link", { name: "Tags" }).click();
      await expect.poll(() => own.page.evaluate("document.activeElement?.outerHTML")).toMatch(/^<h1.*>Tags</);
    } finally {
      await own.close();
    }
  });

  test("the keyboard reaches the first meeting soon, and comes back to the button of the first dialog", async () => {
    await server.given.meeting(company.admin);
    await visit.open("/meetings", "Meetings");
    await page.locator(".row-link").first().waitFor();
    let presses = 0;
    const isInList = () => page.evaluate<boolean>("document.activeElement.matches('.row-link')");
    while (!(await isInList()) && presses < 40) {
      await page.keyboard.press("Tab");
      presses += 1;
    }
    expect(presses).toBeLessThanOrEqual(15);
    await visit.open("/developers", "Developers");
    await visit.settle();
    await tabTo(page, "Create a key");
    await page.keyboard.press("Enter");
    await waitForDialog(page);
    await page.keyboard.press("Escape");
    await dialog().waitFor({ state: "detached" });
    await expect.poll(() => page.evaluate("document.activeElement.textContent")).toBe("Create a key");
  });

  test("on a phone the list has two lines for a title, or what the meeting was about below it", async () => {
    const title = "Board meeting about the harbor and the budget of next year";
    await server.given.meeting(company.admin, { title, generatedTitle: title });
    await server.given.meeting(company.admin, { title: "Weekly", generatedTitle: "Late transformer" });
    await page.setViewportSize({ width: 390, height: 844 });
    await visit.open("/meetings", "Meetings");
    const readCut = () =>
      page
        .getByText(title)
        .evaluate((one) => [one.scrollWidth - one.clientWidth, one.scrollHeight - one.clientHeight]);
    await expect.poll(readCut).toEqual([0, 0]);
    const row = page.getByRole("link", { name: "Late transformer" });
    const [above, below] = [row.getByText("Weekly"), row.getByText("Late transformer")];
    const readTop = async (one: typeof row) => (await one.boundingBox())?.y ?? 0;
    expect(await readTop(below)).toBeGreaterThan((await readTop(above)) + 10);
    expect(await row.evaluate((one) => one.scrollHeight - one.clientHeight)).toBe(0);
    await page.setViewportSize({ width: 1280, height: 800 });
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

  test("on a phone a summary's links are underlined, and its wide tables scroll instead of breaking numbers", async () => {
    const row = (cell: string) => `|${`${cell}|`.repeat(9)}\n`;
    const { meetingId } = await server.given.meeting(company.admin, {
      title: "Costs",
      summary: {
        markdown: `See [the plan](https://example.com/plan) first.\n\n${row("Year")}${row("-")}${row("48,000")}`,
      },
    });
    await visit.open(`/meetings/${meetingId}`, "Costs");
    await page.getByRole("cell", { name: "48,000" }).first().waitFor();
    const [table = "", ...others] = await findFaults(page, [[{ width: 390, height: 844 }, "dark"]]);
    expect([table, others]).toEqual([expect.stringContaining("too wide, in pixels: div.wide-table"), []]);
    const lines = `(() => {
      const text = document.createRange();
      text.selectNodeContents(document.querySelector(".summary td"));
      return text.getClientRects().length;
    })()`;
    expect(await page.evaluate(lines)).toBe(1);
    await page.emulateMedia({ colorScheme: "light", reducedMotion: "reduce" });
    await page.setViewportSize({ width: 1280, height: 800 });
  });

  test("on a phone a meeting's header stays small and in view, its facts are folded, and long words wrap", async () => {
    const { meetingId } = await server.given.meeting(company.admin, {
      title: `Quarterly ${"review".repeat(20)}`,
      summary: { markdown: `${"Everybody agreed.\n\n".repeat(80)}${LONG}` },
      tasks: [{ text: LONG, assignee: { name: LONG.slice(0, 100) } }],
      transcript: [{ speakerId: "0", speakerName: LONG.slice(0, 100), text: LONG }],
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
    for (const path of [`/meetings/${meetingId}?tab=transcript`, "/meetings", "/tasks", "/people", "/tags"]) {
      await page.goto(`${server.url}${path}`);
      await heading.first().waitFor();
      await visit.settle();
      const width = () => page.evaluate("document.documentElement.scrollWidth");
      await expect.poll(async () => [path, await width()]).toEqual([path, 390]);
    }
    await page.goto(`${server.url}/meetings/${meetingId}`);
    await page.getByText("Everybody agreed.").first().waitFor();
    await page.evaluate("window.scrollTo(0, 2000)");
    await expect.poll(() => page.evaluate("window.scrollY")).toBe(2000);
    const readHeader = async () => {
      const box = await page.locator(".page-header").boundingBox();
      return [box?.y, (box?.height ?? 0) <= 130];
    };
    await expect.poll(readHeader).toEqual([52, true]);
    await expect.poll(async () => (await heading.boundingBox())?.y).toBeLessThan(80);
    const readCut = () => heading.evaluate((one) => one.scrollHeight - one.clientHeight);
    expect(await readCut()).toBeGreaterThan(10);
    await heading.click();
    await expect.poll(readCut).toBeLessThan(3);
    await page.setViewportSize({ width: 1280, height: 800 });
  });

  test("on a phone Find stays in view in a long transcript, and the summary's tab gives the place back", async () => {
    const { meetingId } = await server.given.meeting(company.admin, {
      title: "Long talk",
      summary: { markdown: "Short." },
      transcript: Array.from({ length: 300 }, (_, at) => ({
        ...{ speakerId: "0", speakerName: "Ada", text: `Sentence ${at}. `.repeat(1 + (at % 9)) },
      })),
    });
    await page.setViewportSize({ width: 390, height: 844 });
    await visit.open(`/meetings/${meetingId}?tab=transcript`, "Long talk");
    await page.getByLabel("Find in the transcript").fill("Sentence 200.");
    const found = page.locator('.turn[data-index="200"]');
    const readTop = async () => (await found.boundingBox())?.y ?? -1;
    await expect.poll(readTop).toBeGreaterThan(100);
    const isFindInView = async () => {
      const next = await page.getByRole("button", { name: "Next" }).boundingBox();
      const header = await page.locator(".page-header").boundingBox();
      if (!next || !header) return false;
      return next.y >= header.y + header.height - 1 && next.y < 400;
    };
    await expect.poll(isFindInView).toBe(true);
    const isInView = async () => Math.abs((await readTop()) - 422) < 422;
    await expect.poll(isInView).toBe(true);
    await page.getByRole("tab", { name: "Summary" }).click();
    await page.getByText("Short.").waitFor();
    await page.getByRole("tab", { name: "Transcript" }).click();
    await found.waitFor();
    await expect.poll(isInView).toBe(true);
    await page.setViewportSize({ width: 1280, height: 800 });
  });

  test("on a phone a speaker is named from the transcript, and the menu closes on the page that is open", async () => {
    const { meetingId } = await server.given.richMeeting(company.admin, { title: "Who spoke" });
    await page.setViewportSize({ width: 390, height: 844 });
    await visit.open(`/meetings/${meetingId}?tab=transcript`, "Who spoke");
    await page.locator(".turn-head").getByRole("button", { name: "Guest" }).first().click();
    await dialog().getByText("Guest", { exact: true }).waitFor();
    await page.keyboard.press("Escape");
    await dialog().waitFor({ state: "detached" });
    await visit.open("/tasks", "Tasks");
    const menu = page.getByRole("button", { name: "Menu", exact: true });
    await menu.click();
    await page.getByRole("navigation").getByRole("link", { name: "Tasks" }).click();
    await expect.poll(() => menu.getAttribute("aria-expanded")).toBe("false");
    await page.setViewportSize({ width: 1280, height: 800 });
  });

  test("a note covers nothing that is read: it lies over the rail, or on a phone at the bottom, below the end of the page", async () => {
    const { meetingId } = await server.given.richMeeting(company.admin, { title: "Noted" });
    await visit.browser.grantPermissions(["clipboard-read", "clipboard-write"], { origin: server.url });
    await visit.open(`/meetings/${meetingId}`, "Noted");
    await chooseAction(page, "Copy link");
    const note = await holdNote(page, "Link copied.");
    const measure = async () => {
      const [covering, content] = [await note.boundingBox(), await page.locator(".page").boundingBox()];
      const size = page.viewportSize();
      if (!covering || !content || !size) return null;
      return {
        right: covering.x + covering.width <= content.x,
        below: covering.y >= content.y + content.height,
        atBottom: size.height - covering.y - covering.height,
      };
    };
    await expect.poll(measure).toMatchObject({ right: true });
    await note.getByRole("button", { name: "Dismiss" }).click();
    await note.waitFor({ state: "detached" });
    await page.setViewportSize({ width: 390, height: 844 });
    await chooseAction(page, "Copy link");
    await holdNote(page, "Link copied.");
    const scrollDown = () => page.evaluate("window.scrollTo(0, document.documentElement.scrollHeight)");
    await expect
      .poll(async () => {
        await scrollDown();
        return measure();
      })
      .toEqual({ right: false, below: true, atBottom: 8 });
    await page.setViewportSize({ width: 1280, height: 800 });
  });

  test("the browser's own print has the whole meeting and no control, on a desktop and on a phone", async () => {
    const sentences = Array.from({ length: 600 }, (_, at) => `Sentence ${at}.`);
    const { meetingId } = await server.given.meeting(company.admin, {
      title: "For paper",
      summary: { markdown: "## Outcome\n\nEverybody agreed.\n\n- To wait" },
      tasks: [
        { text: "Order bolts", assignee: { name: "Ben" } },
        { text: "Call them", completed: true },
      ],
      transcript: sentences.map((text, at) => ({
        ...{ speakerId: "a", speakerName: "Ada", text, start: at * 10, end: at * 10 + 5 },
      })),
    });
    const content = [
      "For paper",
      "Outcome",
      "Everybody agreed.",
      "To wait",
      "Order bolts",
      "Ben",
      "Call them",
    ];
    const print = async () => {
      const pages = readPdf(await page.pdf());
      const text = pages.join("").replaceAll("\n", "");
      const missing = [...content, "Ada", "0:00", "1:39:50", ...sentences].filter(
        (one) => !text.includes(one),
      );
      expect(missing).toEqual([]);
      return pages.join("\n").split("\n");
    };
    const turns = page.locator(".turn");
    await visit.open(`/meetings/${meetingId}`, "For paper");
    await turns.first().waitFor();
    expect(await turns.count()).toBeLessThan(sentences.length);
    const controls = page.locator(
      ":is(main, .rail) :is(button:not(.turn-speaker), input:not([type=checkbox]), textarea)",
    );
    const labels = (await controls.allInnerTexts()).filter((label) => label !== "");
    expect(labels).toEqual(expect.arrayContaining(["Share", "Add tag"]));
    expect((await print()).filter((line) => labels.includes(line))).toEqual([]);
    await expect.poll(() => turns.count()).toBeLessThan(sentences.length);
    await page.emulateMedia({ media: "print" });
    await expect.poll(() => controls.filter({ visible: true }).allTextContents()).toEqual([]);
    await page.emulateMedia({ media: null });
    await page.setViewportSize({ width: 390, height: 844 });
    await page.reload();
    await page.getByRole("tab", { name: "Summary" }).waitFor();
    await page.evaluate("window.print = () => (window.hasAsked = true)");
    await chooseAction(page, "Print or save as PDF");
    await expect.poll(() => page.evaluate("window.hasAsked")).toBe(true);
    expect((await print()).filter((line) => labels.includes(line))).toEqual([]);
    await page.getByRole("tab", { name: "Summary" }).waitFor();
    await page.setViewportSize({ width: 1280, height: 800 });
  });

  test("the labels of a chart don't overlap on a phone", async () => {
    await server.call(company.key, "workspace/meetings.list");
    await completeMeeting(server.db, company.admin);
    await page.setViewportSize({ width: 390, height: 844 });
    await visit.open("/plan", "Plan and usage");
    await page.locator(".chart").nth(1).waitFor();
    const overlaps =
      await page.evaluate<number>(`[...document.querySelectorAll(".chart")].reduce((sum, chart) => {
      const boxes = [...chart.querySelectorAll("text[text-anchor=middle]")].map((one) => one.getBoundingClientRect()).filter(({ width }) => width > 0);
      return sum + boxes.filter((box, at) => at > 0 && box.left < boxes[at - 1].right + 4).length;
    }, 0)`);
    expect(overlaps).toBe(0);
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
      await expect.poll(() => page.evaluate(FIND_SMALL_TARGETS), { message: path }).toEqual([]);
      expect(await page.evaluate(FIND_SMALL_FIELDS), path).toEqual([]);
    }
    await page.setViewportSize({ width: 1280, height: 800 });
  });
});
