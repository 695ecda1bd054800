import type { IncomingMessage, ServerResponse } from "node:http";
import { LIMITS, MESSAGES, wrongMethod } from "@minutes/contract";
import {
  type AnyTRPCProcedure,
  type AnyTRPCRouter,
  callTRPCProcedure,
  type TRPCProcedureType,
} from "@trpc/server";
import { ApiError, RETRY_AFTER_SECONDS, toErrorResponse } from "../errors.js";
import type { BodyBudget } from "./body-budget.js";
import { type Codec, ENVELOPE_CODEC } from "./codec.js";
import { JsonLines, sendJsonLines } from "./json-lines.js";
import { LARGE_BODY, parseLargeBody } from "./large-body.js";
import { getLargeInput } from "./large-inputs.js";
import { decodeBody, getBodyLength, parseTarget, readJsonBody } from "./request.js";
import { createDeadline, sendResponse, toErrorBody } from "./response.js";

/** A finished call, for logs and metrics. No field can contain content, a key or an e-mail address. */
export interface CallRecord {
  /** A known procedure, or null. */
  readonly procedure: string | null;
  readonly status: number;
  /** Why a call, or an item of a streamed response, failed with a 5xx; null for a success or refusal. */
  readonly fault: string | null;
  /** Why the call was refused before its procedure ran; null if it was not. */
  readonly refusal: Refusal | null;
  readonly milliseconds: number;
}

/** A missing or invalid credential; too many failures from one address; or an exhausted quota. */
export type Refusal = "credential" | "failures" | "quota";

/** Derives the reason of a refusal from an error's status and message; null for other errors. */
export function toRefusal(status: number, message: string): Refusal | null {
  if (status === 401) return "credential";
  if (status !== 429) return null;
  return message === MESSAGES.tooManyFailures ? "failures" : "quota";
}

/** A caller with a valid credential. */
export interface Admission {
  /** Sent with every response, such as the quota headers. */
  readonly headers: Readonly<Record<string, string>>;
  /** The holder charged for this call's body in the route set's `bodies`. */
  readonly holder?: string;
  /** False refuses every procedure that writes. */
  readonly mayWrite?: boolean;
  /**
   * Checks quota and access to these routes, and creates the procedures' context.
   * @param addCookie adds a `Set-Cookie` header to the response, for procedures that sign in or out
   * @throws ApiError 429 over quota, 403 if these routes are not for the caller
   */
  authorize(addCookie: (cookie: string) => void): object;
}

/** Refuses read-only callers. @throws ApiError 403 */
export function requireWriteAccess({ mayWrite = true }: Admission): void {
  if (!mayWrite) throw new ApiError("FORBIDDEN", MESSAGES.readOnlyKey);
}

/** The procedures served under one path for one kind of credential. */
export interface RouteSet {
  /** Mount path, such as `/v1/me`. */
  readonly path: string;
  readonly router: AnyTRPCRouter;
  /** Wire format of inputs and payloads; tRPC's envelope by default. */
  readonly codec?: Codec;
  /** Checks a request's credential and counts the request. @throws ApiError 401 */
  readonly authenticate: (request: IncomingMessage) => Promise<Admission>;
  readonly limits: {
    /** Timeout in ms after which a call is answered with 503; per line for a streamed response. */
    readonly deadline: number;
    /** Timeout in ms for checking the credential, part of `deadline`; defaults to it. */
    readonly authenticationDeadline?: number;
    /** Maximum bytes of a request body; the contract's limit for `/v1` by default. */
    readonly bodyBytes?: number;
    /** Budget for concurrent bodies; unlimited by default, for routes with short bodies. */
    readonly bodies?: BodyBudget;
  };
}

type Procedures = ReadonlyMap<string, AnyTRPCProcedure>;

/**
 * Creates the handler that serves a route set in the contract's format. Envelope, order of checks, body limits,
 * deadline and errors are all handled here.
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
      } else body = (routes.codec ?? ENVELOPE_CODEC).writePayload(payload);
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

/** What is known about a call so far. */
interface Call {
  procedure: string | null;
  headers: Record<string, string | string[]>;
  /** Returns the body's bytes to the budget. */
  release: () => void;
}

/** Checks and runs a call. The order of checks decides which error is reported. @see docs/open-questions.md#q1 */
async function runCall(
  { router, authenticate, limits, codec = ENVELOPE_CODEC }: RouteSet,
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
  const ctx = admission.authorize((cookie) => {
    call.headers["Set-Cookie"] = [...(call.headers["Set-Cookie"] ?? []), cookie];
  });

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

  const parameters = type === "query" ? codec.parseQuery(target, procedure) : undefined;
  if (type === "mutation" && codec.hasParameters(target)) {
    throw new ApiError("BAD_REQUEST", "This procedure takes its input in the body.");
  }
  const bodyBytes = limits.bodyBytes ?? LIMITS.bodyBytes;
  if (type === "mutation" && limits.bodies && admission.holder !== undefined) {
    call.release = limits.bodies.take(admission.holder, getBodyLength(request, bodyBytes));
  }
  const input =
    type === "mutation"
      ? await withinDeadline(readInput(codec, procedure, await readJsonBody(request, bodyBytes)))
      : parameters;
  return withinDeadline(runProcedure(router, { path: target.path, type, input: input ?? {} }, ctx));
}

/** Parses a body. A large one is parsed and validated in a thread if its procedure allows that. */
async function readInput(codec: Codec, procedure: AnyTRPCProcedure, body: Uint8Array): Promise<unknown> {
  const large = codec === ENVELOPE_CODEC && body.length > LARGE_BODY ? getLargeInput(procedure) : null;
  return large ? parseLargeBody(body, large) : codec.parseBody(decodeBody(body));
}

/** A call of one procedure. */
export interface ProcedureCall {
  readonly path: string;
  readonly type: TRPCProcedureType;
  readonly input: unknown;
}

/** Runs a router's procedure: over HTTP, as an assistant's tool, and for the command line. */
export const runProcedure = (
  router: AnyTRPCRouter,
  { path, type, input }: ProcedureCall,
  ctx: object,
): Promise<unknown> =>
  callTRPCProcedure({
    router,
    path,
    type,
    ctx,
    getRawInput: async () => input,
    signal: undefined,
    batchIndex: 0,
  });
