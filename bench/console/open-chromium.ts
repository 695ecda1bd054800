import { findChromium } from "@minutes/testing";
import { type Browser, chromium } from "playwright-core";

/** Opens a headless Chromium. @throws Error if none is installed */
export async function openChromium(): Promise<Browser> {
  const executablePath = findChromium();
  if (!executablePath) throw new Error("Chromium is not installed.");
  return chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-gpu"] });
}
