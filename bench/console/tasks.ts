import { execFile } from "node:child_process";
import { parseArgs, promisify } from "node:util";
import { createTestCa, startWebhookReceiver } from "@minutes/testing";
import type { Page } from "playwright-core";
import { measureTasks, type Task } from "./hand.js";
import { startSampleServer } from "./sample-server.js";

/**
 * `pnpm bench:console:tasks`: what the main tasks take in the console with the sample: clicks, and seconds of the script
 * from the first click to the visible outcome. A key and a typed text count as a click.
 */
const { values: options } = parseArgs({
  options: {
    rounds: { type: "string", default: "3" },
    json: { type: "boolean", default: false },
    help: { type: "boolean", default: false },
  },
});
const rounds = Number(options.rounds);
const isValid = Number.isInteger(rounds) && rounds > 0;
if (options.help || !isValid) {
  console.log("pnpm bench:console:tasks [--rounds 3] [--json]");
  process.exit(options.help ? 0 : 2);
}

const CAPTIONS = "WEBVTT\n\n00:00:01.000 --> 00:00:04.000\n<v Ada>The kiln is hot.</v>\n";
const WORDS = "Fourteen times a night";

const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });
const link = (page: Page, name: string) => page.getByRole("link", { name, exact: true });
const firstMeeting = (page: Page) => page.getByRole("region", { name: "Meetings" }).getByRole("link").first();

/** Runs the curl line that the console shows. @throws Error if it does not list meetings */
async function runLine(page: Page, label: string): Promise<void> {
  const line = (await page.getByLabel(label, { exact: true }).textContent()) ?? "";
  const { stdout } = await promisify(execFile)("bash", ["-c", line]);
  if (!stdout.includes('"meetings":[{')) throw new Error(`curl said: ${stdout}`);
}

const TASKS: Readonly<Record<string, Task>> = {
  "read a meeting's summary and transcript": async ({ hand, page }) => {
    await hand.click(firstMeeting(page));
    await page.locator(".summary").waitFor();
    await page.locator(".turn").first().waitFor();
  },
  "find a sentence and jump to it": async ({ hand, page }) => {
    await hand.type(page.getByRole("searchbox", { name: "Search meetings" }), WORDS);
    await hand.click(page.getByRole("region", { name: "In meetings" }).getByRole("link").first());
    await page.locator('.turn[data-current="true"]').waitFor();
  },
  "tick a task, and undo": async ({ hand, page }) => {
    await hand.click(link(page, "Tasks"));
    const task = page.getByRole("checkbox", { name: /^Completed: / }).first();
    const label = (await task.getAttribute("aria-label")) ?? "";
    await hand.click(task);
    await hand.click(button(page, "Undo"));
    await page.getByRole("checkbox", { name: label, checked: false }).waitFor();
  },
  "share a meeting, and see who reads it": async ({ hand, page }) => {
    await hand.click(firstMeeting(page));
    await hand.click(button(page, "Share"));
    await hand.click(page.getByRole("combobox", { name: "Share with" }));
    await hand.click(page.getByRole("option").first());
    await hand.click(page.getByRole("dialog").getByRole("button", { name: "Share", exact: true }));
    await page.getByRole("region", { name: "Who can read" }).getByText("shared directly").waitFor();
  },
  "create a key with a name, and run its curl line": async ({ hand, page }) => {
    await hand.click(link(page, "Settings"));
    await hand.click(link(page, "Developers"));
    await hand.click(button(page, "Create a key"));
    await hand.type(page.getByRole("dialog").getByLabel("Name"), "weekly report");
    await hand.press("Enter");
    await runLine(page, "curl line");
  },
  "get a read-only key in a curl line, and run it": async ({ hand, page }) => {
    await hand.click(link(page, "Settings"));
    await hand.click(link(page, "Developers"));
    await hand.click(button(page, "Create read-only key"));
    await page.getByText("Read-only key created.").waitFor();
    await runLine(page, "curl snippet");
  },
  "create a webhook, send a test, and see its outcome": async ({ hand, page, receiver }) => {
    await hand.click(link(page, "Settings"));
    await hand.click(link(page, "Developers"));
    await hand.click(button(page, "Create a webhook"));
    await hand.type(page.getByRole("dialog").getByLabel("URL"), receiver);
    await hand.press("Enter");
    await hand.click(button(page, "Test"));
    await page.getByText(/^Delivered \(status 200\)/).waitFor();
  },
  "upload a transcript, and read it": async ({ hand, page }) => {
    await hand.click(link(page, "Add meetings"));
    const file = { name: "Kiln 2026-03-01.vtt", mimeType: "text/vtt", buffer: Buffer.from(CAPTIONS) };
    await hand.chooseFile(button(page, "Choose files"), file);
    await hand.click(link(page, "Open the meeting"));
    await page.locator(".turn", { hasText: "The kiln is hot." }).waitFor();
  },
  "delete a meeting, and undo": async ({ hand, page }) => {
    const meeting = firstMeeting(page);
    const href = await meeting.getAttribute("href");
    await hand.click(meeting);
    await hand.click(button(page, "Delete"));
    await hand.click(page.getByRole("dialog").getByRole("button", { name: "Delete" }));
    await hand.click(button(page, "Undo"));
    await page.locator(`a[href="${href}"]`).waitFor();
  },
  "invite a person, and see the link": async ({ hand, page }) => {
    await hand.click(page.getByRole("button", { name: /^Your menu/ }));
    await hand.click(page.getByRole("menuitem", { name: "Invite people" }));
    await page.getByRole("heading", { level: 1, name: "Members" }).waitFor();
    await hand.type(page.getByRole("textbox", { name: "E-mail", exact: true }), "ben@pennyfrost.example");
    await hand.press("Enter");
    await page.getByLabel("invitation", { exact: true }).waitFor();
  },
};

const ca = await createTestCa();
const receiver = await startWebhookReceiver(await ca.issue());
const settings = {
  RATE_LIMIT_PER_MINUTE: "100000",
  WEBHOOK_ALLOWED_NETWORKS: "127.0.0.0/8",
  WEBHOOK_CA_FILE: ca.caFile,
};
try {
  const rows = await measureTasks(TASKS, rounds, receiver.url, () => startSampleServer(settings));
  if (options.json) console.log(JSON.stringify(rows, null, 2));
  else console.table(rows);
} finally {
  await receiver.close();
  await ca.remove();
}
