import { resolve } from "node:path";
import { requireDatabaseUrl } from "@minutes/db";
import { readEnv } from "./env.js";

/** Describes the configured database without user and password. Null: the settings are invalid. */
export function describeData(source: Readonly<Record<string, string | undefined>>): string | null {
  let env: ReturnType<typeof readEnv>;
  try {
    env = readEnv(source);
  } catch {
    return null; // the command that needs the settings reports the error
  }
  if (env.DATABASE_URL === undefined) return resolve(env.DATA_DIR);
  const { url, hosts } = requireDatabaseUrl(env.DATABASE_URL);
  return `PostgreSQL database ${decodeURIComponent(url.pathname.slice(1)) || "(default)"} on ${hosts.join(",") || "(default)"}`;
}
