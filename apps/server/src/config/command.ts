import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Config } from "./config.js";

const find = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const BESIDE_BUNDLE = find("../bin/minutes.js");

/** Absolute path of the file that runs `minutes`, seen from the bundle or from this source file. */
export const PROGRAM_FILE = existsSync(BESIDE_BUNDLE) ? BESIDE_BUNDLE : find("../../bin/minutes.js");

/** In a clone the sources lie next to the program. */
const IS_CLONE = existsSync(join(dirname(PROGRAM_FILE), "../src"));

/** Returns the command that runs `minutes` on this installation. In a clone it works where pnpm is not installed, too. */
export const toCommand = ({ MINUTES_COMMAND }: Pick<Config, "MINUTES_COMMAND">): string =>
  MINUTES_COMMAND ?? (IS_CLONE ? "npx -y pnpm@10 minutes" : "minutes");
