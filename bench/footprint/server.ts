/** Starts servers of a checkout, as processes, and runs its commands. Linux only: memory and processor time are read from /proc. */
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";

const EMAIL = "ines@example.com";
/** Time after a start at which the server is idle, in ms. */
export const REST = 15_000;
/** Turns per imported meeting. */
const TURNS = 520;

const { PATH, HOME } = process.env;
export type Settings = Readonly<Record<string, string>>;
const toEnv = (settings: Settings) => ({ PATH, HOME, PORT: "0", ...settings }) as NodeJS.ProcessEnv;

export interface Started {
  readonly pid: number;
  readonly url: string;
  /** Time from the process's start to the first answer, in ms. */
  readonly milliseconds: number;
  stop(): Promise<unknown>;
}

/** Starts the server of a checkout as `pnpm start` does, and waits for its first answer. */
export async function start(root: string, settings: Settings): Promise<Started> {
  const began = performance.now();
  const { scripts } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
    scripts: { start: string };
  };
  // The shell becomes the server (`exec`), so that its ID is the server's.
  const server = spawn("sh", ["-c", `${scripts.start} --json`], {
    cwd: root,
    env: toEnv(settings),
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = once(server, "close");
  const url = await readUrl(server.stdout);
  server.stdout.resume(); // its log
  const answer = await fetch(`${url}/health`);
  if (answer.status !== 200) throw new Error(`/health answered ${answer.status}.`);
  const milliseconds = performance.now() - began;
  const stop = () => {
    server.kill();
    return ended;
  };
  return { pid: server.pid ?? 0, url, milliseconds, stop };
}

/** Waits for the line with the server's URL, between log lines. */
async function readUrl(output: Readable): Promise<string> {
  for await (const line of createInterface(output)) {
    const { url } = JSON.parse(line) as { url?: string };
    if (url !== undefined) return url;
  }
  throw new Error("The server ended before it listened.");
}

/** Reads a process's resident memory in MB. */
export const readMemory = (pid: number): number =>
  Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1024;

/** Reads the processor time that a process has used, in ms. */
export function readProcessorTime(pid: number): number {
  // After the program's name in parentheses; in ticks of 10 ms.
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
  return 10 * (Number(fields[11]) + Number(fields[12]));
}

/** Runs a command of a checkout. */
export const minutes = (root: string, settings: Settings, ...args: string[]): string =>
  execFileSync(process.execPath, [join(root, "apps/server/bin/minutes.js"), ...args], {
    ...{ env: toEnv(settings), encoding: "utf8" },
  });

/** Creates the user who owns the meetings, on a plan that includes the API. @returns a key */
export function createOwner(root: string, settings: Settings): string {
  minutes(root, settings, "workspaces", "create", "Bench", "--plan", "pro");
  minutes(root, settings, "users", "create", EMAIL, "--workspace", "Bench");
  return (JSON.parse(minutes(root, settings, "keys", "create", EMAIL, "--json")) as { key: string }).key;
}

/** The measured requests: a list, a whole meeting, and what is open. */
export const ROUTES = ["me/meetings.list", "me/meetings.get", "me/tasks.list"] as const;
type Route = (typeof ROUTES)[number];

/** Sends requests of a route, one after another. @throws Error for an answer that is not 200 */
export async function sendRequests(
  url: string,
  key: string,
  count: number,
  route: Route = ROUTES[0],
): Promise<void> {
  const address = `${url}/v1/${route}${await findInput(url, key, route)}`;
  for (let nth = 0; nth < count; nth++) await ask(address, key);
}

async function ask(address: string, key: string): Promise<string> {
  const answer = await fetch(address, { headers: { "x-api-key": key } });
  const text = await answer.text();
  if (answer.status !== 200) throw new Error(`${address} answered ${answer.status}: ${text}`);
  return text;
}

/** Finds the newest meeting for the route that reads one. */
async function findInput(url: string, key: string, route: Route): Promise<string> {
  if (route !== "me/meetings.get") return "";
  const [, meetingId] = /"id":"(mtg_\w+)"/.exec(await ask(`${url}/v1/me/meetings.list`, key)) ?? [];
  return `?input=${encodeURIComponent(JSON.stringify({ json: { meetingId } }))}`;
}

/** Writes meetings of 520 turns as a file for `minutes import`. @param tasks number of tasks of each */
export function writeMeetings(file: string, count: number, tasks = 0): void {
  const words =
    "we will have to look at the figures of the next quarter before anybody decides on the remote control";
  const vocabulary = words.split(" ");
  const sentence = (at: number) =>
    Array.from({ length: 14 }, (_, nth) => vocabulary[(at * 7 + nth * 3) % vocabulary.length]).join(" ");
  const meetings = Array.from({ length: count }, (_, meeting) => ({
    externalId: `footprint-${meeting}`,
    ownerEmail: EMAIL,
    title: `Meeting ${meeting}`,
    startTime: new Date(Date.UTC(2026, 0, 1, meeting)).toISOString(),
    tasks: Array.from({ length: tasks }, (_, task) => ({ text: sentence(meeting + task) })),
    transcript: Array.from({ length: TURNS }, (_, turn) => ({
      speakerId: `s${turn % 5}`,
      speakerName: `Speaker ${turn % 5}`,
      text: `${sentence(meeting + turn)}, part ${meeting * TURNS + turn}.`,
    })),
  }));
  writeFileSync(file, JSON.stringify(meetings));
}
