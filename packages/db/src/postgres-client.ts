import { readFileSync } from "node:fs";
import { isIP } from "node:net";
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

/** Modes of `sslmode` that verify the server's certificate; as in libpq, `require` does so with `sslrootcert` alone. */
const VERIFYING = ["require", "verify-ca", "verify-full"];

/**
 * Takes out of a URL what the driver would send to the server: `sslrootcert`, the `host` of a Unix socket, and
 * `application_name`, by which Minutes counts its sessions.
 * @throws ExplainedError if the server could not be verified as the URL asks
 */
function readParameters(text: string): { url: string; options: ClientOptions } {
  const [address = "", query] = text.split(/\?(.*)/s);
  if (query === undefined) return { url: text, options: {} };
  const parameters = new URLSearchParams(query);
  parameters.delete("application_name");
  const [file, socket] = [parameters.get("sslrootcert"), parameters.get("host")];
  const mode = parameters.get("sslmode") ?? "";
  const options: ClientOptions = {};
  parameters.delete("sslrootcert");
  if (file !== null && !VERIFYING.includes(mode))
    throw new ExplainedError(
      "A database's address with sslrootcert needs sslmode=verify-full, verify-ca or require.",
    );
  if (file !== null || (mode !== "require" && VERIFYING.includes(mode)))
    options.ssl = toTls(text, file, mode === "verify-full" || file === "system");
  if (socket?.startsWith("/")) {
    parameters.delete("host");
    options.host = socket;
  }
  return { url: `${address}?${parameters}`, options };
}

/** @param file certificates of authorities; `system` or null for those that Node.js trusts */
function toTls(text: string, file: string | null, comparesName: boolean): ConnectionOptions {
  const hosts = (parseDatabaseUrl(text)?.hosts ?? []).map((host) =>
    new URL(`postgres://${host}`).hostname.replace(/^\[|\]$/g, ""),
  );
  const [host = ""] = hosts;
  // The driver names only hosts that aren't IP addresses: such a certificate would be compared with `localhost`.
  if (comparesName && hosts.length > 1 && hosts.some((one) => isIP(one) !== 0))
    throw new ExplainedError(
      "A database's address with several hosts and sslmode=verify-full needs their names instead of IP addresses.",
    );
  return {
    ...(file === null || file === "system" ? {} : { ca: readCertificates(file) }),
    ...(comparesName ? {} : { checkServerIdentity: () => undefined }),
    ...(isIP(host) === 0 ? {} : { host }),
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
