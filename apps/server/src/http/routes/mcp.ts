import type { IncomingMessage, ServerResponse } from "node:http";
import { isIP } from "node:net";
import { LIMITS, MESSAGES, toUnknownFieldSentence } from "@minutes/contract";
import {
  ApiError,
  type CallRecord,
  createDeadline,
  decodeBody,
  parseTarget,
  type Quota,
  readJsonBody,
  sendResponse,
  toErrorBody,
  toErrorResponse,
  toRefusalCause,
} from "@minutes/core";
import { createAssistantServer } from "../../mcp/assistant.js";
import { answerRequest, loadSdk } from "../../mcp/sdk.js";
import { admitAssistant, writeChallenge } from "./assistants.js";
import type { AppServices } from "./services.js";

/** Maximum nesting of a message. Arguments of tools have three levels; the protocol's library recurses into all of them. */
const DEPTH = 64;

/** Parses a message. @throws ApiError 400 */
function parseJson(text: string): unknown {
  let message: unknown;
  try {
    message = JSON.parse(text);
  } catch {
    throw new ApiError("BAD_REQUEST", "The body is not valid JSON.");
  }
  if (isDeeper(message, DEPTH)) throw new ApiError("BAD_REQUEST", "The body is nested too deeply.");
  return message;
}

const isDeeper = (value: unknown, levels: number): boolean =>
  typeof value === "object" &&
  value !== null &&
  (levels === 0 || Object.values(value).some((inner) => isDeeper(inner, levels - 1)));

/**
 * Requires that the quota is not exhausted. @throws ApiError 429 with the wait in its message, because assistants don't
 * see headers
 */
function requireMcpQuota({ exceeded, retryAfter }: Quota): void {
  if (!exceeded) return;
  throw new ApiError("TOO_MANY_REQUESTS", `${MESSAGES.rateLimited} That is in ${retryAfter} seconds.`);
}

/** Refuses the one argument name that zod's schemas ignore. @throws ApiError 400 */
function refusePrototype(body: unknown): void {
  const { params } = (body ?? {}) as { params?: { arguments?: unknown } | null };
  const args = params?.arguments;
  if (typeof args === "object" && args !== null && Object.hasOwn(args, "__proto__")) {
    throw new ApiError("BAD_REQUEST", toUnknownFieldSentence("__proto__"));
  }
}

/**
 * Creates the handler of the Model Context Protocol over streamable HTTP, without sessions: every request carries the
 * key or token and counts against its quota, so any instance can answer it. A tool's refusal is the tool's result. A missing or
 * invalid key, an exhausted quota, a foreign origin or host, and a malformed request are HTTP errors.
 */
export function createMcpHandler(
  dependencies: AppServices,
  report: (record: CallRecord, request: IncomingMessage) => void,
) {
  return async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const onCall = (record: CallRecord) => report(record, request);
    const headers: Record<string, string> = {};
    try {
      if (request.method !== "POST") {
        // There is no stream to resume and no session to end.
        headers.Allow = "POST";
        throw new ApiError("METHOD_NOT_SUPPORTED", "This endpoint accepts only POST.");
      }
      requireOwnHost(request, dependencies);
      const deadline = createDeadline(dependencies.deadline);
      const access = await deadline.within(admitAssistant(dependencies, request));
      const { verified, kind, admission, waiting, allows } = access;
      Object.assign(headers, admission.headers);
      requireMcpQuota(verified.quota);
      const body = parseJson(decodeBody(await readJsonBody(request, LIMITS.bodyBytes)));
      // One request is counted once: many calls in it would be a way around the quota.
      if (Array.isArray(body)) throw new ApiError("BAD_REQUEST", MESSAGES.batching);
      refusePrototype(body);
      access.requireScope(body);

      const sdk = await loadSdk();
      const meaning = dependencies.similarity?.state().mode === "similarity";
      const server = createAssistantServer(sdk, {
        kind,
        admission,
        waiting,
        allows,
        deadline,
        onCall,
        meaning,
        toUrl: (meetingId) => `${dependencies.publicUrl()}/meetings/${meetingId}`,
      });
      for (const [name, value] of Object.entries({ ...headers, "Cache-Control": "no-store" })) {
        response.setHeader(name, value);
      }
      // The library appends the target to the host, and a proxy's has an origin of its own.
      request.url = `/${parseTarget(request.url ?? "").path}`;
      const began = performance.now();
      await answerRequest(sdk, server, request, response, body, (error) => {
        const { status, fault } = toErrorResponse(error);
        onCall({ procedure: "mcp", status, fault, refusal: null, milliseconds: performance.now() - began });
      });
    } catch (error) {
      const { status, message, headers: extra, fault } = toErrorResponse(error);
      if (status === 401) headers["WWW-Authenticate"] = writeChallenge(dependencies, request);
      onCall({ procedure: "mcp", status, fault, refusal: toRefusalCause(status, message), milliseconds: 0 });
      if (response.headersSent) response.destroy();
      else sendResponse(response, status, { ...headers, ...extra }, toErrorBody(message));
    }
  };
}

/** A name or an address with an optional port; `Host` has neither a user nor a path. */
const HOST = /^(\[[\da-f:.]+\]|[\w.-]+)(?::\d{1,5})?$/i;

/** Returns true for hosts that another site's page can't resolve to this machine, so they need no list. */
const isSafeHost = (name: string): boolean =>
  isIP(name.replace(/^\[|\]$/g, "")) !== 0 || /^(?:.+\.)?localhost$/i.test(name);

const toOrigin = (protocol: string, host: string): string => new URL(`${protocol}//${host}`).origin;

/** The addresses of an installation. */
interface Addresses {
  /** Origins of this installation and of pages that can use it. */
  readonly origins: readonly string[];
  readonly publicUrl: () => string;
}

/**
 * Refuses requests that another site's page makes through a browser. Such a page sends its own `Origin`, and with DNS
 * rebinding its own name as `Host`.
 * @throws ApiError 403
 * @see https://modelcontextprotocol.io/specification/2025-06-18/basic/transports#security-warning
 */
function requireOwnHost({ headers }: IncomingMessage, { origins, publicUrl }: Addresses): void {
  const { host = "", origin } = headers;
  const name = HOST.exec(host)?.[1];
  const isOwn =
    name !== undefined &&
    URL.canParse(`http://${host}`) &&
    (isSafeHost(name) || origins.some((one) => toOrigin(new URL(one).protocol, host) === one));
  if (!isOwn) {
    throw new ApiError(
      "FORBIDDEN",
      "This Host is not an address of this service. Set PUBLIC_URL to the service's URL.",
    );
  }
  if (origin === undefined || origins.includes(origin)) return;
  if (origin !== toOrigin(new URL(publicUrl()).protocol, host)) {
    throw new ApiError("FORBIDDEN", "Pages of this origin can't use this endpoint.");
  }
}
