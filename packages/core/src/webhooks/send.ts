import { connect as connectTls, createSecureContext, rootCertificates, type SecureContext } from "node:tls";
import { type AttemptError, LIMITS } from "@minutes/contract";
import { Agent, type buildConnector, request } from "undici";
import { BlockedAddressError, type Guard } from "./guard.js";

/** One HTTP request of a delivery. */
export interface Posting {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** What came of an attempt; nothing of the answer but its status. */
export interface Outcome {
  /** Null: no answer came. */
  readonly status: number | null;
  /** Null: delivered. */
  readonly error: AttemptError | null;
  readonly milliseconds: number;
}

/** Sends deliveries. */
export interface Sender {
  /** Never throws: whatever happens is an outcome. */
  send(posting: Posting): Promise<Outcome>;
  /** Cuts what is under way. */
  close(): Promise<void>;
}

export interface SenderOptions {
  readonly guard: Guard;
  /** Certificates in PEM form that are trusted besides the well-known ones. */
  readonly extraCa?: string | undefined;
  /** Milliseconds for the whole exchange. */
  readonly timeout?: number;
}

/** Milliseconds until a connection has to stand, its name resolved and its certificate checked. */
const CONNECT_TIMEOUT = 10_000;
/** Milliseconds for the body of an answer, whose status has decided already: it is read so that the connection can be used again. */
const BODY_PATIENCE = 1_000;

/** Why no connection came about. */
class ConnectError extends Error {
  override name = "ConnectError";
  constructor(readonly kind: AttemptError) {
    super(kind);
  }
}

/** Sends over HTTPS to addresses that the guard allows, follows nothing, and believes no certificate but valid ones. */
export function createSender({
  guard,
  extraCa,
  timeout = LIMITS.webhookTimeoutSeconds * 1000,
}: SenderOptions): Sender {
  const agent = new Agent({
    connect: guardedConnector(guard, trusting(extraCa)),
    // A clock over the whole exchange stops a slow drip; these two, which start anew with each byte, do not.
    headersTimeout: 0,
    bodyTimeout: 0,
    pipelining: 1,
  });

  const send = async ({ url, headers, body }: Posting): Promise<Outcome> => {
    const began = performance.now();
    const deadline = AbortSignal.timeout(timeout);
    const outcome = (status: number | null, error: AttemptError | null): Outcome => ({
      status,
      error,
      milliseconds: Math.round(performance.now() - began),
    });
    try {
      const answer = await request(url, {
        method: "POST",
        headers,
        body,
        dispatcher: agent,
        signal: deadline,
        highWaterMark: LIMITS.webhookAnswerBytes / 4,
      });
      const result = outcome(answer.statusCode, errorOf(answer.statusCode));
      await drain(answer.body);
      return result;
    } catch (error) {
      if (deadline.aborted) return outcome(null, "timeout");
      return outcome(null, error instanceof ConnectError ? error.kind : "connection");
    }
  };
  return { send, close: () => agent.destroy() };
}

/** Made once: reading some 150 certificates anew for each connection takes longer than all the rest of it. */
const trusting = (extraCa: string | undefined): SecureContext =>
  createSecureContext(extraCa === undefined ? {} : { ca: [...rootCertificates, extraCa] });

function errorOf(status: number): AttemptError | null {
  if (status >= 200 && status < 300) return null;
  return status >= 300 && status < 400 ? "redirect" : "status";
}

/** Reads the rest of a short answer and throws it away; cuts a long or slow one. */
async function drain(body: NodeJS.ReadableStream & { destroy(): unknown }): Promise<void> {
  const late = setTimeout(() => body.destroy(), BODY_PATIENCE);
  let left: number = LIMITS.webhookAnswerBytes;
  try {
    for await (const chunk of body) {
      left -= chunk.length;
      if (left <= 0) break; // which destroys it
    }
  } catch {
    // The status has decided; a body that breaks off changes nothing.
  } finally {
    clearTimeout(late);
  }
}

/**
 * Connects to what the guard has checked and to nothing else: the addresses that it resolved are the ones that are
 * dialled, so that a name can't change between the check and the connection.
 */
function guardedConnector(guard: Guard, secureContext: SecureContext): buildConnector.connector {
  return ({ hostname, port }, callback) => {
    dial(guard, secureContext, hostname, Number(port) || 443).then(
      (socket) => callback(null, socket),
      (error: Error) => callback(error, null),
    );
  };
}

async function dial(guard: Guard, secureContext: SecureContext, host: string, port: number) {
  const addresses = await guard.addressesOf(host).catch((error: unknown) => {
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
      // Not asked for a literal address, which was checked as it stands.
      lookup: (_name, options, answer) => {
        const [first] = addresses;
        if (options.all) answer(null, [...addresses]);
        else answer(null, first?.address ?? "", first?.family ?? 4);
      },
    });
    const fail = (kind: AttemptError) => {
      clearTimeout(late);
      socket.destroy();
      reject(new ConnectError(kind));
    };
    const late = setTimeout(fail, CONNECT_TIMEOUT, "timeout");
    socket.once("connect", () => {
      connected = true;
    });
    // Stays for good: later errors are the request's, and one that nobody hears would end the process.
    socket.on("error", (error: NodeJS.ErrnoException) =>
      fail(connected && error.code !== "ECONNRESET" ? "tls" : "connection"),
    );
    socket.once("secureConnect", () => {
      clearTimeout(late);
      try {
        guard.checkAddress(socket.remoteAddress ?? "");
      } catch {
        return fail("blocked");
      }
      socket.setNoDelay(true);
      resolve(socket);
    });
  });
}
