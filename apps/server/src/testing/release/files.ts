import { readdirSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";
import type { FilledDatabase } from "../every-table.js";
import type { AskedCall } from "../same-answers.js";

/** Location of the dumps of released versions: `<version>/database.sql.gz` and `<version>/answers.json.gz`. */
export const RELEASES = fileURLToPath(new URL("../../../../../packages/db/releases", import.meta.url));

/** The data and answers of a released version. */
export interface Release {
  /** Plain SQL, as written by `pg_dump --inserts`; both engines accept it. */
  readonly sql: string;
  readonly filled: FilledDatabase;
  readonly asked: readonly AskedCall[];
}

/** Lists the versions with a dump. */
export const listReleases = (): string[] => readdirSync(RELEASES).toSorted();

/** Reads the dump of a version. */
export async function readRelease(version: string): Promise<Release> {
  const unpack = async (name: string) =>
    gunzipSync(await readFile(join(RELEASES, version, name))).toString("utf8");
  const { filled, asked } = JSON.parse(await unpack("answers.json.gz")) as Omit<Release, "sql">;
  return { sql: await unpack("database.sql.gz"), filled, asked };
}
