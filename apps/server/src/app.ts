import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { LIMITS, MESSAGES } from "@minutes/contract";
import {
  type CallRecord,
  ChangeSignal,
  COMMON_HEADERS,
  CredentialGuard,
  type CredentialGuardOptions,
  createAddressGuard,
  createOidcClient,
  createRouteHandler,
  getRequestId,
  KeyNetworks,
  KeyUses,
  KeyVerifier,
  type Mailer,
  type OidcClient,
  RECORDING_DAYS,
  REQUEST_ID_HEADER,
  RequestStatistics,
  type RouteSet,
  type SummaryQueue,
  sendResponse,
  toErrorBody,
  toErrorResponse,
  VisitorGuard,
  type WebhookSettings,
} from "@minutes/core";
import type { Connection } from "@minutes/db";
import type { SimilaritySearch } from "@minutes/search";
import cors from "cors";
import express, { type ErrorRequestHandler } from "express";
import type { Logger } from "pino";
import { serveConsole } from "./console/serve.js";
import { answerDirectly, type RouteHandler } from "./direct-routes.js";
import { serveDocuments, serveHome } from "./documents/serve.js";
import { type Env, WAYS_TO_SIGN_IN } from "./env.js";
import { createMcpHandler } from "./mcp/http.js";
import { describeConsoleRoutes } from "./routes/console.js";
import type { RouteDependencies } from "./routes/dependencies.js";
import { describeIdentityRoutes } from "./routes/identity.js";
import { describeIngestRoutes } from "./routes/ingest.js";
import { serveOidc } from "./routes/oidc.js";
import { describePersonalRoutes } from "./routes/personal.js";
import { describePlainPersonalRoutes, describePlainWorkspaceRoutes } from "./routes/plain.js";
import { describeSettingsRoutes } from "./routes/settings.js";
import { serveStatus } from "./routes/status.js";
import { describePersonalSyncRoutes, describeWorkspaceSyncRoutes } from "./routes/sync.js";
import { describeUploadRoutes } from "./routes/upload.js";
import { describeWorkspaceRoutes } from "./routes/workspace.js";
import { createAccessLog } from "./watch/access-log.js";
import { type AnsweredRequest, createAnswerObserver } from "./watch/observe-answers.js";
import type { MetricsHandler } from "./watch/serve-metrics.js";

/** Paths that pages of other origins may call, where the operator allows it. */
const OPEN_PATHS = ["/v1", "/rest/v1", "/sync/v1"];

/** Milliseconds until a call is answered with 503. */
export const REQUEST_DEADLINE = 5_000;

export interface AppOptions {
  readonly connection: Connection;
  readonly env: Pick<Env, "RATE_LIMIT_PER_MINUTE" | "CORS_ORIGINS"> &
    Partial<
      Pick<
        Env,
        | "ACCESS_LOG"
        | "INGEST_LIMIT_PER_MINUTE"
        | "OIDC_CLIENT_ID"
        | "OIDC_CLIENT_SECRET"
        | "OIDC_ISSUER"
        | "OIDC_WORKSPACE"
        | "PUBLIC_URL"
        | "RECORDING_DAYS"
        | "SIGN_IN"
        | "TRUST_PROXY"
      >
    >;
  readonly log: Logger;
  /** Search by similarity; search goes by words alone when absent. */
  readonly similarity?: SimilaritySearch | undefined;
  /** False once the server is stopping. */
  readonly accepting?: () => boolean;
  readonly deadline?: number;
  /** Wakes callers that wait for changes; one that nobody stops when absent. */
  readonly changes?: ChangeSignal;
  /** Bounds of failed authentications; the defaults when absent. */
  readonly credentialLimits?: Partial<CredentialGuardOptions>;
  /** Summarises completed recordings that lack a summary; they stay without when absent. */
  readonly summaries?: SummaryQueue;
  /** What webhooks are managed with; without it, none can be created. */
  readonly webhooks?: WebhookSettings;
  /** Returns the origin where people reach the installation; `http://localhost` when absent. */
  readonly publicUrl?: () => string;
  /** Sends links and invitations; none are sent when absent. */
  readonly mailer?: Mailer | null;
  /** Directory of the console's build; the console is not served when absent. */
  readonly consoleDirectory?: string | null;
  /** Answers `/metrics`; an unknown path when absent. */
  readonly metrics?: MetricsHandler | undefined;
  /** Called with each answered request. */
  readonly onAnswer?: ((answer: AnsweredRequest, request: IncomingMessage) => void) | undefined;
  /** Wraps the check of a request's credential; nothing does when absent. */
  readonly traceAuthentication?:
    | ((authenticate: RouteSet["authenticate"]) => RouteSet["authenticate"])
    | undefined;
}

/** Mounts everything that the server answers. */
export function createApp(options: AppOptions): RequestListener {
  const { connection, env, log, similarity, accepting = () => true, deadline = REQUEST_DEADLINE } = options;
  const { db } = connection;
  const dependencies: RouteDependencies = {
    db,
    keys: { verifier: new KeyVerifier(db), uses: new KeyUses(db) },
    changes: options.changes ?? createChangeSignal(connection, log),
    rateLimit: env.RATE_LIMIT_PER_MINUTE,
    ingestLimit: env.INGEST_LIMIT_PER_MINUTE ?? LIMITS.ingestPerMinute,
    credentials: new CredentialGuard(options.credentialLimits),
    visitors: new VisitorGuard(db),
    keyNetworks: new KeyNetworks(db),
    requests: new RequestStatistics(db),
    origins: [...env.CORS_ORIGINS, ...(env.PUBLIC_URL ? [new URL(env.PUBLIC_URL).origin] : [])],
    deadline,
    similarity,
    recordingExpiryDays: env.RECORDING_DAYS ?? RECORDING_DAYS,
    summaries: options.summaries ?? { enabled: false, wake: () => {} },
    webhooks: options.webhooks ?? { keyring: null, guard: createAddressGuard() },
    publicUrl: options.publicUrl ?? (() => "http://localhost"),
    mailer: options.mailer ?? null,
    signIn: env.SIGN_IN ?? WAYS_TO_SIGN_IN,
    oidc: createOidc(env),
    onFault: (error, request) =>
      log.error(
        { requestId: getRequestId(request), fault: toErrorResponse(error).fault },
        "a sign-in failed behind its answer",
      ),
  };

  const app = express();
  app.disable("x-powered-by");
  app.disable("etag");
  app.enable("case sensitive routing");
  app.set("trust proxy", env.TRUST_PROXY ?? false);
  const answerError = createErrorAnswer(log);
  const allowPages = env.CORS_ORIGINS.length > 0 ? allowOrigins(env.CORS_ORIGINS) : null;
  app.use((request, response, next) => {
    response.setHeader(REQUEST_ID_HEADER, getRequestId(request));
    next();
  });
  app.use("/identity/v1/oidc", serveOidc(dependencies));
  const routeSets = [
    describePersonalRoutes,
    describeWorkspaceRoutes,
    describePlainPersonalRoutes,
    describePlainWorkspaceRoutes,
    describePersonalSyncRoutes,
    describeWorkspaceSyncRoutes,
    describeIngestRoutes,
    describeSettingsRoutes,
    describeConsoleRoutes,
    describeUploadRoutes,
    describeIdentityRoutes,
  ].map((describeRoutes): RouteSet => {
    const routes = describeRoutes(dependencies);
    const trace = options.traceAuthentication;
    return trace ? { ...routes, authenticate: trace(routes.authenticate) } : routes;
  });
  const observer = createObserver(options, routeSets);
  const logCall = logCalls(log);
  const onCall = (call: CallRecord, request: IncomingMessage): void => {
    logCall(call, request);
    observer?.onCall(call, request);
  };
  const handlers = new Map<string, RouteHandler>();
  for (const routes of routeSets) {
    const handle = createRouteHandler(routes, onCall);
    const answer: RouteHandler = (request, response) =>
      void handle(request, response).catch((error) => answerError(error, response));
    const open = allowPages && OPEN_PATHS.some((path) => routes.path.startsWith(`${path}/`));
    handlers.set(
      routes.path,
      open
        ? (request, response) => {
            response.setHeader(REQUEST_ID_HEADER, getRequestId(request));
            allowPages(request, response, () => answer(request, response));
          }
        : answer,
    );
  }
  for (const [path, handler] of handlers) app.use(path, handler);
  // Express has routes of company accounts below this path, which come first.
  handlers.delete("/identity/v1");
  if (allowPages) app.use([...OPEN_PATHS], allowPages);
  app.all("/mcp", createMcpHandler(dependencies, onCall));
  if (options.metrics) app.all("/metrics", options.metrics);
  app.use(serveDocuments());
  if (options.consoleDirectory) app.use(serveConsole(options.consoleDirectory));
  app.use(serveHome());
  app.use(serveStatus({ db, similarity, accepting, deadline }));
  app.use((_request, response) => {
    response.status(404).set(COMMON_HEADERS).send(toErrorBody(MESSAGES.notFound));
  });
  app.use(((error, _request, response, _next) => answerError(error, response)) satisfies ErrorRequestHandler);
  const answer = answerDirectly(app, handlers);
  return observer ? observer.wrap(answer) : answer;
}

/** Creates the observer of answers; null where nobody wants to know of them. */
function createObserver({ env, log, onAnswer }: AppOptions, routeSets: readonly RouteSet[]) {
  const observers = [
    ...(env.ACCESS_LOG === "on" ? [createAccessLog(log)] : []),
    ...(onAnswer ? [onAnswer] : []),
  ];
  if (observers.length === 0) return null;
  const paths = routeSets.map(({ path }) => path);
  return createAnswerObserver(paths, (answer, request) => {
    for (const observe of observers) observe(answer, request);
  });
}

/** Creates what wakes callers that wait for changes. */
export const createChangeSignal = (connection: Connection, log: Logger): ChangeSignal =>
  new ChangeSignal(connection, (error) =>
    log.error({ fault: toErrorResponse(error).fault }, "waiting for changes failed"),
  );

/** Creates the client of the OpenID Connect provider; null where there is none. It loads nothing yet. */
function createOidc(env: AppOptions["env"]): OidcClient | null {
  const { OIDC_ISSUER: issuer, OIDC_CLIENT_ID: clientId, OIDC_CLIENT_SECRET: clientSecret } = env;
  if (!issuer || !clientId || !clientSecret || env.SIGN_IN?.includes("oidc") === false) return null;
  return createOidcClient({ issuer, clientId, clientSecret, workspaceId: env.OIDC_WORKSPACE ?? null });
}

/** Logs every call: refusals and successes at `debug`, faults of the service at `error`. */
const logCalls =
  (log: Logger) =>
  ({ procedure, status, fault, milliseconds }: CallRecord, request: IncomingMessage): void => {
    const record = { requestId: getRequestId(request), procedure, status, ms: Math.round(milliseconds) };
    if (fault !== null) log.error({ ...record, fault }, "call failed");
    else log.debug(record, "call");
  };

/** Lets pages of the configured origins call the API with a key. */
const allowOrigins = (origins: readonly string[]) =>
  cors({
    origin: [...origins],
    methods: ["GET", "POST"],
    allowedHeaders: ["x-api-key", "content-type"],
    exposedHeaders: [
      "X-RateLimit-Limit",
      "X-RateLimit-Remaining",
      "X-RateLimit-Reset",
      "Retry-After",
      REQUEST_ID_HEADER,
      "Date", // tells a client whose clock is wrong how long a window still lasts
    ],
    maxAge: 600,
  });

/** Answers whatever a handler throws: 400 for a path that can't be decoded, otherwise 500. */
const createErrorAnswer = (log: Logger) => (error: unknown, response: ServerResponse) => {
  const bad = error instanceof URIError || (error as { status?: unknown } | null)?.status === 400;
  if (!bad) {
    const fault = error instanceof Error ? error.name : typeof error;
    log.error({ requestId: getRequestId(response.req), fault }, "request failed");
  }
  if (response.headersSent) response.destroy();
  else sendResponse(response, bad ? 400 : 500, {}, toErrorBody(bad ? MESSAGES.badPath : MESSAGES.internal));
};
