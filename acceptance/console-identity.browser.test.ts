import { createSetupToken, createSignInToken } from "@minutes/core";
import type { TestServer } from "@minutes/server/testing";
import { needs, PASSWORD } from "@minutes/testing";
import type { BrowserContext, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { findFaults } from "./support/accessibility.js";
import { openSignInSite, type SignInSite } from "./support/sign-in-site.js";

let scene: SignInSite;
let server: TestServer;
let site: string;
let evilSite: string;
/** Address of the admin, one of two candidates. */
let admin: string;
/** Whether the company's provider reports the admin's address as verified. */
let verified = false;
/** The admin's own browser. */
let ann: BrowserContext;
let page: Page;

const openPage = () => scene.openPage();
const readLink = (to: string) => scene.readLink(to);
const heading = (where: Page, name: string) => where.getByRole("heading", { name, exact: true }).first();
/** Confirms the question of a one-time link. */
const agree = (where: Page) => where.getByRole("button", { name: /^Sign in as / }).click();
const fillAccount = async (where: Page, name: string) => {
  await where.getByLabel("Your name").fill(name);
  await where.locator("input[type=password]").fill(PASSWORD);
};

describe("signing in with a browser", needs("chromium"), () => {
  beforeAll(async () => {
    scene = await openSignInSite(() => ({ sub: "ann", email: admin, email_verified: verified, name: "Ann" }));
    ({ server, url: site, evil: evilSite } = scene);
  });
  afterAll(() => scene?.close());

  test("of two browsers that open the set-up link at once, one makes the workspace and its admin", async () => {
    const token = await createSetupToken(server.db);
    const pages = [await openPage(), await openPage()];
    for (const [at, one] of pages.entries()) {
      await one.goto(`${site}/setup#${token}`);
      await one.getByLabel("Workspace name").waitFor();
      // The token survives a reload.
      await one.reload();
      await one.getByLabel("Workspace name").fill("Acme");
      await one.getByLabel("Your e-mail").fill(`ann${at}@acme.test`);
      await fillAccount(one, "Ann");
      expect(one.url()).not.toContain(token);
    }
    await expect.poll(() => findFaults(pages[0] as Page)).toEqual([]);
    await Promise.all(pages.map((one) => one.getByRole("button", { name: "Create the workspace" }).click()));
    const results = await Promise.all(
      pages.map((one) =>
        Promise.race([
          heading(one, "Meetings")
            .waitFor()
            .then(() => "signed in"),
          one
            .getByRole("alert")
            .waitFor()
            .then(() => "refused"),
        ]),
      ),
    );
    expect(results.toSorted()).toEqual(["refused", "signed in"]);
    await (pages[results.indexOf("refused")] as Page).getByText("Restart the server").waitFor();
    admin = `ann${results.indexOf("signed in")}@acme.test`;
    const winner = pages[results.indexOf("signed in")] as Page;
    ann = winner.context();
    page = winner;
    await (pages[results.indexOf("refused")] as Page).context().close();
  });

  test("a passkey is added, signs in alone, and signs in no more once it is removed", async () => {
    const device = await ann.newCDPSession(page);
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
    await page.goto(`${site}/account`);
    await page.getByLabel("Passkey name").fill("Laptop");
    await page.keyboard.press("Enter");
    await page.getByRole("cell", { name: "Laptop" }).waitFor();
    const signInWithPasskey = async () => {
      await page.getByRole("button", { name: /^Your menu/ }).click();
      await page.getByRole("menuitem", { name: "Sign out", exact: true }).click();
      await page.getByRole("button", { name: "Sign in with a passkey" }).click();
    };
    await signInWithPasskey();
    await heading(page, "Meetings").waitFor();
    await page.goto(`${site}/account`);
    await page.getByRole("button", { name: "Remove", exact: true }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Remove" }).click();
    await page.getByRole("cell", { name: "Laptop" }).waitFor({ state: "detached" });
    await signInWithPasskey();
    await page.getByRole("alert").filter({ hasText: "This passkey can't sign in here." }).waitFor();
    await device.detach();
  });

  test("a link by e-mail signs in once, and leads to no other site afterwards", async () => {
    await page.goto(`${site}/sign-in`);
    await page.getByLabel("E-mail for a sign-in link").fill(admin);
    await page.getByRole("button", { name: "Send me a link" }).click();
    await page.getByRole("status").filter({ hasText: "we sent a sign-in link" }).waitFor();
    const link = await readLink(admin);
    expect(link).toMatch(new RegExp(`^${site}/sign-in#mlk_`));
    await page.goto(
      link.replace("/sign-in#", `/sign-in?to=${encodeURIComponent(`/.//${new URL(evilSite).host}`)}#`),
    );
    await agree(page);
    await page.waitForURL((url) => url.pathname !== "/sign-in");
    expect(new URL(page.url()).origin).toBe(site);
    const other = await openPage();
    await other.goto(link);
    await other.getByRole("alert").filter({ hasText: "expired or was already used" }).waitFor();
    await other.context().close();
  });

  test("opening a link uses up nothing and replaces no session: it asks, and names both people", async () => {
    const dora = await server.given.person({ name: "Dora" });
    const link = `${site}/sign-in#${await createSignInToken(server.db, dora.userId)}`;
    const who = async () => (await ann.request.get(`${site}/settings/v1/account.get`)).text();
    // A mail scanner opens the link and runs the page.
    const scanner = await openPage();
    await scanner.goto(link);
    await scanner.getByText(`Sign in as ${dora.email}?`).waitFor();
    expect(scanner.url()).not.toContain("mlk_");
    await expect.poll(() => findFaults(scanner)).toEqual([]);
    await scanner.context().close();
    // A stranger's link, opened where somebody is signed in.
    const opened = await ann.newPage();
    await opened.goto(link);
    await opened.getByText(`You are signed in as ${admin} in this browser`).waitFor();
    await expect.poll(who).toContain(admin);
    await opened.getByRole("button", { name: "Stay signed in" }).click();
    await heading(opened, "Meetings").waitFor();
    await expect.poll(who).toContain(admin);
    await opened.goto(`${site}/sign-in`);
    await opened.waitForURL(`${site}/meetings`);
    // A tab that was sent to the sign-in page before another tab signed in.
    await opened.goto(`${site}/sign-in?to=%2Ftasks`);
    await opened.getByRole("button", { name: "Continue" }).click();
    await heading(opened, "Tasks").waitFor();
    await opened.close();
    const owner = await openPage();
    await owner.goto(link);
    await agree(owner);
    await heading(owner, "Meetings").waitFor();
    await owner.context().close();
  });

  test("after the sign-in the page goes to this site alone, whatever the address says", async () => {
    const visitor = await openPage();
    for (const to of [
      evilSite,
      `//${new URL(evilSite).host}/x`,
      `/\\${new URL(evilSite).host}`,
      "javascript:alert(1)",
    ]) {
      await visitor.goto(`${site}/sign-in?to=${encodeURIComponent(to)}`);
      await visitor.getByRole("textbox", { name: "E-mail", exact: true }).fill(admin);
      await visitor.locator("input[type=password]").fill(PASSWORD);
      await visitor.getByRole("button", { name: "Sign in", exact: true }).click();
      await heading(visitor, "Meetings").waitFor();
      expect(new URL(visitor.url()).origin).toBe(site);
    }
    await visitor.context().close();
  });

  test("after 15 minutes a new key needs another sign-in, in place; without one the form stays, also through the sign-in page", async () => {
    const visitor = await openPage();
    const signIn = async () => {
      await visitor.getByRole("textbox", { name: "E-mail", exact: true }).fill(admin);
      await visitor.locator("input[type=password]").fill(PASSWORD);
      await visitor.getByRole("button", { name: "Sign in", exact: true }).click();
      await heading(visitor, "Developers").waitFor();
      await visitor.getByRole("button", { name: "Create a key" }).click();
    };
    const dialog = visitor.getByRole("dialog", { name: "Create an API key" });
    const question = visitor.getByRole("dialog", { name: "Confirm that it's you" });
    await visitor.goto(`${site}/sign-in?to=/developers`);
    await signIn();
    await dialog.getByLabel("Name").fill("Weekly report");
    await server.db.execute("update sessions set created_at = now() - interval '16 minutes'");
    await dialog.getByRole("button", { name: "Create" }).click();
    await question.getByRole("button", { name: "Confirm" }).waitFor();
    await visitor.goto(`${site}/sign-in?to=/developers`);
    await signIn();
    await expect.poll(() => dialog.getByLabel("Name").inputValue()).toBe("Weekly report");
    await server.db.execute("update sessions set created_at = now() - interval '16 minutes'");
    await dialog.getByRole("button", { name: "Create" }).click();
    await question.locator("input[type=password]").fill(PASSWORD);
    await question.getByRole("button", { name: "Confirm" }).click();
    await visitor
      .getByText(/jk_\w{20}/)
      .first()
      .waitFor();
    await visitor.context().close();
  });

  test("a company's account signs in by its button, once its address is verified, and comes back to the page", async () => {
    const visitor = await openPage();
    const button = visitor.getByRole("link", { name: "Sign in with your company's account" });
    await visitor.goto(`${site}/sign-in?to=%2Ftasks`);
    await button.click();
    await visitor.getByRole("alert").filter({ hasText: "no verified e-mail address" }).waitFor();
    verified = true;
    await visitor.goto(`${site}/sign-in?to=%2Ftasks`);
    await button.click();
    await heading(visitor, "Tasks").waitFor();
    await visitor.getByRole("link", { name: "Settings" }).click();
    await visitor.getByText(scene.provider.issuer).waitFor();
    await visitor.context().close();
  });

  test("a page on another port of this host changes nothing, by form or by fetch, and shows no page in a frame", async () => {
    const attack = await ann.newPage();
    await attack.goto(evilSite);
    const name = async () => (await ann.request.get(`${site}/settings/v1/account.get`)).text();
    const before = await name();
    expect(before).toContain("Ann");
    const url = `${site}/settings/v1/account.update`;
    const body = JSON.stringify({ json: { name: "Attacked" } });
    const send = (type: string, mode: string) =>
      attack.evaluate(`fetch(${JSON.stringify(url)}, {
        method: "POST",
        body: ${JSON.stringify(body)},
        headers: { "content-type": "${type}" },
        credentials: "include",
        mode: "${mode}",
      }).catch(() => null).then(() => {})`);
    await send("application/json", "cors");
    await send("text/plain", "no-cors");
    await attack.setContent(
      `<form method="post" enctype="text/plain" action="${url}"><input name='${body.slice(0, -1)},"x":"' value='"}'></form>`,
    );
    const answered = attack.waitForResponse(url);
    await attack.evaluate("document.forms[0].submit()");
    expect((await answered).status()).toBe(403);
    // The refusal is shown as a page, whose navigation must end before the next one.
    await attack.waitForURL(url);
    await expect.poll(name).toEqual(before);
    await attack.goto(evilSite);
    await attack.setContent(`<iframe src="${site}/account"></iframe>`);
    await attack.waitForTimeout(500);
    expect(
      await attack
        .frames()[1]
        ?.locator("#root")
        .count()
        .catch(() => 0),
    ).toBe(0);
    await attack.close();
  });

  test("the sign-in page has no accessibility fault, dark and light, wide and narrow; no page made an error", async () => {
    const visitor = await openPage();
    await visitor.goto(`${site}/sign-in?problem=unverified`);
    await visitor.locator("input[type=password]").waitFor();
    await expect.poll(() => findFaults(visitor)).toEqual([]);
    await visitor.context().close();
    expect(scene.faults).toEqual([]);
  });
});
