import { mkdir } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import type { Page } from "playwright-core";
import { openChromium } from "./open-chromium.js";
import { startSampleServer } from "./sample-server.js";

/** `pnpm pictures`: takes the pictures of the console in docs/pictures, on the sample. */
const FOLDER = fileURLToPath(new URL("../../docs/pictures/", import.meta.url));

const PAGES = [
  { name: "meetings", path: "/meetings", ready: "Meetings" },
  { name: "tasks", path: "/tasks", ready: "Tasks" },
  { name: "keys", path: "/keys", ready: "API keys" },
  { name: "upload", path: "/upload", ready: "Upload" },
  { name: "plan", path: "/plan", ready: "Plan and usage" },
  { name: "audit-log", path: "/audit", ready: "Audit log" },
] as const;

/** Puts files on the upload page: two that are fine, and one that is not. */
async function uploadSamples(page: Page): Promise<void> {
  const toVtt = (text: string) => `WEBVTT\n\n00:00:01.000 --> 00:00:09.000\n<v Zoë Tamblyn>${text}</v>\n`;
  const files = [
    {
      name: "Site visit 2026-11-20.vtt",
      text: toVtt("The freezer at Oakhollow is quiet now, all night, for a week."),
    },
    {
      name: "Budget call 2026-11-19.vtt",
      text: toVtt("We spend less on night alarms than in any month this year."),
    },
    { name: "notes.json", text: '{ "title": "Unfinished' },
  ];
  await page
    .getByLabel("Files to upload")
    .setInputFiles(
      files.map(({ name, text }) => ({ name, mimeType: "text/plain", buffer: Buffer.from(text) })),
    );
  await page.getByText("3 of 3 files read").waitFor();
}

/** Sends meetings in as a recorder does, so that credits are used. */
async function sendMeetings(page: Page): Promise<void> {
  await page.goto(`${server.url}/recorders`);
  await page.getByLabel("Name of the recorder").fill("Meeting room");
  await page.keyboard.press("Enter");
  const key = (await page.getByLabel("credential", { exact: true }).textContent()) ?? "";
  for (let at = 1; at <= 7; at++) {
    const startTime = new Date(Date.now() - (at + 20) * 86_400_000).toISOString();
    const meeting = {
      externalId: `room-${at}`,
      ownerEmail: "zoe@pennyfrost.example",
      title: "Stand-up",
      summary: { markdown: "All is well." },
      startTime,
    };
    const response = await fetch(`${server.url}/ingest/v1/meetings.import`, {
      method: "POST",
      headers: { "content-type": "application/json", "x-api-key": key },
      body: JSON.stringify({ json: meeting }),
    });
    if (!response.ok)
      throw new Error(`A meeting was answered with ${response.status}: ${await response.text()}`);
  }
}

await mkdir(FOLDER, { recursive: true });
const server = await startSampleServer();
const browser = await openChromium();
try {
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 }, reducedMotion: "reduce" });
  const take = async (name: string) => {
    await page.waitForLoadState("networkidle");
    await page.getByLabel("Loading").first().waitFor({ state: "detached" });
    await page.screenshot({ path: `${FOLDER}${name}.png` });
  };
  // Something to draw charts of.
  const read = (key: string, path: string) =>
    fetch(`${server.url}/v1/${path}`, { headers: { "x-api-key": key } });
  for (let at = 0; at < 30; at++) await read(server.sample.personalKey, "me/meetings.list");
  for (let at = 0; at < 12; at++) await read(server.sample.workspaceKey, "workspace/meetings.list");
  await page.goto(server.link);
  await page.getByRole("heading", { name: "Meetings" }).waitFor();
  await sendMeetings(page);
  for (const { name, path, ready } of PAGES) {
    await page.goto(`${server.url}${path}`);
    await page.getByRole("heading", { name: ready }).first().waitFor();
    if (name === "upload") await uploadSamples(page);
    await take(name);
  }
  await page.goto(`${server.url}/meetings`);
  await page.getByRole("region", { name: "Meetings" }).getByRole("link").first().click();
  await page.getByRole("tab", { name: "Summary" }).waitFor();
  await take("meeting");
  await page.setViewportSize({ width: 390, height: 844 });
  await page.emulateMedia({ colorScheme: "dark" });
  await page.getByRole("tab", { name: "Transcript" }).click();
  await take("transcript-dark");
} finally {
  await browser.close();
  await server.close();
}
