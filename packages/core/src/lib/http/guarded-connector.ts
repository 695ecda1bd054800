import { constants } from "node:crypto";
import { connect as connectTls, createSecureContext, rootCertificates, type SecureContext } from "node:tls";
import type { AttemptError } from "@minutes/contract";
import type { buildConnector } from "undici";
import type { TargetPolicy } from "./target-policy.js";
import { BlockedAddressError } from "./target-policy.js";

/** Timeout for resolving, connecting and verifying the certificate, in ms. */
const CONNECT_TIMEOUT = 10_000;

/** Why a connection failed. */
export class ConnectError extends Error {
  override name = "ConnectError";
  constructor(readonly kind: AttemptError) {
    super(kind);
  }
}

/**
 * Creates a connector that connects only to addresses allowed by the policy. It dials the resolved addresses, so a name
 * can't change between the check and the connection.
 * @param extraCa PEM certificates trusted in addition to the well-known ones
 */
function createGuardedConnector(
  targetPolicy: TargetPolicy,
  extraCa: string | undefined,
): buildConnector.connector {
  // Created once: parsing some 150 certificates per connection would take longer than connecting.
  const secureContext = createSecureContext({
    // A receiver could renegotiate TLS 1.2 until the attempt ends, thousands of handshakes that cost this process more than it.
    secureOptions: constants.SSL_OP_NO_RENEGOTIATION,
    ...(extraCa === undefined ? {} : { ca: [...rootCertificates, extraCa] }),
  });
  return ({ hostname, port }, callback) => {
    connect(targetPolicy, secureContext, hostname, Number(port) || 443).then(
      (socket) => callback(null, socket),
      (error: Error) => callback(error, null),
    );
  };
}

async function connect(targetPolicy: TargetPolicy, secureContext: SecureContext, host: string, port: number) {
  const addresses = await targetPolicy.resolvePublic(host).catch((error: unknown) => {
    throw new ConnectError(error instanceof BlockedAddressError ? "blocked" : "dns");
  });
  return new Promise<ReturnType<typeof connectTls>>((resolve, reject) => {
    let connected = false;
    const socket = connectTls({
      host,
      port,
      servername: host.includes(":") || /^[\d.]+$/.test(host) ? "" : host,
      ALPNProtocols: ["http/1.1"],
      secureContext,
      // Not called for a literal address, which was already checked.
      lookup: (_name, options, answer) => {
        const [first] = addresses;
        if (options.all) answer(null, [...addresses]);
        else answer(null, first?.address ?? "", first?.family ?? 4);
      },
    });
    const fail = (kind: AttemptError) => {
      clearTimeout(timer);
      socket.destroy();
      reject(new ConnectError(kind));
    };
    const timer = setTimeout(fail, CONNECT_TIMEOUT, "timeout");
    socket.once("connect", () => {
      connected = true;
    });
    // Never removed: an error without a listener would crash the process.
    socket.on("error", (error: NodeJS.ErrnoException) =>
      fail(connected && error.code !== "ECONNRESET" ? "tls" : "connection"),
    );
    socket.once("secureConnect", () => {
      clearTimeout(timer);
      try {
        targetPolicy.checkAddress(socket.remoteAddress ?? "");
      } catch {
        return fail("blocked");
      }
      socket.setNoDelay(true);
      resolve(socket);
    });
  });
}

/**
 * Creates an HTTP client that connects only to addresses allowed by the policy, over HTTPS, without redirects. Loads the
 * library lazily: most processes never need it.
 * @param extraCa PEM certificates trusted in addition to the well-known ones
 */
export async function createGuardedClient(targetPolicy: TargetPolicy, extraCa: string | undefined) {
  // In the bundle, CommonJS modules only have a default export.
  const { default: undici } = await import("undici");
  const agent = new undici.Agent({
    connect: createGuardedConnector(targetPolicy, extraCa),
    // These timeouts restart with each byte. Callers pass a signal, which stops a slow drip.
    headersTimeout: 0,
    bodyTimeout: 0,
    pipelining: 1,
  });
  return { request: undici.request, agent };
}
