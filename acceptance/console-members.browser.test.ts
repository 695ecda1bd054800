import { createSignInToken } from "@minutes/core";
import type { TestServer } from "@minutes/server/testing";
import { type Company, needs, PASSWORD, readPayload } from "@minutes/testing";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { findFaults } from "./support/accessibility.js";
import { openSignInSite, type SignInSite } from "./support/sign-in-site.js";

let scene: SignInSite;
let server: TestServer;
let site: string;
let company: Company;
/** Address of the admin. */
let admin: string;
/** The admin's page. */
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

describe("an admin's members, with a browser", needs("chromium"), () => {
  beforeAll(async () => {
    scene = await openSignInSite(() => ({ sub: "none", email: "", email_verified: false, name: "" }));
    ({ server, url: site } = scene);
    company = await server.given.company({ name: "Acme" });
    admin = company.admin.email;
    page = await openPage();
    await page.goto(`${site}/sign-in#${await createSignInToken(server.db, company.admin.userId)}`);
    await agree(page);
    await heading(page, "Meetings").waitFor();
  });
  afterAll(() => scene?.close());

  test("an admin invites by e-mail, the invited person accepts, and the link works once", async () => {
    await page.goto(`${site}/members`);
    await page.getByRole("textbox", { name: "E-mail", exact: true }).fill("ben@acme.test");
    await page.getByRole("button", { name: "Invite", exact: true }).click();
    await page.getByText("Invitation sent").waitFor();
    const link = await readLink("ben@acme.test");
    const ben = await openPage();
    await ben.goto(link);
    await ben.getByText("You are invited to").waitFor();
    expect(ben.url()).not.toContain("miv_");
    await expect.poll(() => findFaults(ben)).toEqual([]);
    await fillAccount(ben, "Ben");
    await ben.getByRole("button", { name: "Join Acme" }).click();
    await heading(ben, "Meetings").waitFor();
    const late = await openPage();
    await late.goto(link);
    await late.getByRole("alert").filter({ hasText: "expired or was already used" }).waitFor();
    await late.getByText("Ask the person who invited you for another link.").waitFor();
    await late.goto(`${site}/setup#mse_used`);
    await late.getByText("Minutes is set up already.").waitFor();
    await Promise.all([ben.context().close(), late.context().close()]);
    await page.reload();
    await page.getByRole("cell", { name: "ben@acme.test" }).waitFor();
  });

  test("an admin invites a list of people, sees what became of each, and corrects what was refused", async () => {
    await page.goto(`${site}/members`);
    await page.getByRole("button", { name: "Invite several" }).click();
    const dialog = page.getByRole("dialog", { name: "Invite several people" });
    const field = dialog.getByLabel("E-mail addresses");
    await field.fill("Kim <kim@acme.test>, lea@acme.test\nben@acme.test; lea@acme.test\nno-address");
    await dialog.getByRole("button", { name: "Invite 4 people" }).click();
    await dialog.getByText("2 of 4 invited.").waitFor();
    for (const [email, result] of [
      ["kim@acme.test", "Sent"],
      ["lea@acme.test", "Sent"],
      ["ben@acme.test", "Not invited: This person is already a member of the workspace."],
      ["no-address", "Not invited: "],
    ] as const)
      await dialog.getByRole("row").filter({ hasText: email }).filter({ hasText: result }).waitFor();
    expect(await field.inputValue()).toBe("ben@acme.test\nno-address");
    await expect.poll(() => findFaults(page)).toEqual([]);
    await field.fill("mia@acme.test");
    await dialog.getByRole("button", { name: "Invite 1 person" }).click();
    await readLink("mia@acme.test");
    await dialog.getByText("1 of 1 invited.").waitFor();
    await page.keyboard.press("Escape");
    for (const name of ["kim", "lea", "mia"]) {
      const row = page.getByRole("row", { name: new RegExp(`^${name}@acme`) });
      await row.getByRole("button", { name: "Revoke", exact: true }).click();
      await page.getByRole("dialog").getByRole("button", { name: "Revoke" }).click();
      await row.waitFor({ state: "detached" });
    }
    await page.getByRole("row", { name: /ben@acme\.test.* ago|ben@acme\.test.*just now/ }).waitFor();
  });

  test("an admin's menu leads to the field that invites a person, from another page and from the same", async () => {
    const email = page.getByRole("textbox", { name: "E-mail", exact: true });
    await page.goto(`${site}/meetings`);
    for (const person of ["eve", "dan"]) {
      await page.getByRole("button", { name: /^Your menu/ }).click();
      await page.getByRole("menuitem", { name: "Invite people" }).click();
      await heading(page, "Members").waitFor();
      await expect.poll(() => email.evaluate((field) => field.matches(":focus"))).toBe(true);
      await page.keyboard.type(`${person}@acme.test`);
      await page.keyboard.press("Enter");
      await readLink(`${person}@acme.test`);
      await page.getByRole("cell", { name: `${person}@acme.test` }).waitFor();
      await page.getByRole("button", { name: "Revoke", exact: true }).click();
      await page.getByRole("dialog").getByRole("button", { name: "Revoke" }).click();
      await page.getByText("No open invitations.").waitFor();
    }
  });

  test("an admin passes a link on; a person with an account signs in first and moves; a revoked link is refused", async () => {
    const carla = await server.given.person({ name: "Carla" });
    const invite = async () => {
      await page.goto(`${site}/members`);
      await page.getByRole("button", { name: "Invite", exact: true }).click();
      return (await page.getByLabel("invitation", { exact: true }).textContent()) ?? "";
    };
    const link = await invite();
    const visitor = await openPage();
    await visitor.goto(link);
    await visitor.getByRole("link", { name: "Sign in first" }).click();
    await heading(visitor, "Sign in to Minutes").waitFor();
    await visitor.getByLabel("E-mail for a sign-in link").fill(carla.email);
    await visitor.getByRole("button", { name: "Send me a link" }).click();
    const signIn = new URL(await readLink(carla.email));
    await visitor.goto(`${site}/sign-in?to=%2Finvitation${signIn.hash}`);
    await agree(visitor);
    await visitor.getByText("Your meetings move into this workspace").waitFor();
    await visitor.getByRole("button", { name: "Join Acme" }).click();
    await heading(visitor, "Meetings").waitFor();
    const revoked = await invite();
    await page.getByRole("button", { name: "Revoke" }).first().click();
    await page.getByRole("dialog").getByRole("button", { name: "Revoke" }).click();
    await page.getByText("No open invitations.").waitFor();
    await visitor.goto(revoked);
    await visitor.getByRole("alert").filter({ hasText: "expired or was already used" }).waitFor();
    await visitor.context().close();
  });

  test("an address invited twice has one invitation, a member's has none, and a member who opens a link learns so", async () => {
    const invite = async (email: string) => {
      await page.goto(`${site}/members`);
      await page.getByRole("textbox", { name: "E-mail", exact: true }).fill(email);
      await page.getByRole("button", { name: "Invite", exact: true }).click();
    };
    await invite("fay@acme.test");
    await page.getByText("Invitation sent").waitFor();
    await invite("fay@acme.test");
    await page.getByText("That invitation is replaced").waitFor();
    await expect.poll(() => page.getByRole("cell", { name: "fay@acme.test" }).count()).toBe(1);
    await invite("ben@acme.test");
    await page.getByText("This person is already a member of the workspace.").waitFor();
    await invite("");
    const link = (await page.getByLabel("invitation", { exact: true }).textContent()) ?? "";
    await page.goto(link);
    await page.getByText("You are already a member of Acme.").waitFor();
    await expect.poll(() => findFaults(page)).toEqual([]);
    await page.getByRole("link", { name: "Go to your meetings" }).click();
    await heading(page, "Meetings").waitFor();
  });

  test("an invitation for another address offers to sign out instead of joining, and goes on from there", async () => {
    const hana = await server.given.person({ name: "Hana" });
    const visitor = await openPage();
    await visitor.goto(`${site}/sign-in#${await createSignInToken(server.db, hana.userId)}`);
    await agree(visitor);
    await heading(visitor, "Meetings").waitFor();
    await page.goto(`${site}/members`);
    await page.getByRole("textbox", { name: "E-mail", exact: true }).fill("ian@acme.test");
    await page.getByRole("button", { name: "Invite", exact: true }).click();
    const link = await readLink("ian@acme.test");
    for (const width of [1280, 360]) {
      await visitor.setViewportSize({ width, height: 800 });
      await visitor.goto(link);
      await visitor.getByText("The invitation is for i•••@acme.test").waitFor();
      await expect.poll(() => visitor.getByRole("button").allInnerTexts()).toEqual(["Sign out and continue"]);
      expect(await visitor.content()).not.toContain("ian@acme.test");
      await expect.poll(() => findFaults(visitor)).toEqual([]);
      await visitor.goto(`${site}/meetings`);
    }
    await visitor.goto(link);
    await visitor.getByRole("button", { name: "Sign out and continue" }).click();
    await fillAccount(visitor, "Ian");
    await visitor.getByRole("button", { name: "Join Acme" }).click();
    await heading(visitor, "Meetings").waitFor();
    await visitor.context().close();
    await page.reload();
    await page.getByRole("cell", { name: "ian@acme.test" }).waitFor();
  });

  test("a person without an account confirms their address before they join with a link that others have seen", async () => {
    await page.goto(`${site}/members`);
    await page.getByRole("button", { name: "Invite", exact: true }).click();
    const link = (await page.getByLabel("invitation", { exact: true }).textContent()) ?? "";
    const dora = await openPage();
    await dora.goto(link);
    await dora.getByLabel("Your e-mail").fill("dora@acme.test");
    await expect.poll(() => findFaults(dora)).toEqual([]);
    await dora.getByRole("button", { name: "Send me the link" }).click();
    await dora.getByText("We sent a link to dora@acme.test").waitFor();
    await dora.goto(await readLink("dora@acme.test"));
    await fillAccount(dora, "Dora");
    await dora.getByRole("button", { name: "Join Acme" }).click();
    await heading(dora, "Meetings").waitFor();
    await dora.context().close();
  });

  test("an admin signs a member out at once; demoting and removing them show what they created, and revoke it", async () => {
    await page.goto(`${site}/members`);
    const role = page.getByLabel("Role of Ben");
    await role.selectOption("admin");
    await page.getByRole("dialog").getByRole("button", { name: "Cancel" }).click();
    await expect.poll(() => role.inputValue()).toBe("member");
    await role.selectOption("admin");
    await page.getByRole("dialog").getByRole("button", { name: "Make admin" }).click();
    await page.getByText("Role changed.").waitFor();
    const ben = await openPage();
    const signBenIn = async () => {
      await ben.goto(`${site}/sign-in`);
      await ben.getByRole("textbox", { name: "E-mail", exact: true }).fill("ben@acme.test");
      await ben.locator("input[type=password]").fill(PASSWORD);
      await ben.keyboard.press("Enter");
      await heading(ben, "Meetings").waitFor();
    };
    await signBenIn();
    const row = page.getByRole("row", { name: /ben@acme\.test/ });
    await row.getByRole("button", { name: "Sign out" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Sign out" }).click();
    await page.getByText("Signed out everywhere.").waitFor();
    await ben.getByRole("link", { name: "Tasks" }).click();
    await heading(ben, "Sign in to Minutes").waitFor();
    await signBenIn();
    const createKey = async (name: string) => {
      const created = await ben.evaluate(`fetch("/settings/v1/keys.create", {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ json: { kind: "ingest", name: "${name}" } }),
      }).then((response) => response.json())`);
      return (created as { result: { data: { json: { key: string } } } }).result.data.json.key;
    };
    const answer = async (key: string) =>
      (await server.call(key, "ingest/vocabulary.get", { ownerEmail: admin })).status;
    const first = await createKey("First of Ben");
    await role.selectOption("member");
    await page.getByText("Recorder “First of Ben”").waitFor();
    await page.getByRole("dialog").getByRole("button", { name: "Make member" }).click();
    await page.getByText("Recorder “First of Ben”").waitFor({ state: "detached" });
    expect(await answer(first)).toBe(401);
    await role.selectOption("admin");
    await page.getByRole("dialog").getByRole("button", { name: "Make admin" }).click();
    await page.getByRole("dialog").waitFor({ state: "detached" });
    const key = await createKey("Recorder of Ben");
    await page.getByRole("button", { name: "Remove Ben" }).click();
    await page.getByText("Recorder “Recorder of Ben”").waitFor();
    await page.getByRole("dialog").getByRole("button", { name: "Remove" }).click();
    await page.getByRole("cell", { name: "ben@acme.test" }).waitFor({ state: "detached" });
    expect(await answer(key)).toBe(401);
    // Ben is signed out by the next click.
    await ben.getByRole("link", { name: "Tasks" }).click();
    await heading(ben, "Sign in to Minutes").waitFor();
    await ben.context().close();
  });

  test("an admin sees how many meetings leave with a member before removing them", async () => {
    const gil = await server.given.member(company, { name: "Gil" });
    for (const title of ["Plan", "Budget"]) await server.given.meeting(gil, { title });
    await page.goto(`${site}/members`);
    await page.getByRole("button", { name: "Remove Gil" }).click();
    await page.getByText("Their 2 meetings leave the workspace with them.").waitFor();
    await page.getByText(`minutes export --user ${gil.email}`).waitFor();
    await expect.poll(() => findFaults(page)).toEqual([]);
    await page.getByRole("dialog").getByRole("button", { name: "Remove" }).click();
    await page.getByRole("cell", { name: gil.email }).waitFor({ state: "detached" });
    expect(readPayload(await server.call(company.key, "workspace/meetings.list"))).toHaveProperty(
      "meetings",
      [],
    );
  });

  test("a member leaves after reading what becomes of their meetings; the only admin is told why they can't", async () => {
    const jon = await server.given.member(company, { name: "Jon" });
    const shared = { title: "Handover" };
    const { meetingId } = await server.given.meetingSharedDirectly(jon, company.admin, shared);
    const visitor = await openPage();
    await visitor.setViewportSize({ width: 390, height: 844 });
    await visitor.goto(`${site}/sign-in?to=%2Faccount#${await createSignInToken(server.db, jon.userId)}`);
    await agree(visitor);
    await visitor.getByRole("button", { name: "Leave the workspace" }).click();
    const dialog = visitor.getByRole("dialog", { name: "Leave Acme?" });
    await dialog.getByText("Your meeting moves with you into a workspace of your own.").waitFor();
    await expect.poll(() => findFaults(visitor)).toEqual([]);
    await dialog.getByRole("button", { name: "Leave" }).click();
    await visitor.getByRole("link", { name: /Handover/ }).waitFor();
    await visitor.goto(`${site}/account`);
    await visitor.getByText("admin of Jon's workspace").waitFor();
    await heading(visitor, "Sessions").waitFor();
    await expect.poll(() => visitor.getByRole("button", { name: "Leave the workspace" }).count()).toBe(0);
    await visitor.context().close();
    await page.goto(`${site}/account`);
    await page.getByText("You are the only admin, so you can't leave.").waitFor();
    await expect.poll(() => findFaults(page)).toEqual([]);
    await page.goto(`${site}/meetings/${meetingId}`);
    await heading(page, "You can't open this meeting").waitFor();
  });

  test("no page made an error", () => {
    expect(scene.faults).toEqual([]);
  });
});
