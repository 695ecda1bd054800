import { startTestServer, type TestServer } from "@minutes/server/testing";
import {
  type Company,
  completeMeeting,
  createWebhookScene,
  needs,
  type WebhookScene,
} from "@minutes/testing";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { findFaults, LOOKS, type Look } from "./support/accessibility.js";
import { buildConsole, CONSOLE_DIRECTORY, type ConsoleVisit, visitConsole } from "./support/console.js";

/** Every dialog that a page can open by a button, by its title without names. A new one is added here. */
const DIALOGS = [
  "Correct this turn",
  "Create a new secret for …?",
  "Create a team instruction",
  "Create a webhook",
  "Create an API key",
  "Create an instruction",
  "Delete 1 meeting?",
  "Delete the tag …?",
  "Delete this meeting?",
  "Delete …?",
  "Edit …",
  "Invite several people",
  "Regenerate …?",
  "Remove Ben?",
  "Rename the tag …",
  "Resend 1 failed delivery?",
  "Resume …?",
  "Revoke everything?",
  "Revoke the invitation?",
  "Revoke …?",
  "Rewrite the summary",
  "Search",
  "Share 1 meeting",
  "Share the tag …",
  "Share this meeting",
  "Sign Ben out everywhere?",
  "Sign-in link for Ben",
  "Tag 1 meeting",
  "Versions",
  "Who is this?",
];

interface Shown {
  readonly ariaLabel: string | null;
  readonly textContent: string;
  readonly ownerDocument: { getElementById(id: string | null): Shown | null };
  getAttribute(name: string): string | null;
  closest(selector: string): Shown | null;
}
/** Returns what a button does: its label, and the beginning of the section in which it is. */
const getPurpose = (one: unknown) => {
  const { ariaLabel, textContent } = one as Shown;
  const section = (one as Shown).closest("section")?.textContent.slice(0, 20) ?? "";
  return `${section} ${ariaLabel ?? textContent}`;
};
const getTitle = (one: unknown) => {
  const { ariaLabel, ownerDocument } = one as Shown;
  const title = ownerDocument.getElementById((one as Shown).getAttribute("aria-labelledby"));
  return title?.textContent ?? ariaLabel ?? "";
};

/** The dialogs and menus of the console, with axe. A page's appearance does not depend on the engine. */
describe("the console's dialogs", needs("chromium", "embedded"), () => {
  let scene: WebhookScene;
  let server: TestServer;
  let company: Company;
  let visit: ConsoleVisit;
  let page: Page;
  let meetingId: string;
  /** One whose deliveries fail, and one that is paused. */
  let webhookIds: string[];

  beforeAll(async () => {
    await buildConsole();
    scene = await createWebhookScene();
    server = await startTestServer({
      database: scene.database,
      webhooks: scene.settings,
      summaries: { enabled: true, wake: () => {} },
      consoleDirectory: CONSOLE_DIRECTORY,
    });
    company = await server.given.company();
    const ben = await server.given.member(company, { name: "Ben" });
    const receiver = await scene.receiver(() => 500);
    const failing = await scene.workspaceWebhook(company, receiver.url);
    ({ meetingId } = await server.given.richMeeting(company.admin));
    await server.given.meetingSharedByTag(company.admin, ben, { title: "Tagged", tag: "alarms" });
    const paused = await scene.workspaceWebhook(company, receiver.url);
    await scene.db.execute(`update webhooks set paused_at = now(), failures = 10 where id = '${paused.id}'`);
    await completeMeeting(server.db, company.admin);
    await scene.allFail();
    webhookIds = [failing.id, paused.id];
    visit = await visitConsole(server, company.admin);
    page = visit.page;
  });
  afterAll(async () => {
    await visit?.close();
    await server?.close();
    await scene?.close();
  });

  const opened = () => page.locator("[role=dialog]:visible, [role=menu]:visible");
  const open = async (path: string) => {
    await page.goto(`${server.url}${path}`);
    await page.getByRole("heading", { level: 1 }).waitFor();
    await visit.settle();
  };

  /** Titles of the dialogs that were opened. */
  const seen = new Set<string>();

  /** Checks the page, then each dialog and menu that its buttons open, and each dialog that such a menu opens. */
  async function checkEach(look: Look): Promise<void> {
    const address = page.url();
    expect([address, await findFaults(page, [look])]).toEqual([address, []]);
    const tried = new Set<string>();
    const buttons = page.locator("[aria-haspopup=dialog]:visible, [aria-haspopup=menu]:visible");
    for (let at = 0; at < (await buttons.count()); at++) {
      const button = buttons.nth(at);
      const purpose = await button.evaluate(getPurpose);
      const box = await button.boundingBox();
      // The rail waits beside a phone's screen.
      if (tried.has(purpose) || box === null || box.x < 0) continue;
      tried.add(purpose);
      await button.click();
      for (const name of await checkOpened(look)) {
        await button.click();
        await page.getByRole("menuitem", { name, exact: true }).click();
        await page.getByRole("menu").waitFor({ state: "detached" });
        await checkOpened(look);
      }
    }
  }

  /** Checks the dialog or menu that opens, and closes it. @returns the entries of the menu that open dialogs */
  async function checkOpened(look: Look): Promise<string[]> {
    await opened().first().waitFor();
    await visit.settle();
    const isDialog = (await opened().first().getAttribute("role")) === "dialog";
    const readTitle = () => opened().first().evaluate(getTitle);
    // The library shows a dialog before it names it.
    if (isDialog) await expect.poll(readTitle).not.toBe("");
    const title = await readTitle();
    expect([page.url(), title, await findFaults(page, [look])]).toEqual([page.url(), title, []]);
    if (isDialog) seen.add(title.replace(/“.*”/, "…"));
    const entries = await opened().locator("[role=menuitem][aria-haspopup=dialog]").allTextContents();
    // A list of suggestions closes before its dialog.
    await expect
      .poll(async () => {
        await page.keyboard.press("Escape");
        return opened().count();
      })
      .toBe(0);
    return entries;
  }

  /** Makes an invitation and a recorder, whose rows have dialogs. @returns the pages of the navigation */
  async function prepare(): Promise<string[]> {
    await visit.go("Members");
    await page.getByRole("button", { name: "Invite", exact: true }).click();
    await page.getByText("Send this link yourself").waitFor();
    await visit.go("Developers");
    await page.getByLabel("Recorder name").fill("Meeting room");
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: "Hide the credential" }).click();
    const paths: string[] = [];
    for (const label of await visit.listPages()) {
      await visit.go(label);
      paths.push(new URL(page.url()).pathname);
    }
    return paths;
  }

  let paths: string[];

  test.each(LOOKS.map((look) => [`${look[0].width} pixels wide and ${look[1]}`, look] as const))(
    "no page, dialog or menu has an accessibility fault, %s",
    async (_, look) => {
      await page.setViewportSize({ width: 1280, height: 800 });
      paths ??= await prepare();
      await page.setViewportSize(look[0]);
      for (const path of [
        ...paths,
        ...webhookIds.map((id) => `/webhooks/${id}`),
        `/meetings/${meetingId}`,
        `/meetings/${meetingId}?tab=transcript`,
        "/meetings?q=turbines&all=true",
      ]) {
        await open(path);
        await checkEach(look);
      }
      await open("/meetings");
      await page.getByRole("checkbox", { name: "Select Tagged" }).check();
      await page.getByRole("region", { name: "Selected meetings" }).waitFor();
      await checkEach(look);
    },
    900_000,
  );

  test("every dialog of the list was opened, and no other", () => {
    expect([...seen].toSorted()).toEqual(DIALOGS);
  });
});
