import { execFile, spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { Page } from "playwright-core";
import { openChromium } from "./open-chromium.js";

/**
 * `pnpm bench:console:first-minutes`: the time from cloning this repository, with empty package caches, to reading a
 * meeting in a browser; and from there to a new installation whose first key answers its curl line. Fails over 40 seconds
 * and over two minutes. Types at a person's speed.
 */
const LIMITS = { "reading a meeting": 40, "first key answered": 120 };

/** Delay between keystrokes, in ms. */
const TYPING = 60;

const run = promisify(execFile);
const repository = fileURLToPath(new URL("../..", import.meta.url));

/** Starts a clone as described in the README. @returns the link printed at startup, and how to stop it */
async function start(clone: string, env: NodeJS.ProcessEnv) {
  // In its own process group: npx does not forward signals.
  const server = spawn("npx", ["-y", "pnpm@10", "start"], { cwd: clone, env, detached: true });
  const ended = new Promise((resolve) => server.once("exit", resolve));
  let output = "";
  const link = new Promise<string>((resolve, reject) => {
    for (const stream of [server.stdout, server.stderr])
      stream.on("data", (text) => {
        output += text;
        const [found] = /http:\S+\/(sign-in|setup)#\S+/.exec(output) ?? [];
        if (found) resolve(found);
      });
    server.once("exit", () => reject(new Error(`The start ended:\n${output}`)));
  });
  const stop = async () => {
    if (server.pid && server.exitCode === null) process.kill(-server.pid, "SIGTERM");
    await ended;
  };
  return { link: await link, stop };
}

/** Reloads a URL until the console is built and answers, as a person would. */
async function openConsole(page: Page, link: string, heading: string): Promise<void> {
  const title = page.getByRole("heading", { level: 1, name: heading });
  for (;;) {
    await page.goto("about:blank");
    await page.goto(link);
    if (await page.locator("#root").count()) return title.waitFor();
    await page.waitForTimeout(500);
  }
}

const since = (began: number) => Math.round((performance.now() - began) / 100) / 10;
const work = await mkdtemp(join(tmpdir(), "minutes-first-"));
const browser = await openChromium();
// Uses none of this machine's caches, nor settings of the pnpm that runs this.
const own = Object.entries(process.env).filter(([name]) => !/^(npm|pnpm|xdg)_/i.test(name));
const env = (port: number, settings = {}) => ({
  ...Object.fromEntries(own),
  HOME: join(work, "home"),
  PORT: String(port),
  ...settings,
});
try {
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
  const clone = join(work, "minutes");
  const began = performance.now();
  await run("git", ["clone", "-q", `file://${repository}`, clone]);
  const sample = await start(clone, env(3987));
  const started = since(began);
  await openConsole(page, sample.link, "Sign in to Minutes");
  await page.getByRole("button", { name: /^Sign in as / }).click();
  await page.getByRole("region", { name: "Meetings" }).getByRole("link").first().click();
  await page.locator(".summary").waitFor();
  const reading = since(began);
  await sample.stop();

  const again = performance.now();
  const setup = await start(clone, env(3988, { DEMO: "off", DATA_DIR: join(work, "data") }));
  await openConsole(page, setup.link, "Set up Minutes");
  const type = async (label: string, text: string) =>
    page.getByLabel(label).pressSequentially(text, { delay: TYPING });
  await type("Workspace name", "Pennyfrost");
  await type("Your name", "Zoe Tamblyn");
  await type("Your e-mail", "zoe@pennyfrost.example");
  await page.locator("input[type=password]").pressSequentially("a password of my own", { delay: TYPING });
  await page.getByRole("button", { name: "Create the workspace" }).click();
  await page.getByRole("link", { name: "Settings" }).click();
  await page.getByRole("link", { name: "Developers" }).click();
  await page.getByRole("button", { name: "Create a key" }).click();
  await page.getByRole("dialog").getByLabel("Name").pressSequentially("first", { delay: TYPING });
  await page.keyboard.press("Enter");
  const line = (await page.getByLabel("curl line", { exact: true }).textContent()) ?? "";
  const { stdout } = await run("bash", ["-c", line]);
  if (!Array.isArray(JSON.parse(stdout).result?.data?.json?.meetings))
    throw new Error(`curl said: ${stdout}`);
  const answered = since(again);
  await setup.stop();

  console.table({ "link printed": started, "reading a meeting": reading, "first key answered": answered });
  if (reading > LIMITS["reading a meeting"] || answered > LIMITS["first key answered"]) process.exitCode = 1;
} finally {
  await browser.close();
  await rm(work, { recursive: true, force: true });
}
