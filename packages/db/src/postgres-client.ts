import postgres, { type Options, type PostgresType, type Sql } from "postgres";
import { parseDatabaseUrl } from "./database-url.js";

/** Seconds that a connection may take to be ready, at one host of several and at the only one. */
const CONNECT_SECONDS = { several: 2, one: 5 };

/** Returns whether an address names several servers, of which the one that takes writes is used. */
export const hasSeveralHosts = (url: string): boolean => (parseDatabaseUrl(url)?.hosts.length ?? 1) > 1;

/** Creates the driver's pool for an address. Of several hosts, the one that is no standby is connected to. */
export function createClient(url: string, options: Options<Record<string, PostgresType>> = {}): Sql {
  const several = hasSeveralHosts(url);
  return postgres(url, {
    connect_timeout: several ? CONNECT_SECONDS.several : CONNECT_SECONDS.one,
    fetch_types: false,
    onnotice: () => {},
    // `primary`, since the driver takes a standby for `read-write`: it looks at a default that a standby doesn't change.
    ...(several ? { target_session_attrs: "primary" } : {}),
    ...options,
  });
}
