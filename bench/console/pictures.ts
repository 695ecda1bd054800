import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import type { Page } from "playwright-core";
import { findMeeting, listPages, openChromium, startSampleServer } from "./sample-server.js";

/** Takes pictures of the console on the sample. */
const HELP = `pnpm pictures [folder]

Without a folder, takes the pictures of the documents, in docs/pictures.
With one, takes every page into it, 1440 and 390 pixels wide, light and dark.`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { help: { type: "boolean", short: "h" } },
});
if (values.help) {
  console.log(HELP);
  process.exit();
}
const [folder] = positionals;
const DOCUMENTS = fileURLToPath(new URL("../../docs/pictures/", import.meta.url));

const WIDE = { width: 1440, height: 900 };
const NARROW = { width: 390, height: 844 };

/** Puts three files on the upload page, one of them invalid, and shows what they contain. */
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
  await page.getByText("1 of 3 files processed, 2 to check").waitFor();
}

/** Sends meetings as a recorder does, to use credits. */
async function sendMeetings(page: Page): Promise<void> {
  await page.goto(`${server.url}/developers`);
  await page.getByLabel("Recorder name").fill("Meeting room");
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

await mkdir(folder ?? DOCUMENTS, { recursive: true });
// More pages than a person opens in a minute.
const server = await startSampleServer({ RATE_LIMIT_PER_MINUTE: "100000" });
const browser = await openChromium();
try {
  const page = await browser.newPage({ viewport: WIDE, reducedMotion: "reduce" });
  const take = async (name: string) => {
    await page.waitForLoadState("networkidle");
    await page.getByLabel("Loading").first().waitFor({ state: "detached" });
    await page.screenshot({ path: join(folder ?? DOCUMENTS, `${name}.png`) });
  };
  // Requests to draw charts of.
  const read = (key: string, path: string) =>
    fetch(`${server.url}/v1/${path}`, { headers: { "x-api-key": key } });
  for (let at = 0; at < 30; at++) await read(server.sample.personalKey, "me/meetings.list");
  for (let at = 0; at < 12; at++) await read(server.sample.workspaceKey, "workspace/meetings.list");
  await page.goto(server.link);
  if (folder) await take("sign-in");
  await page.getByRole("button", { name: /^Sign in as / }).click();
  await page.getByRole("heading", { name: "Meetings", level: 1 }).waitFor();
  await sendMeetings(page);
  const open = async (name: string, path: string) => {
    await page.goto(`${server.url}${path}`);
    await page.getByRole("heading", { level: 1 }).waitFor();
    if (name === "upload") await uploadSamples(page);
  };
  const meeting = `/meetings/${await findMeeting(server)}`;
  if (folder) {
    const pages = (await listPages(page, server.url)).map(({ name, path }) => [name, path] as const);
    for (const colorScheme of ["light", "dark"] as const)
      for (const size of [WIDE, NARROW]) {
        await page.emulateMedia({ colorScheme });
        await page.setViewportSize(size);
        for (const [name, path] of [
          ...pages,
          ["search", "/meetings?q=freezer"],
          ["meeting", meeting],
          ["transcript", `${meeting}?tab=transcript`],
        ] as const) {
          await open(name, path);
          await take(`${name}-${size.width}-${colorScheme}`);
        }
      }
  } else {
    await open("meetings", "/meetings");
    await take("meetings");
    await open("meeting", meeting);
    await take("meeting");
    await open("developers", "/developers");
    await take("developers");
    await page.setViewportSize(NARROW);
    await page.emulateMedia({ colorScheme: "dark" });
    await open("transcript", `${meeting}?tab=transcript`);
    await take("transcript-dark");
  }
} finally {
  await browser.close();
  await server.close();
}
