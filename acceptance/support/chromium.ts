import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findChromium, PATIENCE } from "@minutes/testing";
import { type BrowserContext, chromium } from "playwright-core";

const FLAGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/**
 * Opens a headless browser with an empty profile. Tests that call it have `needs("chromium")`. What a service worker fetches
 * can't be watched or answered by a test, so there is none unless it is wanted.
 * @param site a site on this machine under another host name, whose certificate the browser does not know
 * @throws Error if Chromium is not installed
 */
export async function openBrowser(
  site?: string,
  serviceWorkers: "allow" | "block" = "block",
): Promise<{ browser: BrowserContext; close: () => Promise<void> }> {
  const executablePath = findChromium();
  if (!executablePath) throw new Error("Chromium is not installed.");
  const profile = await mkdtemp(join(tmpdir(), "minutes-chromium-"));
  const browser = await chromium.launchPersistentContext(profile, {
    executablePath,
    headless: true,
    args: site ? [...FLAGS, `--host-resolver-rules=MAP ${new URL(site).hostname} 127.0.0.1`] : FLAGS,
    ignoreHTTPSErrors: site !== undefined,
    serviceWorkers,
  });
  browser.setDefaultTimeout(PATIENCE);
  return {
    browser,
    close: async () => {
      await browser.close();
      await rm(profile, { recursive: true, force: true });
    },
  };
}
