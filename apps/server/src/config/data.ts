import { resolve } from "node:path";
import { requireDatabaseUrl } from "@minutes/db/database-url";
import type { Config } from "./config.js";

/** Describes the configured database without user and password. */
export function describeData({ DATABASE_URL, DATA_DIR }: Config): string {
  if (DATABASE_URL === undefined) return resolve(DATA_DIR);
  const { url, hosts } = requireDatabaseUrl(DATABASE_URL);
  return `PostgreSQL database ${decodeURIComponent(url.pathname.slice(1)) || "(default)"} on ${hosts.join(",") || "(default)"}`;
}
