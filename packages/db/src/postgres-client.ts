import { readFileSync } from "node:fs";
import type { ConnectionOptions } from "node:tls";
import postgres, { type Options, type PostgresType, type Sql } from "postgres";
import { parseDatabaseUrl } from "./database-url.js";
import { ExplainedError } from "./faults.js";

/** Connection timeout in seconds, per host of several and for a single one. */
const CONNECT_SECONDS = { several: 2, one: 5 };

/** Seconds of silence before TCP keep-alive probes; Node.js gives up after ten probes. */
const KEEP_ALIVE_SECONDS = 10;

/** Returns true if a URL names several servers, of which the writable one is used. */
export const hasSeveralHosts = (url: string): boolean => (parseDatabaseUrl(url)?.hosts.length ?? 1) > 1;

type ClientOptions = Options<Record<string, PostgresType>>;

/** Modes of `sslmode` that verify the server with `sslrootcert`, as in libpq, and whether they compare its name. */
const VERIFYING: Readonly<Record<string, { readonly name: boolean }>> = {
  require: { name: false },
  "verify-ca": { name: false },
  "verify-full": { name: true },
};

/**
 * Takes out of a URL what the driver would send to the server: `sslrootcert`, the `host` of a Unix socket, and
 * `application_name`, by which Minutes counts its sessions.
 */
function readParameters(text: string): { url: string; options: ClientOptions } {
  const [address = "", query] = text.split(/\?(.*)/s);
  if (query === undefined) return { url: text, options: {} };
  const parameters = new URLSearchParams(query);
  parameters.delete("application_name");
  const [file, socket] = [parameters.get("sslrootcert"), parameters.get("host")];
  const verifying = VERIFYING[parameters.get("sslmode") ?? ""];
  const options: ClientOptions = {};
  if (file !== null && file !== "system") {
    parameters.delete("sslrootcert");
    if (verifying) options.ssl = toTls(text, file, verifying.name);
  }
  if (socket?.startsWith("/")) {
    parameters.delete("host");
    options.host = socket;
  }
  return { url: `${address}?${parameters}`, options };
}

function toTls(url: string, file: string, comparesName: boolean): ConnectionOptions {
  const { hosts = [], url: first } = parseDatabaseUrl(url) ?? {};
  return {
    ca: readCertificates(file),
    ...(comparesName ? {} : { checkServerIdentity: () => undefined }),
    // The driver gives the name only if it isn't an IP address.
    ...(hosts.length === 1 ? { host: first?.hostname.replace(/^\[|\]$/g, "") } : {}),
  };
}

function readCertificates(file: string): Buffer {
  try {
    return readFileSync(file);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new ExplainedError(
      `The file ${file}, the sslrootcert of a database's address, can't be read (${code}).`,
    );
  }
}

/** Creates the driver's pool for a URL. Of several hosts, it connects to the one that is not a standby. */
export function createClient(text: string, options: ClientOptions = {}): Sql {
  const several = hasSeveralHosts(text);
  const { url, options: given } = readParameters(text);
  return postgres(url, {
    ...given,
    connect_timeout: several ? CONNECT_SECONDS.several : CONNECT_SECONDS.one,
    keep_alive: KEEP_ALIVE_SECONDS,
    fetch_types: false,
    onnotice: () => {},
    // `primary`, because the driver accepts a standby for `read-write`: it checks a default that standbys don't change.
    ...(several ? { target_session_attrs: "primary" } : {}),
    ...options,
    connection: { application_name: "minutes", ...options.connection },
  });
}
