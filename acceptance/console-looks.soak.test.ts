import { startTestServer, type TestServer } from "@minutes/server/testing";
import { type Company, givePassword, needs } from "@minutes/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ALL_LOOKS, findFaults } from "./support/accessibility.js";
import { buildConsole, CONSOLE_DIRECTORY, type ConsoleVisit, visitConsole } from "./support/console.js";

/**
 * The other console tests check each page narrow and dark, wide and light; this one checks every size in every scheme.
 */
describe("in each of two sizes and two color schemes", {
  ...needs("chromium", "embedded"),
  timeout: 120_000,
}, () => {
  let server: TestServer;
  let company: Company;
  let visit: ConsoleVisit;
  let meetingId: string;

  beforeAll(async () => {
    await buildConsole();
    server = await startTestServer({ consoleDirectory: CONSOLE_DIRECTORY });
    company = await server.given.company();
    await server.given.member(company);
    ({ meetingId } = await server.given.richMeeting(company.admin));
    visit = await visitConsole(server, company.admin);
  }, 180_000);
  afterAll(async () => {
    await visit?.close();
    await server?.close();
  });

  test("no page of the navigation has an accessibility fault, or is wider than the screen", async () => {
    for (const label of await visit.listPages()) {
      await visit.go(label);
      expect([label, await findFaults(visit.page, ALL_LOOKS)]).toEqual([label, []]);
    }
  });

  test.each(["summary", "transcript"])("nor has a meeting's %s", async (tab) => {
    await visit.page.goto(`${server.url}/meetings/${meetingId}?tab=${tab}`);
    await visit.page.getByRole("heading", { name: "Summary" }).waitFor();
    await visit.settle();
    await expect.poll(() => findFaults(visit.page, ALL_LOOKS)).toEqual([]);
  });

  test("nor have the form of a key, the form of a webhook, and the question before a key is revoked", async () => {
    for (const [page, button] of [
      ["Developers", "Create a key"],
      ["Developers", "Create a webhook"],
      ["Developers", "Revoke"],
    ] as const) {
      await visit.go(page);
      await visit.page.getByRole("button", { name: button }).first().click();
      await visit.page.getByRole("dialog").waitFor();
      expect([page, await findFaults(visit.page, ALL_LOOKS)]).toEqual([page, []]);
      await visit.page.keyboard.press("Escape");
      await visit.page.getByRole("dialog").waitFor({ state: "detached" });
    }
  });

  test("nor has the page of a person who is not signed in", async () => {
    await givePassword(server, company.admin);
    await visit.browser.clearCookies();
    await visit.page.goto(`${server.url}/sign-in`);
    await visit.page.locator("input[type=password]").waitFor();
    await expect.poll(() => findFaults(visit.page, ALL_LOOKS)).toEqual([]);
  });
});
