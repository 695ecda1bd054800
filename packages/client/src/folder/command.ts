import { readFile } from "node:fs/promises";
import { parseArgs } from "node:util";
import {
  type ClientOptions,
  createMeClient,
  createWorkspaceClient,
  MinutesError,
  type Wait,
} from "../index.js";
import { FIELDS, findUnknownField } from "./meeting-file.js";
import { FolderError } from "./state.js";
import { type FolderEvent, syncFolder } from "./sync-folder.js";

const HELP = `Usage: minutes-client sync <folder> [options]

Keeps a folder of Markdown files, one for each meeting that the key can read, and waits for changes.
New and changed meetings are written, and files of meetings that are gone are removed.

A file that you edited is never overwritten or removed: it is reported, and stays as it is until you
undo the edit or delete the file, and run sync again, or use --force. A file keeps its name.

  --once              sync once and exit, instead of waiting for changes
  --force             overwrite and remove edited files, too
  --url <url>         the service; by default MINUTES_URL, otherwise http://127.0.0.1:3000
  --workspace         the key is a workspace's: sync the meetings of all members
  --template <file>   write files by this template
  --time-zone <zone>  time zone of days and times, such as Europe/Berlin; at first the machine's
  --json              print one JSON object per line
  --help              show this

The key is read from MINUTES_API_KEY. Exit codes: 0 done or stopped, 1 failed, 2 wrong usage.`;

/** Where a command runs. */
export interface Surroundings {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Stops a sync. */
  readonly signal: AbortSignal;
  /** Print a line of the result, or of what went wrong. */
  readonly print: (line: string) => void;
  readonly warn: (line: string) => void;
}

/** The command can't be run as given. */
class UsageError extends Error {}

/** Runs a command line. @returns the exit code */
export async function runCommand(args: readonly string[], surroundings: Surroundings): Promise<number> {
  try {
    await run(args, surroundings);
    return 0;
  } catch (error) {
    const { message, exitCode } = describe(error);
    surroundings.warn(message);
    return exitCode;
  }
}

async function run(args: readonly string[], { env, signal, print, warn }: Surroundings): Promise<void> {
  const { values, positionals } = parse(args);
  const [command, folder, ...others] = positionals;
  if (values.help || command === undefined) return print(HELP);
  if (command !== "sync") throw new UsageError(`There is no command ${command}; use sync. See --help.`);
  if (!folder || others.length > 0) throw new UsageError("Name one folder, such as: sync ./vault");
  const apiKey = env.MINUTES_API_KEY;
  if (!apiKey)
    throw new UsageError("Set MINUTES_API_KEY to a personal key, or with --workspace to a workspace's.");
  const { once, json, force, workspace } = values;
  const url = parseUrl(values.url ?? env.MINUTES_URL ?? "http://127.0.0.1:3000");
  const options: ClientOptions = {
    baseUrl: url,
    apiKey,
    ...(json ? {} : { onWait: createWaitReporter(warn) }),
  };
  await syncFolder({
    client: workspace ? createWorkspaceClient(options) : createMeClient(options),
    folder,
    url,
    template: values.template === undefined ? undefined : await readTemplate(values.template),
    timeZone: values["time-zone"] === undefined ? undefined : checkTimeZone(values["time-zone"]),
    force,
    follow: !once,
    signal,
    onEvent: json
      ? (event) => print(JSON.stringify(event))
      : createReporter({ folder, follow: !once, print, warn }),
  });
}

function parse(args: readonly string[]) {
  const flag = { type: "boolean", default: false } as const;
  const text = { type: "string" } as const;
  const options = {
    url: text,
    template: text,
    "time-zone": text,
    once: flag,
    force: flag,
    workspace: flag,
    json: flag,
    help: flag,
  };
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true });
  } catch (error) {
    throw new UsageError(`${(error as Error).message.split(". ")[0]}. See --help.`);
  }
}

function parseUrl(text: string): string {
  if (!URL.canParse(text) || !/^https?:$/.test(new URL(text).protocol))
    throw new UsageError("--url must be the server's URL, such as http://127.0.0.1:3000.");
  const url = text.replace(/\/$/, "");
  if (/\/v\d+$/.test(url)) throw new UsageError("--url must not contain the version: leave out /v1.");
  return url;
}

async function readTemplate(path: string): Promise<string> {
  const template = await readFile(path, "utf8").catch(() => {
    throw new UsageError(`--template: the file ${path} can't be read.`);
  });
  const unknown = findUnknownField(template);
  if (unknown !== null)
    throw new UsageError(`--template: {{${unknown}}} is no field; use ${FIELDS.join(", ")}.`);
  return template;
}

function checkTimeZone(timeZone: string): string {
  try {
    new Intl.DateTimeFormat("en", { timeZone });
    return timeZone;
  } catch {
    throw new UsageError(`--time-zone: ${timeZone} is no time zone. An example is Europe/Berlin.`);
  }
}

const createWaitReporter =
  (warn: Surroundings["warn"]) =>
  ({ reason, milliseconds }: Wait) => {
    if (milliseconds < 1_000) return;
    const why = reason === "rate_limit" ? "The rate limit is reached" : "The service does not answer";
    warn(`${why}; trying again in ${Math.ceil(milliseconds / 1_000)} s.`);
  };

interface Report extends Pick<Surroundings, "print" | "warn"> {
  readonly folder: string;
  readonly follow: boolean;
}

/** Creates a listener that says what happens for people to read. */
const createReporter =
  ({ folder, follow, print, warn }: Report) =>
  (event: FolderEvent) => {
    if (event.event === "kept")
      return warn(
        `kept     ${event.file}: you edited it, and its meeting ${event.meeting === "changed" ? "changed" : "is gone"}`,
      );
    if (event.event !== "synced") return print(`${event.event.padEnd(8)} ${event.file}`);
    const { written, removed, kept } = event;
    print(`${written} written, ${removed} removed in ${folder}.`);
    if (kept.length > 0) warn(`Edited and behind, which --force overwrites: ${kept.length}`);
    for (const file of kept) warn(`  ${file}`);
    if (follow) print("Waiting for changes; stop with Ctrl+C.");
  };

function describe(error: unknown): { message: string; exitCode: number } {
  if (error instanceof UsageError) return { message: error.message, exitCode: 2 };
  const message = (error instanceof Error ? error.message : String(error)).replace(/\.$/, "");
  if (error instanceof MinutesError && ["unauthorized", "forbidden"].includes(error.code))
    return {
      message: `The service refused the key (${error.status}): ${message}. The files stay as they are.`,
      exitCode: 1,
    };
  if (error instanceof MinutesError || error instanceof FolderError)
    return { message: `${message}.`, exitCode: 1 };
  const what = error instanceof Error && "code" in error ? "The folder can't be synced" : "Unexpected fault";
  return { message: `${what}: ${message}.`, exitCode: 1 };
}
