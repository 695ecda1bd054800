import { fileURLToPath } from "node:url";

/** A file to import with every field. It is beside this file in the sources and beside the bundle once built. */
export const SAMPLE_FILE = fileURLToPath(new URL("./import-sample.json", import.meta.url));
