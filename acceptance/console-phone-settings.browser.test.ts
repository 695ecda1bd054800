import { createSignInToken } from "@minutes/core";
import { startTestServer, type TestServer } from "@minutes/server/testing";
import { type Company, createWebhookScene, needs, PASSWORD, type WebhookScene } from "@minutes/testing";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { buildConsole, CONSOLE_DIRECTORY, type ConsoleVisit, visitConsole } from "./support/console.js";
import { openSignInSite, type SignInSite } from "./support/sign-in-site.js";

const PHONE = { width: 390, height: 844 };

/** Fails if anything is wider than the phone. */
const expectToFit = (page: Page) =>
  expect.poll(() => page.evaluate("document.documentElement.scrollWidth")).toBe(PHONE.width);

describe("webhooks on a phone", needs("chromium"), () => {
  let scene: WebhookScene;
  let server: TestServer;
  let visit: ConsoleVisit;

  beforeAll(async () => {
    await buildConsole();
    scene = await createWebhookScene();
    server = await startTestServer({
      database: scene.database,
      webhooks: scene.settings,
      consoleDirectory: CONSOLE_DIRECTORY,
    });
    const company: Company = await server.given.company();
    await scene.worker();
    visit = await visitConsole(server, company.admin);
    await visit.page.setViewportSize(PHONE);
  });
  afterAll(async () => {
    await visit?.close();
    await server?.close();
    await scene?.close();
  });

  test("a webhook is created, tested, its delivery inspected and resent", async () => {
    const { page } = visit;
    const receiver = await scene.receiver();
    await visit.go("Developers");
    await page.getByRole("button", { name: "Create a webhook" }).click();
    const form = page.getByRole("dialog");
    await form.getByRole("textbox", { name: "Name", exact: true }).fill("orders");
    await form.getByLabel("URL").fill(receiver.url);
    await form.getByRole("button", { name: "Create" }).click();
    await page.getByRole("button", { name: "Hide the secret" }).click();
    await page.getByRole("button", { name: "Test", exact: true }).click();
    await page.getByText(/Delivered \(status 200\) after \d+ ms/).waitFor();
    await expectToFit(page);
    await page.getByRole("link", { name: "Deliveries" }).click();
    await page.getByRole("button", { name: /Delivered.*Test/ }).click();
    const shown = page.getByRole("region", { name: "Delivery" });
    await shown.getByText("Attempt 1").waitFor();
    const body = shown.getByLabel("Request body", { exact: true });
    await expect.poll(() => body.textContent()).toContain('"title": "Weekly planning (sample)"');
    await expectToFit(page);
    await shown.getByRole("button", { name: "Resend", exact: true }).click();
    await expect.poll(() => receiver.received.length).toBe(2);
    // The delivery takes the place of the list.
    const list = page.getByRole("list", { name: "Deliveries" });
    expect(await list.isVisible()).toBe(false);
    await shown.getByRole("button", { name: "All deliveries" }).click();
    await expect.poll(() => list.getByRole("button").count()).toBe(1);
  });
});

describe("signing in on a phone", needs("chromium"), () => {
  let site: SignInSite;
  let page: Page;
  let company: Company;

  beforeAll(async () => {
    site = await openSignInSite(() => ({
      sub: "ann",
      email: "ann@acme.test",
      email_verified: true,
      name: "Ann",
    }));
    company = await site.server.given.company();
    page = await site.openPage();
    await page.setViewportSize(PHONE);
    await page.goto(`${site.url}/sign-in#${await createSignInToken(site.server.db, company.admin.userId)}`);
    await page.getByRole("button", { name: /^Sign in as / }).click();
    await heading(page, "Meetings").waitFor();
  });
  afterAll(() => site?.close());
  const heading = (where: Page, name: string) => where.getByRole("heading", { level: 1, name });

  test("a passkey is added at localhost, and signs in alone", async () => {
    const device = await page.context().newCDPSession(page);
    await device.send("WebAuthn.enable");
    await device.send("WebAuthn.addVirtualAuthenticator", {
      options: {
        protocol: "ctap2",
        transport: "internal",
        hasResidentKey: true,
        hasUserVerification: true,
        isUserVerified: true,
        automaticPresenceSimulation: true,
      },
    });
    await page.goto(`${site.url}/account`);
    await page.getByLabel("Passkey name").fill("Phone");
    await page.getByRole("button", { name: "Add a passkey" }).click();
    await page.getByText("Phone", { exact: true }).waitFor();
    await expectToFit(page);
    await page.getByRole("button", { name: "Menu", exact: true }).click();
    await page.getByRole("button", { name: /^Your menu/ }).click();
    await page.getByRole("menuitem", { name: "Sign out", exact: true }).click();
    await page.getByRole("button", { name: "Sign in with a passkey" }).click();
    await heading(page, "Meetings").waitFor();
    await device.detach();
  });

  test("an admin invites a person, who joins by the link in the e-mail", async () => {
    await page.goto(`${site.url}/members`);
    await page.getByRole("textbox", { name: "E-mail", exact: true }).fill("ben@acme.test");
    await page.getByRole("button", { name: "Invite", exact: true }).click();
    await page.getByText("Invitation sent").waitFor();
    await expectToFit(page);
    const ben = await site.openPage();
    await ben.setViewportSize(PHONE);
    await ben.goto(await site.readLink("ben@acme.test"));
    await ben.getByLabel("Your name").fill("Ben");
    await ben.locator("input[type=password]").fill(PASSWORD);
    await expectToFit(ben);
    await ben.getByRole("button", { name: /^Join / }).click();
    await heading(ben, "Meetings").waitFor();
    await ben.getByText("Add your first meeting").waitFor();
    await page.reload();
    await page.getByText("ben@acme.test").waitFor();
  });
});
