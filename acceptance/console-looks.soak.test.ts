import { type Company, givePassword, needs, startTestServer, type TestServer } from "@minutes/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ALL_LOOKS, findFaults } from "./support/accessibility.js";
import { buildConsole, CONSOLE_DIRECTORY, type ConsoleVisit, visitConsole } from "./support/console.js";

/** The console's tests look at each page narrow and dark, wide and light; here it is every size in every scheme. */
describe("in each of two sizes and two colour schemes", {
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

  test.each([
    ...["Meetings", "Tasks", "Upload", "Tags", "API keys", "Webhooks", "Recorders", "Members"],
    ...["Plan and usage", "Vocabulary", "Audit log", "Account", "Connect"],
  ])("%s has no accessibility fault, and is not wider than the page", async (label) => {
    await visit.go(label);
    expect(await findFaults(visit.page, ALL_LOOKS)).toEqual([]);
  });

  test.each(["summary", "transcript", "tasks", "people", "sharing"])(
    "nor has a meeting's %s",
    async (tab) => {
      await visit.page.goto(`${server.url}/meetings/${meetingId}?tab=${tab}`);
      await visit.page.getByRole("tab", { selected: true, name: new RegExp(tab, "i") }).waitFor();
      await visit.settle();
      expect(await findFaults(visit.page, ALL_LOOKS)).toEqual([]);
    },
  );

  test("nor have the form of a key, the form of a webhook, and the question before a key is revoked", async () => {
    for (const [page, button] of [
      ["API keys", "Create a key"],
      ["Webhooks", "Create a webhook"],
      ["API keys", "Revoke"],
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
    expect(await findFaults(visit.page, ALL_LOOKS)).toEqual([]);
  });
});
