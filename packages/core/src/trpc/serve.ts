import type { IncomingMessage, ServerResponse } from "node:http";
import { LIMITS, MESSAGES, wrongMethod } from "@minutes/contract";
import { type AnyTRPCProcedure, type AnyTRPCRouter, callTRPCProcedure } from "@trpc/server";
import { ApiError, RETRY_AFTER_SECONDS, toErrorResponse } from "../errors.js";
import type { BodyBudget } from "./body-budget.js";
import { JsonLines, sendJsonLines } from "./json-lines.js";
import { getBodyLength, parseTarget, readJsonBody } from "./request.js";
import { createDeadline, sendResponse, toErrorBody } from "./response.js";
import { ENVELOPE_WIRE, type Wire } from "./wire.js";

/** One finished call, for logs and metrics. No field can hold content, a key or an e-mail address. */
export interface CallRecord {
  /** A known procedure, or null. */
  readonly procedure: string | null;
  readonly status: number;
  /** Describes a fault of the service; null for a success or a refusal. */
  readonly fault: string | null;
  /** Why it was refused before its procedure ran; null when it was not. */
  readonly refusal: Refusal | null;
  readonly milliseconds: number;
}

/** A credential that is missing or not valid; too many of these from one address; or a used-up quota. */
export type Refusal = "credential" | "failures" | "quota";

/** Tells by an error's status and message why a request was refused; null for all other errors. */
export function toRefusal(status: number, message: string): Refusal | null {
  if (status === 401) return "credential";
  if (status !== 429) return null;
  return message === MESSAGES.tooManyFailures ? "failures" : "quota";
}

/** A caller whose credential was accepted. */
export interface Admission {
  /** Sent with the response whatever its status, such as the quota's headers. Procedures may add to them. */
  readonly headers: Record<string, string>;
  /** Whose share of the route set's `bodies` this call's body takes. */
  readonly holder?: string;
  /** False refuses every procedure that writes. */
  readonly mayWrite?: boolean;
  /** Makes the procedures' context. @throws ApiError 429 over quota, 403 when these routes are not for the caller. */
  context(): object;
}

/** Refuses a caller that may only read. @throws ApiError 403 */
export function requireWriteAccess({ mayWrite = true }: Admission): void {
  if (!mayWrite) throw new ApiError("FORBIDDEN", MESSAGES.readOnlyKey);
}

/** Procedures that are served under one path for one kind of credential. */
export interface RouteSet {
  /** Where the routes are mounted, such as `/v1/me`. */
  readonly path: string;
  readonly router: AnyTRPCRouter;
  /** How inputs and payloads are written; tRPC's envelope when absent. */
  readonly wire?: Wire;
  /** Checks a request's credential and counts the request. @throws ApiError 401 */
  readonly authenticate: (request: IncomingMessage) => Promise<Admission>;
  readonly limits: {
    /** Milliseconds after which a call is answered with 503; for a streamed response, each of its lines. */
    readonly deadline: number;
    /** Milliseconds for the check of the credential, which are part of the above; the same when absent. */
    readonly authenticationDeadline?: number;
    /** Most bytes of a request's body; the contract's limit for `/v1` when absent. */
    readonly bodyBytes?: number;
    /** Bytes of bodies that the process holds at once; unlimited when absent, for short bodies. */
    readonly bodies?: BodyBudget;
  };
}

type Procedures = ReadonlyMap<string, AnyTRPCProcedure>;

/**
 * Makes the handler that serves a route set in the contract's format. It owns the envelope, the order of checks, body
 * limits, deadline and errors, so that a request is handled in one file.
 */
export function createRouteHandler(
  routes: RouteSet,
  onCall: (record: CallRecord, request: IncomingMessage) => void,
) {
  const procedures: Procedures = new Map(
    Object.entries(routes.router._def.procedures as Record<string, AnyTRPCProcedure>),
  );

  return async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const started = performance.now();
    const call: Call = { procedure: null, headers: {}, release: () => {} };
    let status = 200;
    let body: string;
    let fault: string | null = null;
    let refused: Refusal | null = null;
    try {
      const payload = await runCall(routes, procedures, request, call);
      if (payload instanceof JsonLines) {
        fault = await sendJsonLines(response, call.headers, payload, routes.limits.deadline);
        body = "";
      } else body = (routes.wire ?? ENVELOPE_WIRE).writePayload(payload);
    } catch (error) {
      const refusal = toErrorResponse(error);
      ({ status, fault } = refusal);
      refused = toRefusal(status, refusal.message);
      body = toErrorBody(refusal.message);
      Object.assign(call.headers, refusal.headers);
      if (status === 503) call.headers["Retry-After"] = String(RETRY_AFTER_SECONDS);
    } finally {
      call.release();
    }
    sendResponse(response, status, call.headers, body);
    const milliseconds = performance.now() - started;
    onCall({ procedure: call.procedure, status, fault, refusal: refused, milliseconds }, request);
  };
}

/** What becomes known about a call while it is handled. */
interface Call {
  procedure: string | null;
  headers: Record<string, string>;
  /** Returns the body's share of the budget. */
  release: () => void;
}

/** Checks and runs a call, in the order in which the contract's errors take precedence. @see docs/open-questions.md#q1 */
async function runCall(
  { router, authenticate, limits, wire = ENVELOPE_WIRE }: RouteSet,
  procedures: Procedures,
  request: IncomingMessage,
  call: Call,
): Promise<unknown> {
  const withinDeadline = createDeadline(limits.deadline);
  const { authenticationDeadline } = limits;
  const authenticated = authenticate(request);
  const admission = await withinDeadline(
    authenticationDeadline === undefined
      ? authenticated
      : createDeadline(authenticationDeadline)(authenticated),
  );
  Object.assign(call.headers, admission.headers);
  const ctx = admission.context();

  const target = parseTarget(request.url ?? "/");
  const procedure = procedures.get(target.path);
  if (!procedure) throw new ApiError("NOT_FOUND", MESSAGES.unknownProcedure);
  call.procedure = target.path;

  const type = procedure._def.type;
  const method = type === "query" ? "GET" : "POST";
  if (request.method !== method) {
    call.headers.Allow = method;
    throw new ApiError("METHOD_NOT_SUPPORTED", wrongMethod(method));
  }
  if (type === "mutation") requireWriteAccess(admission);

  const parameters = type === "query" ? wire.parseQuery(target, procedure) : undefined;
  if (type === "mutation" && wire.hasParameters(target)) {
    throw new ApiError("BAD_REQUEST", "This procedure takes its input in the body.");
  }
  const bodyBytes = limits.bodyBytes ?? LIMITS.bodyBytes;
  if (type === "mutation" && limits.bodies && admission.holder !== undefined) {
    call.release = limits.bodies.take(admission.holder, getBodyLength(request, bodyBytes));
  }
  const input =
    (type === "mutation" ? wire.parseBody(await readJsonBody(request, bodyBytes)) : parameters) ?? {};
  const running = withinDeadline(
    callTRPCProcedure({
      router,
      path: target.path,
      type,
      ctx,
      getRawInput: async () => input,
      signal: undefined,
      batchIndex: 0,
    }),
  );
  // A procedure may add headers, such as a cookie.
  return running.finally(() => Object.assign(call.headers, admission.headers));
}
