import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gunzipSync, gzipSync } from "node:zlib";
import type { Exchange } from "./exchange.js";

const FOLDER = fileURLToPath(new URL("../../../../../packages/contract/recorded", import.meta.url));
const [DATABASE, EXCHANGES] = ["database.sql.gz", "exchanges.jsonl.gz"] as const;

/** Credentials of the recorded installation, by a description of their holder. */
type RecordedKeys = Readonly<Record<string, string>>;

/** An installation and its answers. */
export interface Recording {
  /** Plain SQL, as written by `pg_dump --inserts`; both engines accept it. */
  readonly sql: string;
  readonly keys: RecordedKeys;
  /** In call order. */
  readonly exchanges: readonly Exchange[];
}

/** Reads the recording in the repository. */
export async function readRecording(): Promise<Recording> {
  const unpack = async (name: string) => gunzipSync(await readFile(join(FOLDER, name))).toString("utf8");
  const [keys = "", ...lines] = (await unpack(EXCHANGES)).trim().split("\n");
  return {
    sql: await unpack(DATABASE),
    keys: JSON.parse(keys) as RecordedKeys,
    exchanges: lines.map((line) => JSON.parse(line) as Exchange),
  };
}

/** Replaces the recorded requests and answers. */
export async function writeExchanges({ keys, exchanges }: Omit<Recording, "sql">): Promise<void> {
  const lines = [keys, ...exchanges].map((line) => `${JSON.stringify(line)}\n`);
  await writeFile(join(FOLDER, EXCHANGES), gzipSync(lines.join(""), { level: 9 }));
}
