import { fileURLToPath } from "node:url";

/** A sample import file with every field, next to this file in the sources and next to the bundle once built. */
export const SAMPLE_FILE = fileURLToPath(new URL("./import-sample.json", import.meta.url));
