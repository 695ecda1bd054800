import type { IncomingMessage, ServerResponse } from "node:http";
import { LIMITS, MESSAGES, type Resource } from "@minutes/contract";
import {
  type AnyTRPCProcedure,
  type AnyTRPCRouter,
  callTRPCProcedure,
  type TRPCProcedureType,
} from "@trpc/server";
import { ApiError, RETRY_AFTER_SECONDS, toErrorResponse } from "../errors.js";
import type { BodyBudget } from "./body-budget.js";
import { type Codec, ENVELOPE_CODEC } from "./codec.js";
import { type RepeatableCall, type RunOnce, readIdempotencyKey, toRepeatableCall } from "./idempotency.js";
import { JsonLines, sendJsonLines } from "./json-lines.js";
import { LARGE_BODY, parseLargeBody } from "./large-body.js";
import { getLargeInput, ValidatedInput } from "./large-inputs.js";
import {
  addPathParameters,
  decodeBody,
  getBodyLength,
  hasBody,
  parseTarget,
  readJsonBody,
  type Target,
} from "./request.js";
import {
  createProcedureFinder,
  createResourceFinder,
  type FindProcedure,
  type FoundProcedure,
} from "./resources.js";
import { createDeadline, sendResponse, toErrorBody } from "./response.js";
import { describePayload } from "./rest.js";

/** A finished call, for logs and metrics. No field can contain content, a key or an e-mail address. */
export interface CallRecord {
  /** A known procedure, or null. */
  readonly procedure: string | null;
  readonly status: number;
  /** Why a call, or an item of a streamed response, failed with a 5xx; null for a success or refusal. */
  readonly fault: string | null;
  /** Why the call was refused before its procedure ran; null if it was not. */
  readonly refusal: RefusalCause | null;
  readonly milliseconds: number;
}

/** A missing or invalid credential; too many failures from one address; or an exhausted quota. */
export type RefusalCause = "credential" | "failures" | "quota";

/** Derives the reason of a refusal from an error's status and message; null for other errors. */
export function toRefusalCause(status: number, message: string): RefusalCause | null {
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
  /** Runs creates with an `Idempotency-Key`; ignored if absent. */
  readonly runOnce?: RunOnce;
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
  /** Serves each procedure as a resource. By default, its name is the path: `GET` for a read, `POST` for a write. */
  readonly resources?: Readonly<Record<string, Resource>>;
  /** The end of `path` that resources' paths repeat, such as `/keys`. Only those below it are served. */
  readonly section?: string;
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

/**
 * Creates the handler that serves a route set in the contract's format. Envelope, order of checks, body limits,
 * deadline and errors are all handled here.
 */
export function createRouteHandler(
  routes: RouteSet,
  onCall: (record: CallRecord, request: IncomingMessage) => void,
) {
  const procedures = new Map(
    Object.entries(routes.router._def.procedures as Record<string, AnyTRPCProcedure>),
  );
  const { resources, section, codec = ENVELOPE_CODEC } = routes;
  const findProcedure = resources
    ? createResourceFinder(procedures, resources, section)
    : createProcedureFinder(procedures);

  return async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const started = performance.now();
    const call: Call = { procedure: null, found: null, target: null, headers: {}, release: () => {} };
    let status = 200;
    let body: string;
    let fault: string | null = null;
    let refused: RefusalCause | null = null;
    try {
      const payload = await runCall(routes, findProcedure, request, call);
      if (payload instanceof JsonLines) {
        fault = await sendJsonLines(response, call.headers, payload, {
          deadline: routes.limits.deadline,
          codec,
        });
        body = "";
      } else {
        body = codec.writePayload(payload);
        if (resources && call.target && call.found) {
          const described = describePayload(request, routes.path, call.target, call.found, payload, body);
          Object.assign(call.headers, described.headers);
          if (described.isNotModified) [status, body] = [304, ""];
        }
      }
    } catch (error) {
      const refusal = toErrorResponse(error);
      ({ status, fault } = refusal);
      refused = toRefusalCause(status, refusal.message);
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

/** The state of a call so far. */
interface Call {
  procedure: string | null;
  found: FoundProcedure | null;
  target: Target | null;
  headers: Record<string, string | string[]>;
  /** Returns the body's bytes to the budget. */
  release: () => void;
}

/** Checks and runs a call. The order of checks decides which error is reported. @see docs/open-questions.md#q1 */
async function runCall(
  { path: mount, router, authenticate, limits, resources, codec = ENVELOPE_CODEC }: RouteSet,
  findProcedure: FindProcedure,
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
  call.target = target;
  const found = findProcedure(request.method ?? "GET", target.path);
  const { name, procedure, inputIn } = found;
  call.procedure = name;
  call.found = found;
  const { type } = procedure._def;
  if (type === "mutation") requireWriteAccess(admission);

  let input: unknown;
  let repeatable: RepeatableCall | undefined;
  if (inputIn === "query") input = addPathParameters(found.parameters, codec.parseQuery(target, procedure));
  else {
    if (codec.hasParameters(target))
      throw new ApiError("BAD_REQUEST", "This procedure takes its input in the body.");
    // An action on a resource needs no body.
    const body = resources && !hasBody(request) ? NO_BODY : await readBody(request, limits, admission, call);
    const key = admission.runOnce && readIdempotencyKey(request, name);
    if (key !== undefined) repeatable = toRepeatableCall(mount, found, key, body);
    input = await withinDeadline(readInput(codec, found, body));
  }
  const run = () => runProcedure(router, { path: name, type, input }, ctx);
  if (!repeatable || !admission.runOnce) return withinDeadline(run());
  const { payload, replayed } = await withinDeadline(admission.runOnce(repeatable, run));
  if (replayed) call.headers["Idempotent-Replayed"] = "true";
  return payload;
}

const NO_BODY = Buffer.from("{}");

async function readBody(
  request: IncomingMessage,
  limits: RouteSet["limits"],
  { holder }: Admission,
  call: Call,
): Promise<Uint8Array> {
  const bodyBytes = limits.bodyBytes ?? LIMITS.bodyBytes;
  if (limits.bodies && holder !== undefined)
    call.release = limits.bodies.take(holder, getBodyLength(request, bodyBytes));
  return readJsonBody(request, bodyBytes);
}

/** Parses a body. A large one is parsed and validated in a thread if its procedure allows that. */
async function readInput(
  codec: Codec,
  { procedure, parameters }: FoundProcedure,
  body: Uint8Array,
): Promise<unknown> {
  const large = body.length > LARGE_BODY ? getLargeInput(procedure) : null;
  if (!large) return addPathParameters(parameters, codec.parseBody(decodeBody(body)));
  const format = codec === ENVELOPE_CODEC ? "envelope" : "rest";
  return new ValidatedInput(await parseLargeBody({ body, schema: large, format, parameters }));
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
