import {
  callMcp,
  prepare,
  RawApp,
  REDIRECT,
  type SecureService,
  startSecureService,
} from "@minutes/server/testing";
import { givePassword, needs, PASSWORD, type Person } from "@minutes/testing";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { findFaults } from "./support/accessibility.js";
import { openBrowser } from "./support/chromium.js";
import { buildConsole, CONSOLE_DIRECTORY } from "./support/console.js";

let service: SecureService;
let anna: Person;
let app: RawApp;
let page: Page;
let close: () => Promise<void>;

/** Connects the app in the browser. @returns its access token */
async function exchange(verifier: string): Promise<string> {
  const code = new URL(page.url()).searchParams.get("code") ?? "";
  return (await app.exchange(code, verifier)).body.access_token ?? "";
}

const getStatus = async (token: string) => (await callMcp(service, token)).status;

describe("connecting an assistant in a browser", needs("chromium"), () => {
  beforeAll(async () => {
    await buildConsole();
    service = await startSecureService({ consoleDirectory: CONSOLE_DIRECTORY });
    const [server] = service.servers;
    anna = await server.given.member(await server.given.company());
    await givePassword(server, anna);
    app = await RawApp.register(service, { client_name: "Reading assistant" });
    const opened = await openBrowser(service.url);
    page = await opened.browser.newPage();
    // The sites of the app and of an attacker.
    await page.route(`${REDIRECT}**`, (route) =>
      route.fulfill({ contentType: "text/html", body: "<h1>App</h1>" }),
    );
    close = async () => {
      await opened.close();
      await service.close();
    };
  });
  afterAll(() => close?.());

  test("a person signs in, reads who asks for what, and allows it", async () => {
    const { verifier, url } = prepare(app, { scope: "meetings:read tasks:write meetings:delete" });
    await page.goto(url);
    await page.getByLabel("E-mail").fill(anna.email);
    await page.locator("input[type=password]").fill(PASSWORD);
    await page.getByRole("button", { name: "Sign in", exact: true }).click();
    await page.getByRole("heading", { name: "Connect Reading assistant to your meetings?" }).waitFor();
    expect(await page.getByText("You will be sent back to app.example.net").count()).toBe(1);
    expect(await page.getByLabel("Delete your meetings for good").isChecked()).toBe(false);
    await expect.poll(() => findFaults(page)).toEqual([]);
    await page.getByRole("button", { name: "Allow", exact: true }).click();
    await page.getByRole("heading", { name: "App" }).waitFor();
    expect(page.url()).toContain(`${REDIRECT}?`);
    expect(await getStatus(await exchange(verifier))).toBe(200);
  });

  test("the consent page is not shown in a frame of another site", async () => {
    const { url } = prepare(app);
    await page.goto(url);
    await page.getByRole("button", { name: "Allow", exact: true }).waitFor();
    const consent = page.url();
    await page.route("https://evil.example.com/", (route) =>
      route.fulfill({ contentType: "text/html", body: `<h1>Win</h1><iframe src="${consent}"></iframe>` }),
    );
    // Chromium would refuse the frame itself, because the service is on this machine.
    await page.context().grantPermissions(["local-network-access"]);
    const refused = page.waitForEvent("requestfailed", (request) => request.url() === consent);
    await page.goto("https://evil.example.com/");
    expect((await refused).failure()?.errorText).toBe("net::ERR_BLOCKED_BY_RESPONSE");
    expect(await page.frameLocator("iframe").getByRole("button").count()).toBe(0);
  });

  test("the account lists the app with its host, and disconnecting it ends its token", async () => {
    const { verifier, url } = prepare(app);
    await page.goto(url);
    await page.getByRole("button", { name: "Allow", exact: true }).click();
    await page.getByRole("heading", { name: "App" }).waitFor();
    const token = await exchange(verifier);
    expect(await getStatus(token)).toBe(200);
    await page.goto(`${service.url}/account`);
    const row = page.getByRole("row", { name: /Reading assistant/ }).first();
    await row.getByText("app.example.net").waitFor();
    await row.getByRole("button", { name: "Disconnect" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Disconnect" }).click();
    await page.getByText("App disconnected.").waitFor();
    expect(await getStatus(token)).toBe(401);
  });

  test("a person who does not allow it is sent back without a code", async () => {
    await page.goto(prepare(app).url);
    await page.getByRole("button", { name: "Don't allow" }).click();
    await page.getByRole("heading", { name: "App" }).waitFor();
    expect(Object.fromEntries(new URL(page.url()).searchParams)).toMatchObject({
      error: "access_denied",
      iss: service.url,
    });
  });
});
