import { createFeedReader, syncCalendars } from "@minutes/core";
import { startTestServer, type TestServer } from "@minutes/server/testing";
import {
  completeMeeting,
  createWebhookScene,
  needs,
  type Person,
  type Receiver,
  type WebhookScene,
} from "@minutes/testing";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { findFaults } from "./support/accessibility.js";
import { CALENDARS } from "./support/calendars.js";
import {
  buildConsole,
  CONSOLE_DIRECTORY,
  type ConsoleVisit,
  SCREENS,
  visitConsole,
} from "./support/console.js";

const SECRET = "s3cr3t-address";
const HOUR = 3_600_000;

const stamp = (time: number) => `${new Date(time).toISOString().replace(/[-:]/g, "").slice(0, 15)}Z`;

/** Writes a calendar with an event that starts in two hours. */
const writeCalendar = (title: string, attendee: Person) =>
  [
    ...["BEGIN:VCALENDAR", "VERSION:2.0", "BEGIN:VEVENT", "UID:one", `SUMMARY:${title}`],
    ...[`DTSTART:${stamp(Date.now() + 2 * HOUR)}`, `DTEND:${stamp(Date.now() + 3 * HOUR)}`],
    `ATTENDEE;CN=${attendee.name};PARTSTAT=ACCEPTED:mailto:${attendee.email}`,
    ...["END:VEVENT", "END:VCALENDAR", ""],
  ].join("\r\n");

describe.each(SCREENS)("a calendar on %s", needs("chromium"), (_, size) => {
  let scene: WebhookScene;
  let server: TestServer;
  let visit: ConsoleVisit;
  let page: Page;
  let feed: Receiver;
  let member: Person;
  let status = 200;
  let text: string | null = null;
  let admin: Person;

  beforeAll(async () => {
    await buildConsole();
    scene = await createWebhookScene();
    server = await startTestServer({
      database: scene.database,
      webhooks: scene.settings,
      consoleDirectory: CONSOLE_DIRECTORY,
    });
    const company = await server.given.company();
    member = await server.given.member(company);
    admin = company.admin;
    feed = await scene.receiver((_one, _request, response) => {
      response.writeHead(status).end(text ?? writeCalendar("Gearbox review", member));
      return undefined;
    });
    visit = await visitConsole(server, company.admin);
    page = visit.page;
  });
  beforeEach(() => page.setViewportSize(size));
  afterAll(async () => {
    await visit?.close();
    await server?.close();
    await scene?.close();
  });

  /** Reads the calendars, as the server does every few seconds. */
  const sync = async () => {
    await scene.db.execute("update calendars set due_at = now() - interval '1 second'");
    const { targetPolicy } = scene.settings;
    // Time for slow machines.
    const limits = { deadline: 60_000, memory: 384 };
    const reader = createFeedReader({ targetPolicy, extraCa: scene.ca.ca, limits });
    const onFault = (error: unknown) => void scene.faults.push(String(error));
    const publicUrl = () => server.url;
    const options = { keyring: scene.settings.keyring, reader, mailer: null, publicUrl, onFault };
    await syncCalendars(scene.db, options, new AbortController().signal);
    await reader.close();
    expect(scene.faults).toEqual([]);
  };

  test("is subscribed to, says in words how it is, never shows its address, and is removed", async () => {
    await visit.open("/account#calendar", "Account");
    const section = page.getByRole("region", { name: "Calendar" });
    const field = section.getByLabel("Secret address", { exact: true });
    await field.fill("ftp://calendar.example.com/");
    await field.press("Enter");
    await section.getByText("Must be an https:// or webcal:// address").waitFor();
    await field.fill(`${feed.url}/${SECRET}.ics`);
    await field.press("Enter");
    await section.getByText("It is read within seconds.").waitFor();
    await section.getByText(`127.0.0.1:${feed.port}`, { exact: true }).waitFor();
    await sync();
    await section.getByText(/^Read just now: 1 event\. Next: /).waitFor();
    status = 404;
    await sync();
    await page.reload();
    await section.getByText("Its server refuses the address.").waitFor();
    await section.getByText(/1 event\. Next try: /).waitFor();
    await expect.poll(() => findFaults(page, [[size, "light"]])).toEqual([]);
    expect(await page.content()).not.toContain(SECRET);
    await section.getByRole("button", { name: "Remove" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Remove" }).click();
    await section.getByLabel("Secret address", { exact: true }).waitFor();
    await expect.poll(() => section.getByRole("button", { name: "Subscribe" }).count()).toBe(1);
  });

  test.each(Object.entries(CALENDARS))(
    "%s: what comes next is prepared, and a meeting gets its event until it is unlinked",
    async (name, write) => {
      const title = `Weekly of ${name}`;
      // A week ago, so that the next occurrence is in some hours, also when the clocks have changed.
      const first = Math.floor(Date.now() / 60_000) * 60_000 - 7 * 24 * HOUR + 3 * HOUR;
      text = write({ title, first, organizer: admin, guest: member });
      status = 200;
      const { meetingId } = await completeMeeting(scene.db, admin, {
        title: `Held with ${name}`,
        startTime: new Date(first).toISOString(),
        endTime: new Date(first + HOUR).toISOString(),
        tasks: [{ text: `Order parts for ${name}`, completed: false }],
      });
      await scene.db.execute("delete from calendars");
      await visit.open("/upcoming", "Upcoming");
      await page.getByRole("link", { name: "Subscribe to your calendar" }).click();
      const field = page.getByRole("region", { name: "Calendar" }).getByLabel(/ecret address$/);
      await field.fill(`${feed.url}/${name}.ics`);
      await field.press("Enter");
      await page.getByText("It is read within seconds.").waitFor();
      await sync();
      await visit.go("Upcoming");
      const event = page.getByRole("listitem").filter({ hasText: title });
      await event.getByText(/\d:\d\d.*–.*\d:\d\d/).waitFor();
      await event.getByText(new RegExp(member.name)).waitFor();
      await event.getByRole("button", { name: `Prepare ${title}` }).click();
      const prepared = page.getByRole("region", { name: `Prepare ${title}` });
      await prepared.getByText(/, same series$/).waitFor();
      await prepared.getByText(`Order parts for ${name}`).waitFor();
      await expect.poll(() => findFaults(page, [[size, "light"]])).toEqual([]);
      await prepared
        .getByRole("link", { name: `Held with ${name}` })
        .first()
        .click();
      await page.getByRole("heading", { name: `Held with ${name}`, level: 1 }).waitFor();
      const openFacts = async () => {
        // On a phone, the facts are folded away.
        const summary = page.locator("details.facts > summary");
        await page.getByText("Order parts for").first().waitFor();
        if ((await summary.count()) > 0) await summary.click();
      };
      await openFacts();
      const origin = page.getByText(`From your calendar: ${title}, `);
      await origin.waitFor();
      await page.getByRole("button", { name: "Unlink" }).click();
      await page.getByRole("dialog").getByRole("button", { name: "Unlink" }).click();
      await page.getByText("Event unlinked.").waitFor();
      await expect.poll(() => origin.count()).toBe(0);
      text = write({ title: `${title} again`, first, organizer: admin, guest: member });
      await sync();
      await page.reload();
      await openFacts();
      await page.getByRole("button", { name: "Add tag" }).waitFor();
      expect(await page.getByText("From your calendar").count()).toBe(0);
      const answer = await server.data(admin.key, "me/meetings.get", { meetingId });
      expect(answer.event.id).toBeNull();
    },
  );
});
