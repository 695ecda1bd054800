import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

const find = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const BESIDE_BUNDLE = find("../bin/minutes.js");

/** Absolute path of the file that runs `minutes`, seen from the bundle or from this source file. */
export const PROGRAM_FILE = existsSync(BESIDE_BUNDLE) ? BESIDE_BUNDLE : find("../../bin/minutes.js");
