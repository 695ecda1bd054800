import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { findChromium } from "@minutes/testing";
import { type Browser, chromium, type Page } from "playwright-core";

const inRepository = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url));

/** A server in its own process with the sample, as created by `pnpm start`. */
export interface SampleServer {
  readonly url: string;
  /** The one-time link that signs in as the sample's admin. */
  readonly link: string;
  /** Keys of the sample. */
  readonly sample: { readonly personalKey: string; readonly workspaceKey: string };
  close(): Promise<void>;
}

/** Builds the console, and starts a server with the sample in an empty directory. */
export async function startSampleServer(settings: Record<string, string> = {}): Promise<SampleServer> {
  // Does nothing if the build is up to date.
  await promisify(execFile)(process.execPath, [inRepository("apps/console/build.js")]);
  const directory = await mkdtemp(join(tmpdir(), "minutes-console-"));
  const server = spawn(process.execPath, [inRepository("apps/server/bin/minutes.js"), "start", "--json"], {
    env: { ...process.env, DATA_DIR: directory, PORT: "0", EMBEDDINGS: "off", ...settings },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = once(server, "exit");
  const close = async () => {
    server.kill("SIGTERM");
    await ended;
    await rm(directory, { recursive: true, force: true });
  };
  const announced = (async () => {
    for await (const line of createInterface({ input: server.stdout })) {
      if (line.startsWith('{"url"')) return JSON.parse(line) as Omit<SampleServer, "close">;
    }
    throw new Error("The server ended before it listened.");
  })();
  try {
    const { url, link, sample } = await announced;
    server.stdout.resume();
    return { url, link, sample, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Uses up the server's one-time link. @returns the `Cookie` header of the sample's admin */
export async function signInAsAdmin({ url, link }: SampleServer): Promise<string> {
  const token = link.slice(link.indexOf("#") + 1);
  const response = await fetch(`${url}/identity/v1/link.use`, {
    method: "POST",
    headers: { "content-type": "application/json", "sec-fetch-site": "same-origin" },
    body: JSON.stringify({ json: { token } }),
  });
  const [cookie] = response.headers.getSetCookie();
  if (!cookie) throw new Error(`Signing in was answered with ${response.status}.`);
  return cookie.split(";")[0] ?? "";
}

/** Finds the newest meeting of the sample's admin. @returns its id */
export async function findMeeting({ url, sample }: SampleServer): Promise<string> {
  const response = await fetch(`${url}/v1/me/meetings.list`, {
    headers: { "x-api-key": sample.personalKey },
  });
  const body = (await response.json()) as { result: { data: { json: { meetings: { id: string }[] } } } };
  const [meeting] = body.result.data.json.meetings;
  if (!meeting) throw new Error("The sample has no meetings.");
  return meeting.id;
}

/** Opens a headless Chromium. @throws Error if none is installed */
export async function openChromium(): Promise<Browser> {
  const executablePath = findChromium();
  if (!executablePath) throw new Error("Chromium is not installed.");
  return chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-gpu"] });
}

/** A page of the console's navigation. */
export interface ConsolePage {
  /** The address without its slash, such as `tasks`. */
  readonly name: string;
  readonly path: string;
}

/** Links of the navigation that lead to no page of their own. */
const OTHERS = ["Settings", "Back to meetings"];

/** Lists the pages that the rail and the settings show, in their order. The page must be signed in. */
export async function listPages(page: Page, url: string): Promise<ConsolePage[]> {
  const paths: string[] = [];
  for (const group of ["/meetings", "/account"]) {
    await page.goto(`${url}${group}`);
    await page.getByRole("heading", { level: 1 }).waitFor();
    for (const link of await page.getByRole("navigation").locator("a[href]:not([aria-label])").all()) {
      if (!OTHERS.includes((await link.textContent()) ?? ""))
        paths.push((await link.getAttribute("href")) ?? "");
    }
  }
  return paths.map((path) => ({ name: path.slice(1), path }));
}
