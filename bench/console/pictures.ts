import { mkdir } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { openChromium } from "./open-chromium.js";
import { startSampleServer } from "./sample-server.js";

/** `pnpm pictures`: takes the pictures of the console in docs/pictures, on the sample. */
const FOLDER = fileURLToPath(new URL("../../docs/pictures/", import.meta.url));

const PAGES = [
  { name: "meetings", path: "/meetings", ready: "Meetings" },
  { name: "search", path: "/meetings?q=backup", ready: "Meetings" },
  { name: "keys", path: "/keys", ready: "API keys" },
  { name: "upload", path: "/upload", ready: "Upload" },
  { name: "plan", path: "/plan", ready: "Plan and usage" },
  { name: "audit-log", path: "/audit", ready: "Audit log" },
] as const;

await mkdir(FOLDER, { recursive: true });
const server = await startSampleServer();
const browser = await openChromium();
try {
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 }, reducedMotion: "reduce" });
  const take = async (name: string) => {
    await page.waitForLoadState("networkidle");
    await page.screenshot({ path: `${FOLDER}${name}.png` });
  };
  await page.goto(server.link);
  await page.getByRole("heading", { name: "Meetings" }).waitFor();
  for (const { name, path, ready } of PAGES) {
    await page.goto(`${server.url}${path}`);
    await page.getByRole("heading", { name: ready }).first().waitFor();
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
