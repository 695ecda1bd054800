import postgres, { type Options, type PostgresType, type Sql } from "postgres";
import { parseDatabaseUrl } from "./database-url.js";

/** Connection timeout in seconds, per host of several and for a single one. */
const CONNECT_SECONDS = { several: 2, one: 5 };

/** Seconds of silence before TCP keep-alive probes; Node.js gives up after ten probes. */
const KEEP_ALIVE_SECONDS = 10;

/** Returns true if a URL names several servers, of which the writable one is used. */
export const hasSeveralHosts = (url: string): boolean => (parseDatabaseUrl(url)?.hosts.length ?? 1) > 1;

/** Creates the driver's pool for a URL. Of several hosts, it connects to the one that is not a standby. */
export function createClient(url: string, options: Options<Record<string, PostgresType>> = {}): Sql {
  const several = hasSeveralHosts(url);
  return postgres(url, {
    connect_timeout: several ? CONNECT_SECONDS.several : CONNECT_SECONDS.one,
    keep_alive: KEEP_ALIVE_SECONDS,
    fetch_types: false,
    onnotice: () => {},
    // `primary`, because the driver accepts a standby for `read-write`: it checks a default that standbys don't change.
    ...(several ? { target_session_attrs: "primary" } : {}),
    ...options,
  });
}
