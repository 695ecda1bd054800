import { startTestServer, type TestServer } from "@minutes/server/testing";
import { type Company, needs, openSignedInBrowser } from "@minutes/testing";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { openBrowser } from "./support/chromium.js";
import { buildConsole, CONSOLE_DIRECTORY, type ConsoleVisit, visitConsole } from "./support/console.js";

/** Everything that the browser keeps of the server's answers, as one text. */
const READ_KEPT = `(async () => {
  const answers = (await caches.has("answers")) ? await caches.open("answers") : null;
  return (await Promise.all((await answers?.matchAll() ?? []).map((one) => one.text()))).join(" ");
})()`;

/** What the console keeps for reading offline. The browser's caches don't depend on the engine. */
describe("the console offline", needs("chromium", "embedded"), () => {
  let server: TestServer;
  let company: Company;
  let visit: ConsoleVisit;
  let meetingId: string;

  beforeAll(async () => {
    await buildConsole();
    server = await startTestServer({ consoleDirectory: CONSOLE_DIRECTORY });
    company = await server.given.company();
    ({ meetingId } = await server.given.richMeeting(company.admin, { title: "Read on the train" }));
    await server.given.meeting(company.admin, { title: "Never opened" });
  });
  afterAll(() => server?.close());
  beforeEach(async () => {
    visit = await visitConsole(server, company.admin, undefined, openBrowser(undefined, "allow"));
    await visit.page.evaluate("navigator.serviceWorker.ready");
  });
  afterEach(() => visit?.close());

  const readKept = () => visit.page.evaluate<string>(READ_KEPT);
  const note = () => visit.page.getByText("Offline. Reconnecting…");
  const disconnect = (offline: boolean) => visit.browser.setOffline(offline);
  const readMeeting = async () => {
    await expect.poll(readKept).toContain(company.admin.userId);
    await visit.open("/meetings", "Meetings");
    await visit.page.getByRole("link", { name: /^Read on the train/ }).click();
    await visit.page.getByText("Summary", { exact: true }).first().waitFor();
    await visit.settle();
    await expect.poll(readKept).toContain("speakerLabel");
  };

  test("pages read last are shown without a network, also after a reload, and are current again with one", async () => {
    const { page } = visit;
    await readMeeting();
    await disconnect(true);
    await page.reload();
    await page.getByRole("heading", { level: 1, name: "Read on the train" }).waitFor();
    await note().waitFor();
    await page.getByRole("link", { name: "Meetings", exact: true }).click();
    await page.getByRole("link", { name: /^Read on the train/ }).click();
    await page.getByRole("heading", { level: 1, name: "Read on the train" }).waitFor();
    await page.goBack();
    await page.getByRole("link", { name: /^Never opened/ }).click();
    await page.getByText("Not available offline.").first().waitFor();
    await visit.settle();
    await disconnect(false);
    await page.getByRole("heading", { level: 1, name: "Never opened" }).waitFor();
    await note().waitFor({ state: "detached" });
  });

  test("without a network, a change fails at once, and what can't open says so and doesn't open later", async () => {
    const { page } = visit;
    await readMeeting();
    await page.getByText("Summary", { exact: true }).first().waitFor();
    await disconnect(true);
    const task = page.getByRole("checkbox", { name: /^Completed: / }).first();
    await task.check({ force: true }).catch(() => {});
    await page.getByText("Could not change the task").waitFor();
    await expect.poll(() => task.isChecked()).toBe(false);
    const notes = page.getByText("Not available offline", { exact: true });
    for (const name of ["Share", "More", "Edit"]) {
      await page.getByRole("button", { name, exact: true }).first().click();
      await notes.first().waitFor();
      // It closes by itself, too.
      const shown = page.locator(".mantine-Notification-root").filter({ has: notes });
      await shown
        .getByRole("button")
        .click({ timeout: 5_000 })
        .catch(() => {});
      await expect.poll(() => notes.count()).toBe(0);
    }
    await page.locator(".summary").waitFor();
    await disconnect(false);
    await note().waitFor({ state: "detached" });
    await visit.settle();
    for (const role of ["dialog", "menu"] as const) expect(await page.getByRole(role).count()).toBe(0);
    expect(await page.getByLabel("Summary in Markdown").count()).toBe(0);
  });

  test("signing out removes everything that was kept", async () => {
    const { page } = visit;
    await readMeeting();
    await page.getByRole("button", { name: /^Your menu/ }).click();
    await page.getByRole("menuitem", { name: "Sign out", exact: true }).click();
    await page.getByRole("heading", { name: "Sign in to Minutes" }).waitFor();
    expect(await readKept()).toBe("");
    await disconnect(true);
    await page.goto(`${server.url}/meetings/${meetingId}`);
    await note().waitFor();
    expect(await page.getByText("Read on the train").count()).toBe(0);
    await disconnect(false);
  });

  test("what was kept goes with its reader: when somebody else's session takes over, and when it ends elsewhere", async () => {
    const member = await server.given.member(company);
    await server.given.meeting(member, { title: "Somebody else's" });
    await readMeeting();
    const { cookie } = await openSignedInBrowser(server, member);
    const [name = "", value = ""] = cookie.split("=");
    await visit.browser.addCookies([{ name, value, url: server.url }]);
    await visit.open("/meetings", "Meetings");
    await visit.page.getByRole("link", { name: /^Somebody else's/ }).waitFor();
    await expect.poll(readKept).toContain(member.userId);
    await expect.poll(readKept).not.toContain("Read on the train");
    await visit.browser.clearCookies();
    await visit.page.goto(`${server.url}/tasks`);
    await visit.page.getByRole("heading", { name: "Sign in to Minutes" }).waitFor();
    await expect.poll(readKept).toBe("");
  });
});
