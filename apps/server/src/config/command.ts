import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Config } from "./config.js";
import { PROGRAM_FILE } from "./program-file.js";

/** In a clone the sources lie next to the program. */
const IS_CLONE = existsSync(join(dirname(PROGRAM_FILE), "../src"));

/** Returns the command that runs `minutes` on this installation. In a clone it works where pnpm is not installed, too. */
export const toCommand = ({ MINUTES_COMMAND }: Pick<Config, "MINUTES_COMMAND">): string =>
  MINUTES_COMMAND ?? (IS_CLONE ? "npx -y pnpm@10 minutes" : "minutes");
