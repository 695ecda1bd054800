import type { IncomingMessage, ServerResponse } from "node:http";
import { LIMITS, MESSAGES, type Operation, type RestRoute } from "@minutes/contract";
import { type Database, type Deadline, endWith, type OnEnd } from "@minutes/db";
import {
  type AnyTRPCProcedure,
  type AnyTRPCRouter,
  callTRPCProcedure,
  type TRPCProcedureType,
} from "@trpc/server";
import { ApiError, RETRY_AFTER_SECONDS, toErrorResponse } from "../lib/errors.js";
import type { BodyBudget } from "./body-budget.js";
import { type Codec, ENVELOPE_CODEC } from "./codec.js";
import type { Context } from "./context.js";
import type { RepeatableCall, RunOnce } from "./idempotency.js";
import { readIdempotencyKey, toRepeatableCall } from "./idempotency.js";
import { JsonLines, JsonStream, sendJsonLines } from "./json-lines.js";
import { LARGE_BODY, parseLargeBody } from "./large-body.js";
import { getLargeInputName, ValidatedInput } from "./large-inputs.js";
import { writeJson } from "./long-answers.js";
import { takeTurn, watchClient } from "./rate-limit/turns.js";
import {
  addPathParameters,
  decodeBody,
  getBodyLength,
  hasAudio,
  hasBody,
  isBatch,
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
import { parsePathParameters } from "./rest-codec.js";

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
  authorize(addCookie: (cookie: string) => unknown): object;
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
  readonly resources?: Readonly<Record<string, RestRoute>>;
  /** Suffix of `path` that resource paths repeat, such as `/keys`. Only resources below it are served. */
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

  const toAnswer = async (
    request: IncomingMessage,
    call: Call,
    payload: unknown,
    replayed: boolean,
  ): Promise<CallAnswer> => {
    const body = codec.wrap(await writeJson(payload));
    const headers: Record<string, string> = replayed ? { "Idempotent-Replayed": "true" } : {};
    const answer = { status: 200, headers, body, fault: null, refusal: null };
    if (!resources || !call.target || !call.found) return answer;
    const redirects = resources[call.found.name]?.redirects;
    if (redirects !== undefined) {
      const { [redirects]: Location = "" } = payload as Readonly<Record<string, string>>;
      // Clients repeat this header at another host, but no bearer token.
      const isSafe = Location.startsWith("/") || request.headers["x-api-key"] === undefined;
      return isSafe ? { ...answer, status: 302, headers: { ...headers, Location } } : answer;
    }
    const described = await describePayload(request, routes.path, call.target, call.found, payload, body);
    const all = { ...answer, headers: { ...headers, ...described.headers } };
    return described.isNotModified ? { ...all, status: 304, body: "" } : all;
  };

  return async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const started = performance.now();
    const call: Call = { admission: null, target: null, found: null, cookies: [], release: () => {} };
    let answer: CallAnswer;
    try {
      const { payload, replayed } = await runCall(routes, findProcedure, request, call);
      if (payload instanceof JsonLines || payload instanceof JsonStream) {
        const options = { deadline: routes.limits.deadline, codec };
        const fault = await sendJsonLines(response, listHeaders(call), payload, options);
        answer = { status: 200, headers: {}, body: "", fault, refusal: null };
      } else answer = await toAnswer(request, call, payload, replayed);
    } catch (error) {
      answer = toErrorAnswer(error);
    } finally {
      call.release();
    }
    const { status, headers, body, fault, refusal } = answer;
    sendResponse(response, status, { ...listHeaders(call), ...headers }, body);
    const milliseconds = performance.now() - started;
    onCall({ procedure: call.found?.name ?? null, status, fault, refusal, milliseconds }, request);
  };
}

/** The state of a call so far. */
interface Call {
  admission: Admission | null;
  target: Target | null;
  found: FoundProcedure | null;
  /** `Set-Cookie` headers. */
  readonly cookies: string[];
  /** Returns the body's bytes to the budget. */
  release: () => void;
}

/** Lists the headers of every response to a call, whether it succeeds or fails. */
const listHeaders = ({ admission, cookies }: Call): Record<string, string | string[]> => ({
  ...admission?.headers,
  ...(cookies.length > 0 ? { "Set-Cookie": cookies } : {}),
});

/** A response to a call, and what is logged about it. */
interface CallAnswer extends Pick<CallRecord, "status" | "fault" | "refusal"> {
  /** Sent in addition to those of every response. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

function toErrorAnswer(error: unknown): CallAnswer {
  const { status, message, headers, fault } = toErrorResponse(error);
  const retry: Record<string, string> = status === 503 ? { "Retry-After": String(RETRY_AFTER_SECONDS) } : {};
  const refusal = toRefusalCause(status, message);
  return { status, headers: { ...headers, ...retry }, body: toErrorBody(message), fault, refusal };
}

/** Checks and runs a call. The order of checks decides which error is reported. @see docs/open-questions.md#q1 */
async function runCall(
  { path: mount, router, authenticate, limits, resources, codec = ENVELOPE_CODEC }: RouteSet,
  findProcedure: FindProcedure,
  request: IncomingMessage,
  call: Call,
): Promise<{ readonly payload: unknown; readonly replayed: boolean }> {
  const deadline = createDeadline(limits.deadline);
  const { authenticationDeadline } = limits;
  const authenticated = authenticate(request);
  const admission = await deadline.within(
    authenticationDeadline === undefined
      ? authenticated
      : createDeadline(authenticationDeadline).within(authenticated),
  );
  call.admission = admission;
  const ctx = admission.authorize((cookie) => call.cookies.push(cookie));

  const target = parseTarget(request.url ?? "/");
  call.target = target;
  if (!resources && isBatch(target)) throw new ApiError("BAD_REQUEST", MESSAGES.batchedPath);
  const found = findProcedure(request.method ?? "GET", target);
  const { name, procedure, inputIn } = found;
  call.found = found;
  const { type } = procedure._def;
  if (type === "mutation") requireWriteAccess(admission);

  let input: unknown;
  let repeatable: RepeatableCall | undefined;
  if (inputIn === "query")
    input = addPathParameters(parsePathParameters(found), codec.parseQuery(target, procedure));
  else {
    if (codec.hasParameters(target))
      throw new ApiError("BAD_REQUEST", "This procedure takes its input in the body.");
    if (resources && hasAudio(request)) throw new ApiError("UNSUPPORTED_MEDIA_TYPE", MESSAGES.uploadedAudio);
    // An action on a resource needs no body.
    const body = resources && !hasBody(request) ? NO_BODY : await readBody(request, limits, admission, call);
    const key = admission.runOnce && readIdempotencyKey(request, name);
    if (key !== undefined) repeatable = toRepeatableCall(mount, found, key, body);
    input = await deadline.within(readInput(codec, found, body));
  }
  const onGone: OnEnd = (end) => watchClient(request, end);
  const run = () => runProcedure(router, { path: name, type, input }, ctx, deadline, onGone);
  if (!repeatable || !admission.runOnce) return { payload: await deadline.within(run()), replayed: false };
  return deadline.within(admission.runOnce(repeatable, run));
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
async function readInput(codec: Codec, found: FoundProcedure, body: Uint8Array): Promise<unknown> {
  const { parameters } = found;
  const large = body.length > LARGE_BODY ? getLargeInputName(found.procedure) : null;
  if (!large) return addPathParameters(parsePathParameters(found), codec.parseBody(decodeBody(body)));
  const format = codec === ENVELOPE_CODEC ? "envelope" : "rest";
  return new ValidatedInput(await parseLargeBody({ body, schema: large, format, parameters }));
}

/** A call of one procedure. */
export interface ProcedureCall {
  readonly path: string;
  readonly type: TRPCProcedureType;
  readonly input: unknown;
}

/**
 * Runs a router's procedure: over HTTP, as an assistant's tool, and for the command line. A costly one takes its turn.
 * @param deadline ends what a mutation does in the database; none on the command line
 * @param onGone calls back when the client is gone
 */
export function runProcedure(
  router: AnyTRPCRouter,
  { path, type, input }: ProcedureCall,
  ctx: object,
  deadline?: Deadline,
  onGone?: OnEnd,
): Promise<unknown> {
  const run = () =>
    callTRPCProcedure({
      router,
      path,
      type,
      ctx: deadline ? limitContext(ctx, type, deadline) : ctx,
      getRawInput: async () => input,
      signal: undefined,
      batchIndex: 0,
    });
  const { procedures } = router._def as { procedures: Readonly<Record<string, AnyTRPCProcedure>> };
  const { operation } = (procedures[path]?._def.meta ?? {}) as { operation?: Operation };
  if (!deadline || !operation?.costly) return run();
  const { db, caller } = ctx as Context;
  return takeTurn(db, caller, run, deadline, onGone);
}

/** Adds a call's deadline to its context. */
function limitContext(ctx: { db?: Database }, type: TRPCProcedureType, deadline: Deadline): object {
  const limited = { ...ctx, deadline };
  return ctx.db && type === "mutation" ? { ...limited, db: endWith(deadline, ctx.db) } : limited;
}
