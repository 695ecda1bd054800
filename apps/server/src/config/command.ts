import { existsSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import type { Config } from "./config.js";

const find = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const BESIDE_BUNDLE = find("../bin/minutes.js");

/** Absolute path of the file that runs `minutes`, seen from the bundle or from this source file. */
export const PROGRAM_FILE = existsSync(BESIDE_BUNDLE) ? BESIDE_BUNDLE : find("../../bin/minutes.js");

/** In a clone the sources lie next to the program. */
const IS_CLONE = existsSync(join(dirname(PROGRAM_FILE), "../src"));

/** Default of `DATA_DIR`, repeated because commands that a running server answers don't load the settings. */
const DEFAULT_DATA_DIR = "./data";

/** Returns the command that runs `minutes` on this installation. In a clone it works where pnpm is not installed, too. */
export const toCommand = ({ MINUTES_COMMAND }: Pick<Config, "MINUTES_COMMAND">): string =>
  MINUTES_COMMAND ?? (IS_CLONE ? "npx -y pnpm@10 minutes" : "minutes");

/** Stands for an address, which can have a password. Pasted as it is, it is refused. */
const ADDRESS = "DATABASE_URL=…";

/**
 * Returns that command for a terminal that lacks the server's settings: with the data directory, if it is another than the
 * default, and with a reminder of PostgreSQL's address. Only for the operator: it tells where the data are.
 */
export function toOperatorCommand({ DATA_DIR, DATABASE_URL, MINUTES_COMMAND }: Config): string {
  const command = toCommand({ MINUTES_COMMAND });
  const directory = resolve(DATA_DIR);
  if (MINUTES_COMMAND) return command;
  if (DATABASE_URL) return `${ADDRESS} ${command}`;
  if (directory === resolve(DEFAULT_DATA_DIR)) return command;
  const quoted = /^[\w./-]+$/.test(directory) ? directory : `'${directory.replaceAll("'", "'\\''")}'`;
  return `DATA_DIR=${quoted} ${command}`;
}
