import { readFile } from "node:fs/promises";
import { OPERATOR, tagMeeting } from "@minutes/core";
import { startTestServer, type TestServer } from "@minutes/server/testing";
import {
  type Company,
  completeMeeting,
  createWebhookScene,
  needs,
  type Receiver,
  type WebhookScene,
} from "@minutes/testing";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { findFaults } from "./support/accessibility.js";
import {
  buildConsole,
  CONSOLE_DIRECTORY,
  type ConsoleVisit,
  press,
  tabTo,
  visitConsole,
  waitForDialog,
} from "./support/console.js";

/** Admins' work with keys, webhooks and the audit log, with a real server, worker and receiver. */
describe("the console's pages for developers", needs("chromium"), () => {
  let scene: WebhookScene;
  let server: TestServer;
  let company: Company;
  let receiver: Receiver;
  let visit: ConsoleVisit;
  let page: Page;
  /** The receiver's answer. */
  let status = 500;
  /** The answers of the settings API, except those that show a secret once. */
  const answers: Promise<string>[] = [];

  beforeAll(async () => {
    await buildConsole();
    scene = await createWebhookScene();
    server = await startTestServer({
      database: scene.database,
      webhooks: scene.settings,
      consoleDirectory: CONSOLE_DIRECTORY,
    });
    company = await server.given.company();
    receiver = await scene.receiver(() => status);
    await scene.worker({ retryDelays: [2, 600, 600, 600] });
    visit = await visitConsole(server, company.admin);
    page = visit.page;
    page.on("response", (response) => {
      if (/\/settings\/v1\/(?!\w+\.(create|regenerate)$)/.test(response.url()))
        answers.push(response.text().catch(() => ""));
    });
  });
  afterAll(async () => {
    await visit?.close();
    await server?.close();
    await scene?.close();
  });
  const dialog = () => page.getByRole("dialog");

  test("with the keyboard alone: goes to API keys, creates one whose curl line works, disables and revokes it", async () => {
    await tabTo(page, "Settings");
    await press(page, "Enter");
    await page.getByRole("heading", { name: "Account" }).waitFor();
    await tabTo(page, "Developers");
    await press(page, "Enter");
    await page.getByRole("heading", { name: "API keys" }).waitFor();
    await tabTo(page, "Create a key");
    await press(page, "Enter");
    await waitForDialog(page, "Create an API key");
    await page.keyboard.type("by keyboard");
    await press(page, "Enter");
    const line = (await page.getByLabel("curl line", { exact: true }).textContent()) ?? "";
    const [, key = "", url = ""] = /^curl -s -H "x-api-key: (\S+)" (\S+)$/.exec(line) ?? [];
    const answer = () => fetch(url, { headers: { "x-api-key": key } });
    expect((await answer()).status).toBe(200);
    await expect.poll(() => findFaults(page)).toEqual([]);
    await tabTo(page, "Hide the key");
    await press(page, "Enter");
    await expect.poll(() => page.content()).not.toContain(key);
    const row = page.getByRole("row", { name: /by keyboard/ });
    await row.getByRole("button", { name: "Disable" }).focus();
    await press(page, "Enter");
    await row.getByText("Disabled").waitFor();
    expect((await answer()).status).toBe(401);
    await press(page, "Tab", "Tab", "Enter");
    await waitForDialog(page, "Revoke “by keyboard”?");
    // In a destructive dialog, Cancel has the focus first.
    await press(page, "Tab", "Enter");
    await row.waitFor({ state: "detached" });
  });

  test("a key is regenerated after a question: the present one stops, the new one is shown once", async () => {
    const row = page.getByRole("row", { name: new RegExp(company.admin.key.slice(0, 6)) }).first();
    await row.getByRole("button", { name: "Regenerate" }).click();
    await dialog().getByText("The current key stops working at once.").waitFor();
    await dialog().getByRole("button", { name: "Regenerate" }).click();
    const key = await page.getByLabel("key", { exact: true }).textContent();
    expect((await server.call(company.admin.key, "me/meetings.list")).status).toBe(401);
    expect((await server.call(key, "me/meetings.list")).status).toBe(200);
  });

  test("webhooks: created with a header, edited, its secret renewed, disabled, enabled and deleted", async () => {
    await visit.go("Developers");
    await page.getByText("There are no webhooks yet.").waitFor();
    await page.getByRole("button", { name: "Create a webhook" }).click();
    await dialog().getByRole("textbox", { name: "Name", exact: true }).fill("stock");
    await dialog().getByLabel("URL").fill(receiver.url);
    await dialog().getByLabel("Authentication", { exact: true }).selectOption("Secret in a header");
    await dialog().getByLabel("Header name").fill("x-stock");
    await dialog().getByRole("button", { name: "Create" }).click();
    const secret = page.getByLabel("secret", { exact: true });
    const first = (await secret.textContent()) ?? "";
    const row = page.getByRole("row", { name: /stock/ });
    await row.getByText("Header x-stock").waitFor();
    await row.getByRole("button", { name: "Edit" }).click();
    await dialog().getByRole("textbox", { name: "Name", exact: true }).fill("stock room");
    await dialog().getByRole("checkbox", { name: "A meeting is deleted" }).check();
    await dialog().getByRole("textbox", { name: "Tags" }).fill("Hiring\n\nBudget");
    await dialog().getByLabel("Prefix of the other headers").fill("x-stock-");
    await dialog().getByRole("button", { name: "Save" }).click();
    await row.getByText("Only “Hiring”, “Budget”").waitFor();
    await row.getByText("stock room").waitFor();
    await row.getByRole("button", { name: "Edit" }).click();
    await expect
      .poll(() => dialog().getByRole("textbox", { name: "Tags" }).inputValue())
      .toBe("Hiring\nBudget");
    for (const name of ["A meeting is completed", "A meeting is deleted"])
      await expect.poll(() => dialog().getByRole("checkbox", { name }).isChecked()).toBe(true);
    await expect.poll(() => dialog().getByLabel("Prefix of the other headers").inputValue()).toBe("x-stock-");
    await waitForDialog(page);
    await press(page, "Escape");
    await scene.db.execute("update webhooks set paused_at = now(), failures = 10 where name = 'stock room'");
    await page.reload();
    await row.getByText("Paused, 0 missed").waitFor();
    await row.getByRole("button", { name: "Resume" }).click();
    await dialog().getByRole("button", { name: "Send missed deliveries" }).click();
    await row.getByText("Paused").waitFor({ state: "detached" });
    await row.getByRole("button", { name: "New secret" }).click();
    await dialog().getByRole("button", { name: "Create a new secret" }).click();
    await expect.poll(() => secret.textContent()).not.toBe(first);
    await row.getByRole("button", { name: "Disable" }).click();
    await row.getByText("Disabled").waitFor();
    await expect.poll(() => row.getByRole("button", { name: "Test" }).isDisabled()).toBe(true);
    await row.getByRole("button", { name: "Enable" }).click();
    await row.getByText("Disabled").waitFor({ state: "detached" });
    await row.getByRole("button", { name: "Delete" }).click();
    await dialog().getByText("Pending deliveries are skipped, and the secret is erased.").waitFor();
    await dialog().getByRole("button", { name: "Delete" }).click();
    await page.getByText("There are no webhooks yet.").waitFor();
  });

  test("a webhook for a chat asks for no authentication, shows no secret, and its test is a message", async () => {
    // Closes the secret that the last test was shown.
    await page.reload();
    await page.getByRole("button", { name: "Create a webhook" }).click();
    await dialog().getByLabel("URL").fill(receiver.url);
    await dialog().getByLabel("Format").selectOption("Slack");
    expect(await dialog().getByLabel("Authentication").count()).toBe(0);
    await dialog().getByRole("button", { name: "Create" }).click();
    const row = page.getByRole("row", { name: /None \(Slack\)/ });
    await row.waitFor();
    expect(await page.getByLabel("secret", { exact: true }).count()).toBe(0);
    const before = receiver.received.length;
    await row.getByRole("button", { name: "Test" }).click();
    // Refused, it is sent again two seconds later.
    await expect.poll(() => receiver.received.length).toBeGreaterThan(before);
    expect(JSON.parse(receiver.received.at(-1)?.body ?? "")).toMatchObject({
      blocks: [{ type: "header" }, {}, {}, {}, {}],
    });
    await row.getByRole("button", { name: "Delete" }).click();
    await dialog().getByRole("button", { name: "Delete" }).click();
    await page.getByText("There are no webhooks yet.").waitFor();
  });

  test("with the keyboard alone: creates a webhook from its URL, sends a test, sees its outcome, and deletes it after a question", async () => {
    status = 200;
    await tabTo(page, "Create a webhook");
    await press(page, "Enter");
    await waitForDialog(page, "Create a webhook");
    await page.keyboard.type(receiver.url);
    await press(page, "Enter");
    const secret = (await page.getByLabel("secret", { exact: true }).textContent()) ?? "";
    await tabTo(page, "Hide the secret");
    await press(page, "Enter");
    await tabTo(page, "Test");
    await press(page, "Enter");
    await page.getByText(/Delivered \(status 200\) after \d+ ms/).waitFor();
    await press(page, "Escape");
    await tabTo(page, "Delete");
    await press(page, "Enter");
    await waitForDialog(page, `Delete “${new URL(receiver.url).host}”?`);
    await press(page, "Tab", "Enter");
    await page.getByText("There are no webhooks yet.").waitFor();
    await expect.poll(() => page.content()).not.toContain(secret);
    status = 500;
  });

  test("deliveries: a test's outcome on the page, its timeline live until it is delivered, sent again, filtered", async () => {
    await page.getByRole("button", { name: "Create a webhook" }).click();
    await dialog().getByRole("textbox", { name: "Name", exact: true }).fill("orders");
    await dialog().getByLabel("URL").fill(receiver.url);
    await dialog().getByRole("button", { name: "Create" }).click();
    const secret = await page.getByLabel("secret", { exact: true }).textContent();
    expect(secret).toMatch(/^\S{20,}$/);
    await page.getByRole("button", { name: "Hide the secret" }).click();
    await page.getByRole("button", { name: "Test", exact: true }).click();
    await page.getByText(/The receiver answered with an error \(status 500\)/).waitFor();
    await expect.poll(() => findFaults(page)).toEqual([]);
    await press(page, "Escape");
    await page.getByRole("link", { name: "Deliveries" }).click();
    await page.getByRole("button", { name: /Pending.*Test/ }).click();
    // An attempt, why it failed, and when the next one is due; then, without a click, its result.
    await page
      .getByText(/The receiver answered with an error \(status 500\) after \d+ ms/)
      .first()
      .waitFor();
    await page.getByText("Next attempt").waitFor();
    await expect.poll(() => findFaults(page)).toEqual([]);
    await page.getByText("Attempt 2").waitFor();
    status = 200;
    await scene.anHourPasses();
    await page.getByText(/Delivered \(status 200\) after \d+ ms/).waitFor();
    const shown = page.getByRole("region", { name: "Delivery" });
    const headers = shown.getByLabel("Request headers", { exact: true });
    await expect.poll(() => headers.textContent()).toMatch(/event: meeting\.completed\n.*signature: ••••/s);
    const body = shown.getByLabel("Request body", { exact: true });
    await expect.poll(() => body.textContent()).toContain('"title": "Weekly planning (sample)"');
    const before = receiver.received.length;
    await page.getByRole("button", { name: "Resend", exact: true }).click();
    await expect.poll(() => receiver.received.length).toBeGreaterThan(before);
    await page.getByLabel("State", { exact: true }).selectOption("failed");
    await page.getByText("No deliveries.").waitFor();
    expect(new URL(page.url()).searchParams.get("state")).toBe("failed");
    // The page's range contains no failed delivery, then one.
    await scene.allFail();
    const resend = page.getByRole("button", { name: "Resend failed" });
    await page.getByLabel("From").fill("2099-01-01T00:00");
    await page.getByText("No deliveries.").waitFor();
    await resend.waitFor({ state: "detached" });
    await page.getByLabel("From").fill("2020-01-01T00:00");
    await page.getByRole("button", { name: /Failed.*Test/ }).waitFor();
    const sent = receiver.received.length;
    await resend.click();
    await page.getByRole("dialog", { name: "Resend 1 failed delivery?" }).waitFor();
    await dialog().getByRole("button", { name: "Resend" }).click();
    await page.getByText("Resending 1 delivery.").waitFor();
    await expect.poll(() => receiver.received.length).toBe(sent + 1);
    await visit.go("Developers");
    await page.getByText(/1 delivered/).waitFor();
    await expect.poll(() => page.content()).not.toContain(secret);
    for (const answer of await Promise.all(answers)) expect(answer).not.toContain(secret);
  });

  test("deliveries: each names its event, and a meeting that the admin can't read keeps its content", async () => {
    const { id } = await scene.workspaceWebhook(company, receiver.url);
    await scene.db.execute("update webhooks set events = '{meeting.completed,meeting.updated}'");
    const member = await server.given.member(company);
    const { meetingId } = await completeMeeting(server.db, member, { title: "Between members" });
    await tagMeeting(server.db, OPERATOR, meetingId, "Talks");
    await expect.poll(() => scene.states(id)).toHaveLength(2);
    await visit.open(`/webhooks/${id}`, "Deliveries of “Test”");
    await page.getByRole("button", { name: /meeting\.updated/ }).waitFor();
    await page.getByRole("button", { name: /meeting\.completed/ }).click();
    await page.getByText("Only people who can read the meeting see the body").waitFor();
    await expect.poll(() => page.content()).not.toContain("Between members");
  });

  test("audit log: an admin filters it and downloads it as CSV", async () => {
    await visit.go("Audit log");
    // People and things by their names; the IDs are on hover.
    await page.getByRole("cell", { name: "orders" }).first().waitFor();
    await page.getByRole("cell", { name: company.admin.email }).first().waitFor();
    await page.getByRole("cell", { name: "Created a webhook" }).first().waitFor();
    await page.getByRole("cell", { name: "Signed in" }).first().waitFor();
    await page.getByLabel("Action", { exact: true }).selectOption("Webhooks: all");
    await page.getByRole("cell", { name: "Signed in" }).first().waitFor({ state: "detached" });
    expect(new URL(page.url()).searchParams.get("action")).toBe("webhook");
    // No action is shown by its code.
    const actions = await page.getByRole("table").locator('td[data-column="Action"]').allTextContents();
    expect(actions.filter((text) => !/^[A-Z]/.test(text))).toEqual([]);
    // No thing is shown by its ID.
    const targets = await page.getByRole("table").locator('td[data-column="Target"]').allTextContents();
    expect(targets.filter((text) => /^[a-z]+_\w{22}/.test(text))).toEqual([]);
    const member = await server.given.member(company);
    await page.reload();
    await page.getByLabel("Who", { exact: true }).selectOption(`${member.name} (${member.email})`);
    await page.getByText("No entries.").waitFor();
    const admin = `${company.admin.name} (${company.admin.email})`;
    await page.getByLabel("Who", { exact: true }).selectOption(admin);
    await page.getByRole("cell", { name: "Created a webhook" }).first().waitFor();
    const downloading = page.waitForEvent("download");
    await page.getByRole("button", { name: "Download CSV" }).click();
    const csv = await readFile(await (await downloading).path(), "utf8");
    expect(csv).toMatch(/^time,actor,actor name,action,object,object name,method,network/);
    expect(csv).toContain(`${company.admin.email},webhook.create,`);
    expect(csv).not.toContain("session.create");
    expect(visit.faults).toEqual([]);
  });
});
