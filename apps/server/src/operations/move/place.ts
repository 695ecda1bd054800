import { resolve } from "node:path";

/** Location of an installation: a PostgreSQL URL, or a directory. */
export type Place =
  | { readonly url: string; readonly dataDir: null }
  | { readonly url: null; readonly dataDir: string };

/** Parses a location from the command line or the settings. */
export const toPlace = (text: string): Place =>
  /^postgres(ql)?:\/\//.test(text) ? { url: text, dataDir: null } : { url: null, dataDir: resolve(text) };
