import { resolve } from "node:path";
import { requireDatabaseUrl } from "@minutes/db";
import { readEnv } from "../env.js";

/** Names the data that the settings lead to, without user and password. Null: the settings are wrong. */
export function describeData(source: Readonly<Record<string, string | undefined>>): string | null {
  let env: ReturnType<typeof readEnv>;
  try {
    env = readEnv(source);
  } catch {
    return null; // whoever needs the settings says what is wrong with them
  }
  if (env.DATABASE_URL === undefined) return resolve(env.DATA_DIR);
  const { url, hosts } = requireDatabaseUrl(env.DATABASE_URL);
  return `PostgreSQL database ${decodeURIComponent(url.pathname.slice(1)) || "(default)"} on ${hosts.join(",") || "(default)"}`;
}
