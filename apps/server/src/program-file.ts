import { fileURLToPath } from "node:url";

/** The file that runs `minutes`, by its absolute path. It has the same place beside the sources and the bundle. */
export const PROGRAM_FILE = fileURLToPath(new URL("../bin/minutes.js", import.meta.url));
