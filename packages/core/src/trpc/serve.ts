import type { IncomingMessage, ServerResponse } from "node:http";
import { LIMITS, MESSAGES, wrongMethod } from "@minutes/contract";
import { type AnyTRPCProcedure, type AnyTRPCRouter, callTRPCProcedure } from "@trpc/server";
import { ApiError, answerFor, RETRY_AFTER_SECONDS } from "../errors.js";
import { deadline, errorBody, send } from "./answer.js";
import type { BodyBudget } from "./body-budget.js";
import { openEnvelope, sealEnvelope } from "./envelope.js";
import { Lines, sendLines } from "./lines.js";
import { bodyLength, inputParameter, readBody, targetOf } from "./request.js";

/** One answered call, for logs and metrics: nothing in it can hold content, a key or an e-mail address. */
export interface CallRecord {
  /** A known procedure, or null. */
  readonly procedure: string | null;
  readonly status: number;
  /** Set when the fault is ours. */
  readonly fault: string | null;
  readonly milliseconds: number;
}

/** What a key was found to allow. `headers` are sent whatever comes of the call. */
export interface Admission {
  readonly headers: Record<string, string>;
  /** Whose share of the routes' `bodies` this call's body takes. */
  readonly holder?: string;
  /** The procedures' context. Throws when the key may not use these routes. */
  context(): object;
}

export interface Routes {
  readonly router: AnyTRPCRouter;
  /** Verifies the key of a request, which is in `header`. @throws ApiError 401 */
  readonly verify: (key: string | undefined) => Promise<Admission>;
  /** The header that carries the key; `x-api-key` when absent. */
  readonly header?: string;
  /** Milliseconds after which a call is answered with 503; for a streamed answer, each of its lines. */
  readonly deadline: number;
  /** Most bytes of a request's body; the contract's limit for `/v1` when absent. */
  readonly bodyBytes?: number;
  /** What bodies may take of memory at once, where they are long. */
  readonly bodies?: BodyBudget;
  readonly onCall?: (record: CallRecord) => void;
}

type Procedures = ReadonlyMap<string, AnyTRPCProcedure>;

/**
 * Serves a router on plain HTTP in the contract's format; mount it on Express at the route set's path. It owns
 * the envelope, the order of checks, body limits, deadline and errors, so that a request crosses one file.
 */
export function serveRoutes(routes: Routes) {
  const procedures: Procedures = new Map(
    Object.entries(routes.router._def.procedures as Record<string, AnyTRPCProcedure>),
  );

  return async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const started = performance.now();
    const call: Call = { procedure: null, headers: {}, release: () => {} };
    let status = 200;
    let body: string;
    let fault: string | null = null;
    try {
      const payload = await answer(routes, procedures, request, call);
      if (payload instanceof Lines) {
        fault = await sendLines(response, call.headers, payload, routes.deadline);
        body = "";
      } else body = sealEnvelope(payload);
    } catch (error) {
      const answered = answerFor(error);
      ({ status, fault } = answered);
      body = errorBody(answered.message);
      if (status === 503) call.headers["Retry-After"] = String(RETRY_AFTER_SECONDS);
    } finally {
      call.release();
    }
    send(response, status, call.headers, body);
    routes.onCall?.({ procedure: call.procedure, status, fault, milliseconds: performance.now() - started });
  };
}

/** What is learnt about a call on its way, for its answer and its record. */
interface Call {
  procedure: string | null;
  headers: Record<string, string>;
  /** Gives back what its body took of the budget. */
  release: () => void;
}

/** The checks, in the order in which the contract's errors win over one another. */
async function answer(
  routes: Routes,
  procedures: Procedures,
  request: IncomingMessage,
  call: Call,
): Promise<unknown> {
  const key = request.headers[routes.header ?? "x-api-key"];
  const within = deadline(routes.deadline);
  const admission = await within(routes.verify(typeof key === "string" ? key : undefined));
  Object.assign(call.headers, admission.headers);
  const ctx = admission.context();

  const target = targetOf(request.url ?? "/");
  const procedure = procedures.get(target.path);
  if (!procedure) throw new ApiError("NOT_FOUND", MESSAGES.unknownProcedure);
  call.procedure = target.path;

  const type = procedure._def.type;
  const method = type === "query" ? "GET" : "POST";
  if (request.method !== method) {
    call.headers.Allow = method;
    throw new ApiError("METHOD_NOT_SUPPORTED", wrongMethod(method));
  }

  const parameter = inputParameter(target);
  if (type === "mutation" && parameter !== undefined) {
    throw new ApiError("BAD_REQUEST", "This procedure takes its input in the body.");
  }
  const limit = routes.bodyBytes ?? LIMITS.bodyBytes;
  if (type === "mutation" && routes.bodies && admission.holder !== undefined) {
    call.release = routes.bodies.take(admission.holder, bodyLength(request, limit));
  }
  const text = type === "mutation" ? await readBody(request, limit) : parameter;
  // A call without input has no parameters; which of them it needs, its own input says.
  const input = (text === undefined ? undefined : openEnvelope(text)) ?? {};
  return within(
    callTRPCProcedure({
      router: routes.router,
      path: target.path,
      type,
      ctx,
      getRawInput: async () => input,
      signal: undefined,
      batchIndex: 0,
    }),
  );
}
