import { MESSAGES } from "@minutes/contract";
import { createSmtpMailer, type Mailer, queueWeeklyDigests, sendDigests } from "@minutes/core";
import { startTestServer, type TestServer } from "@minutes/server/testing";
import { completeMeeting, type Inbox, needs, openInbox, type Person } from "@minutes/testing";
import { sql } from "drizzle-orm";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { findFaults } from "./support/accessibility.js";
import {
  buildConsole,
  CONSOLE_DIRECTORY,
  type ConsoleVisit,
  SCREENS,
  startConsole,
  visitConsole,
} from "./support/console.js";

/** E-mails about meetings: chosen in the console, received by a mail server, ended by their reader. */
describe.each(SCREENS)("e-mails about meetings on %s", needs("chromium"), (_, size) => {
  let inbox: Inbox;
  let mailer: Mailer;
  let server: TestServer;
  let visit: ConsoleVisit;
  let page: Page;
  let anna: Person;

  beforeAll(async () => {
    await buildConsole();
    inbox = await openInbox();
    mailer = createSmtpMailer({ url: inbox.url, from: "Minutes <minutes@example.com>" });
    server = await startTestServer({ mailer, consoleDirectory: CONSOLE_DIRECTORY });
    anna = (await server.given.company()).admin;
    visit = await visitConsole(server, anna);
    page = visit.page;
  });
  beforeEach(async () => {
    await page.setViewportSize(size);
    await server.db.execute("delete from digest_subscriptions");
  });
  afterAll(async () => {
    await visit?.close();
    await server?.close();
    await inbox?.close();
  });

  const section = () => page.getByRole("region", { name: "E-mails" });
  const meetings = () => section().getByRole("checkbox", { name: "When a meeting of yours is completed" });
  const monday = () => section().getByRole("checkbox", { name: "On Monday morning" });
  /** Loads the account page, and waits until it shows these choices. */
  const expectChoices = async (...chosen: readonly boolean[]) => {
    await visit.open("/account", "Account");
    await expect.poll(async () => [await meetings().isChecked(), await monday().isChecked()]).toEqual(chosen);
  };
  /** Subscribes to both, long ago. */
  const subscribe = () =>
    server.db.execute(sql`insert into digest_subscriptions (user_id, kind, created_at)
      select ${anna.userId}, kind, '2024-12-01T00:00:00Z' from unnest(array['meeting', 'week']) kind`);
  /** Sends what is due, as the server does. @returns the last e-mail, and the path of its link */
  const receive = async () => {
    const publicUrl = () => "https://minutes.example.com";
    const onFault = (error: unknown) => expect(error).toBeNull();
    await sendDigests(server.db, { mailer, publicUrl, onFault }, new AbortController().signal);
    const { text, to } = inbox.mails.at(-1) ?? { text: "", to: [] };
    const [, path = ""] = /^List-Unsubscribe:\s+<https:\/\/minutes\.example\.com(\S+)>\r$/m.exec(text) ?? [];
    return { text, to, path };
  };

  test("are chosen with two checkboxes; an address that isn't confirmed gets none, and says why", async () => {
    const confirm = (confirmed: boolean) =>
      server.db.execute(
        sql`update users set email_confirmed = ${confirmed}::boolean where id = ${anna.userId}`,
      );
    await expectChoices(false, false);
    await confirm(false);
    await meetings().click();
    await page.getByText("Could not change your e-mails").waitFor();
    await page.getByText(MESSAGES.digestsNeedConfirmedAddress).waitFor();
    await expectChoices(false, false);
    await confirm(true);
    await meetings().focus();
    await page.keyboard.press("Space");
    await expect.poll(() => meetings().isChecked()).toBe(true);
    await expect.poll(() => monday().isEnabled()).toBe(true);
    await monday().click();
    await expectChoices(true, true);
    expect(await findFaults(page, [[size, "light"]])).toEqual([]);
    expect(await findFaults(page, [[size, "dark"]])).toEqual([]);
  });

  test("the link of the e-mail about a meeting asks a reader who isn't signed in, and ends only those", async () => {
    await subscribe();
    const { meetingId } = await completeMeeting(server.db, anna, {
      title: "Turbine talk",
      startTime: new Date().toISOString(),
      summary: { markdown: "Long words", short: "Turbines are late." },
    });
    const { text, to, path } = await receive();
    expect(to).toEqual([anna.email]);
    expect(text).toContain("Turbines are late.");
    expect(text).toContain(`https://minutes.example.com/meetings/${meetingId}`);
    expect(text).toContain(`To end these e-mails, open https://minutes.example.com${path}`);
    const outside = await page.context().browser()?.newContext();
    if (!outside) throw new Error("The browser is closed.");
    try {
      const reader = await outside.newPage();
      const faults: string[] = [];
      reader.on("console", (message) => message.type() === "error" && faults.push(message.text()));
      await reader.setViewportSize(size);
      await reader.goto(server.url + path);
      const heading = (name: string) => reader.getByRole("heading", { level: 1, name }).waitFor();
      await heading("End these e-mails?");
      expect(await findFaults(reader, [[size, "light"]])).toEqual([]);
      await expectChoices(true, true);
      await reader.getByRole("button", { name: "End them" }).click();
      await heading("E-mails ended");
      expect(await findFaults(reader, [[size, "dark"]])).toEqual([]);
      expect([await outside.cookies(), faults]).toEqual([[], []]);
    } finally {
      await outside.close();
    }
    await expectChoices(false, true);
  });

  test("one click in the mail program ends those of Monday, and the console can start them again", async () => {
    await subscribe();
    await server.given.meeting(anna, { title: "Held on Thursday", startTime: "2025-01-02T09:00:00Z" });
    await queueWeeklyDigests(server.db, sql`'2025-01-06T06:00:00Z'::timestamptz`);
    const { text, path } = await receive();
    expect(text).toContain("2025-01-02 Held on Thursday");
    expect(text).toMatch(/^List-Unsubscribe-Post: List-Unsubscribe=One-Click\r$/m);
    // RFC 8058: from anywhere, without cookies.
    const ended = await fetch(server.url + path, {
      method: "POST",
      body: "List-Unsubscribe=One-Click",
      headers: { "content-type": "application/x-www-form-urlencoded", "sec-fetch-site": "cross-site" },
    });
    expect(ended.status).toBe(200);
    await expectChoices(true, false);
    await monday().click();
    await expect.poll(() => monday().isChecked()).toBe(true);
    await expectChoices(true, true);
  });
});

test(
  "without a mail server, the account offers no e-mails about meetings, and the API refuses them",
  needs("chromium"),
  async () => {
    const { server, company, visit, page, close } = await startConsole();
    try {
      const answered = page.waitForResponse(/digests\.get/);
      await visit.open("/account", "Account");
      expect(await (await answered).text()).toContain('"available":false');
      // Drawn again, from the answer.
      await visit.go("Tags");
      await visit.go("Account");
      expect(await page.getByRole("region", { name: "E-mails" }).count()).toBe(0);
      const session = await server.given.session(company.admin);
      const refused = await server.call(session, "settings/digests.update", { week: true });
      expect(refused).toMatchObject({ status: 412, body: { error: MESSAGES.digestsNeedMail } });
    } finally {
      await close();
    }
  },
);
