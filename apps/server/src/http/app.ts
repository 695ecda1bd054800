import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { MESSAGES } from "@minutes/contract";
import {
  type CallRecord,
  ChangeSignal,
  type ClientDocuments,
  COMMON_HEADERS,
  CredentialGuard,
  createClientDocuments,
  createOidcClient,
  createRouteHandler,
  createTargetPolicy,
  getRequestId,
  KeyNetworks,
  KeyUses,
  KeyVerifier,
  type Mailer,
  NO_SUMMARIES,
  notifyNewNetwork,
  type OidcClient,
  REQUEST_ID_HEADER,
  RequestStatistics,
  type RouteSet,
  type SummaryQueue,
  sendResponse,
  toErrorBody,
  toErrorResponse,
  VisitorGuard,
  type WebhookServices,
} from "@minutes/core";
import { AUDIO_PATH, type KeptAudioStore } from "@minutes/core/kept-audio";
import type { Connection } from "@minutes/db";
import type { SimilaritySearch } from "@minutes/search";
import cors from "cors";
import express, { type ErrorRequestHandler } from "express";
import type { Logger } from "pino";
import { type Config, toAnswerModel, toOidcProvider } from "../config/config.js";
import type { AudioUploads } from "../operations/audio/audio-uploads.js";
import type { ParseLimits } from "../operations/import/parse-in-thread.js";
import {
  type AnsweredRequest,
  createAccessLog,
  createAnswerObserver,
} from "../operations/watch/observe-answers.js";
import type { MetricsHandler } from "../operations/watch/serve-metrics.js";
import { serveRecordings } from "./audio/recordings.js";
import { AUDIO_UPLOADS, serveAudio } from "./audio/serve.js";
import { serveConsole } from "./console/serve.js";
import { dispatchCalls, type RouteHandler } from "./dispatch-calls.js";
import { serveDocuments, serveHome } from "./documents/serve.js";
import { createForwardedNotice } from "./forwarded.js";
import { createFullDiskNotice } from "./full-disk.js";
import { serveOAuth } from "./oauth/serve.js";
import { servePublicLinks } from "./public-link/serve.js";
import { createRouteSets } from "./routes/index.js";
import { createMcpHandler } from "./routes/mcp.js";
import { serveOidc } from "./routes/oidc.js";
import type { AppServices } from "./routes/services.js";
import { serveStatus } from "./routes/status.js";
import { serveUnsubscribe } from "./unsubscribe.js";

/** Paths that pages of other origins can call, if the operator allows it. */
const OPEN_PATHS = ["/v1/", "/rest/v1/me/", "/rest/v1/workspace/", "/sync/v1/", `${AUDIO_PATH}/`];
const isOpen = ({ url = "/" }: IncomingMessage) => OPEN_PATHS.some((path) => url.startsWith(path));

/** Restricts browsers to https for a year. Subdomains are not included. */
const HSTS = "max-age=31536000";

/** Deadline of a call in ms, after which it is answered with 503. */
export const REQUEST_DEADLINE = 5_000;

export interface AppOptions {
  readonly connection: Connection;
  readonly config: Config;
  readonly log: Logger;
  /** Semantic search; words only if absent. */
  readonly similarity?: SimilaritySearch | undefined;
  /** False once the server is stopping. */
  readonly accepting?: () => boolean;
  readonly deadline?: number;
  /** Wakes callers that wait for changes; by default one that is never stopped. */
  readonly changes?: ChangeSignal;
  /** Summarises completed recordings without a summary; if absent, they have none. */
  readonly summaries?: SummaryQueue;
  /** What parsing an uploaded file may use. */
  readonly uploadLimits?: ParseLimits;
  /** Dependencies of webhook management; without them, no webhook can be created. */
  readonly webhooks?: WebhookServices;
  /** Reads the documents in which apps describe themselves; from public addresses by default. */
  readonly clientDocuments?: ClientDocuments;
  /** Returns the installation's public origin. */
  readonly publicUrl: () => string;
  /** Returns the e-mail address of the sample's user; null without the sample. */
  readonly sampleEmail?: () => string | null;
  /** Runs `minutes` on this installation. */
  readonly command?: string;
  /** Sends links and invitations; if absent, none are sent. */
  readonly mailer?: Mailer | null;
  /** Receives audio; if absent, audio is refused. */
  readonly audio?: AudioUploads;
  /** Kept audio of meetings; if absent, none can be heard. */
  readonly keptAudio?: KeptAudioStore | null;
  /** Directory of the console's build; if absent, the console is not served. */
  readonly consoleDirectory?: string | null;
  /** Serves `/metrics`; if absent, the path is unknown. */
  readonly metrics?: MetricsHandler | undefined;
  /** Called for each answered request. */
  readonly onAnswer?: ((answer: AnsweredRequest, request: IncomingMessage) => void) | undefined;
  /** Wraps the check of a request's credential, if present. */
  readonly traceAuthentication?:
    | ((authenticate: RouteSet["authenticate"]) => RouteSet["authenticate"])
    | undefined;
}

/** Mounts all routes of the server. */
export function createApp(options: AppOptions): RequestListener {
  const { config, log, accepting = () => true } = options;
  const dependencies = createServices(options);
  const { similarity, deadline } = dependencies;

  const app = express();
  app.disable("x-powered-by");
  app.disable("etag");
  app.enable("case sensitive routing");
  app.set("trust proxy", config.TRUST_PROXY ?? false);
  const answerError = createErrorAnswer(log);
  const forwarded = createForwardedNotice(log);
  const fullDisk = createFullDiskNotice();
  const isSecure = config.PUBLIC_URL?.startsWith("https:") === true;
  const allowsPages = config.CORS_ORIGINS.length > 0;
  const allowPage = createPageAccess(config);
  app.use("/identity/v1/oidc", serveOidc(dependencies));
  const routeSets = createRouteSets(dependencies).map((routes): RouteSet => {
    const trace = options.traceAuthentication;
    return trace ? { ...routes, authenticate: trace(routes.authenticate) } : routes;
  });
  const observer = createObserver(options, routeSets);
  const logCall = logCalls(log);
  const onCall = (call: CallRecord, request: IncomingMessage): void => {
    logCall(call, request);
    fullDisk.onCall(call);
    observer?.onCall(call, request);
  };
  const handlers = new Map<string, RouteHandler>();
  for (const routes of routeSets) {
    const handle = createRouteHandler(routes, onCall);
    handlers.set(
      routes.path,
      (request, response) => void handle(request, response).catch((error) => answerError(error, response)),
    );
  }
  for (const [path, handler] of handlers) app.use(path, handler);
  app.all(["/mcp", "/mcp/key"], createMcpHandler(dependencies, onCall));
  app.use(serveOAuth(dependencies));
  app.use(serveUnsubscribe(dependencies));
  const { audio = { refusal: MESSAGES.noTranscriber } } = options;
  app.use(
    AUDIO_UPLOADS,
    serveAudio(dependencies, audio, (fault, request) =>
      log.error({ requestId: getRequestId(request), fault }, "upload of audio failed"),
    ),
  );
  app.use(
    AUDIO_PATH,
    serveRecordings(dependencies, (fault, request) =>
      log.error({ requestId: getRequestId(request), fault }, "sending audio failed"),
    ),
  );
  app.use(servePublicLinks(dependencies));
  if (options.metrics) app.all("/metrics", options.metrics);
  app.use(serveDocuments());
  if (options.consoleDirectory) app.use(serveConsole(options.consoleDirectory));
  app.use(serveHome());
  app.use(
    serveStatus({
      verifier: dependencies.keys.verifier,
      similarity,
      accepting,
      deadline,
      ignoresForwarded: forwarded.seen,
      isDiskFull: fullDisk.seen,
      onUnready: (reason, request) => log.warn({ requestId: getRequestId(request), reason }, "not ready"),
    }),
  );
  app.use((_request, response) => {
    response.status(404).set(COMMON_HEADERS).send(toErrorBody(MESSAGES.notFound));
  });
  app.use(((error, _request, response, _next) => answerError(error, response)) satisfies ErrorRequestHandler);
  const dispatch = dispatchCalls(app, handlers);
  const identified: RequestListener = (request, response) => {
    response.setHeader(REQUEST_ID_HEADER, getRequestId(request));
    if (isSecure) response.setHeader("Strict-Transport-Security", HSTS);
    if (!allowsPages || !isOpen(request)) return dispatch(request, response);
    allowPage(request, response, () => dispatch(request, response));
  };
  const answer = config.TRUST_PROXY === undefined ? forwarded.wrap(identified) : identified;
  return observer ? observer.wrap(answer) : answer;
}

/** Creates what all routes share. */
function createServices(options: AppOptions): AppServices {
  const { connection, config, log } = options;
  const { db } = connection;
  return {
    db,
    keys: { verifier: new KeyVerifier(db), uses: new KeyUses(db) },
    changes: options.changes ?? createChangeSignal(connection, log),
    rateLimit: config.RATE_LIMIT_PER_MINUTE,
    ingestLimit: config.INGEST_LIMIT_PER_MINUTE,
    credentials: new CredentialGuard(),
    visitors: new VisitorGuard(db),
    keyNetworks: new KeyNetworks(db, (found) => {
      if (!options.mailer) return;
      void notifyNewNetwork(db, options.mailer, found).catch((error: unknown) =>
        log.error(
          { key: found.keyId, fault: toErrorResponse(error).fault },
          "sending an e-mail about a key failed",
        ),
      );
    }),
    requests: new RequestStatistics(db),
    origins: [...config.CORS_ORIGINS, ...(config.PUBLIC_URL ? [new URL(config.PUBLIC_URL).origin] : [])],
    deadline: options.deadline ?? REQUEST_DEADLINE,
    similarity: options.similarity,
    model: toAnswerModel(config),
    recordingDays: config.RECORDING_DAYS,
    summaries: options.summaries ?? NO_SUMMARIES,
    keptAudio: options.keptAudio ?? null,
    uploadedAudio: options.audio ?? { refusal: MESSAGES.noTranscriber },
    uploadLimits: options.uploadLimits,
    webhooks: options.webhooks ?? { keyring: null, targetPolicy: createTargetPolicy() },
    publicUrl: options.publicUrl,
    sampleEmail: options.sampleEmail ?? (() => null),
    command: options.command ?? "minutes",
    mailer: options.mailer ?? null,
    signIn: config.SIGN_IN,
    oidc: createOidc(config),
    oauth: config.AUTH_OAUTH === "on" && config.PUBLIC_URL?.startsWith("https:") === true,
    clientDocuments: options.clientDocuments ?? createClientDocuments(),
    onFault: (error, request) =>
      log.error(
        { requestId: getRequestId(request), fault: toErrorResponse(error).fault },
        "work that a sign-in page asked for failed",
      ),
  };
}

/** Creates the observer of answers; null if nothing needs one. */
function createObserver({ config, log, onAnswer }: AppOptions, routeSets: readonly RouteSet[]) {
  const observers = [
    ...(config.ACCESS_LOG === "on" ? [createAccessLog(log)] : []),
    ...(onAnswer ? [onAnswer] : []),
  ];
  if (observers.length === 0) return null;
  const paths = routeSets.map(({ path }) => path);
  return createAnswerObserver(paths, (answer, request) => {
    for (const observe of observers) observe(answer, request);
  });
}

/** Creates the signal that wakes callers waiting for changes. */
export const createChangeSignal = (connection: Connection, log: Logger): ChangeSignal =>
  new ChangeSignal(connection, (error) =>
    log.error({ fault: toErrorResponse(error).fault }, "waiting for changes failed"),
  );

/** Creates the client of the OpenID Connect provider; null if none is configured. Loads nothing yet. */
function createOidc(config: Config): OidcClient | null {
  const provider = toOidcProvider(config);
  return provider && createOidcClient(provider);
}

/** Logs every call: refusals and successes at `debug`, faults of the service at `error`. */
const logCalls =
  (log: Logger) =>
  ({ procedure, status, fault, milliseconds }: CallRecord, request: IncomingMessage): void => {
    const record = { requestId: getRequestId(request), procedure, status, ms: Math.round(milliseconds) };
    if (fault !== null) log.error({ ...record, fault }, "call failed");
    else log.debug(record, "call");
  };

/** Creates what lets pages of the configured origins call the API with a key, and play audio. Cookies are never allowed. */
function createPageAccess(config: Config) {
  const calls = allowOrigins(config, CALL_RULES);
  const resources = allowOrigins(config, RESOURCE_RULES);
  const audio = allowOrigins(config, AUDIO_RULES);
  return (request: IncomingMessage, response: ServerResponse, next: () => void) => {
    const { url = "/" } = request;
    const allow = url.startsWith(AUDIO_PATH) ? audio : url.startsWith("/rest/") ? resources : calls;
    allow(request, response, next);
  };
}

/** What pages of other origins may send and read. */
interface PageRules {
  readonly methods: string[];
  readonly allowedHeaders: string[];
  readonly exposedHeaders: string[];
}

const CALL_RULES: PageRules = {
  methods: ["GET", "POST"],
  allowedHeaders: ["x-api-key", "content-type"],
  exposedHeaders: [
    "X-RateLimit-Limit",
    "X-RateLimit-Remaining",
    "X-RateLimit-Reset",
    "Retry-After",
    REQUEST_ID_HEADER,
    "Date", // lets clients with a wrong clock compute the rest of a window
  ],
};

/** Resources also have other methods, bearer tokens, links and tags. */
const RESOURCE_RULES: PageRules = {
  methods: ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"],
  allowedHeaders: [...CALL_RULES.allowedHeaders, "authorization", "if-none-match", "idempotency-key"],
  exposedHeaders: [...CALL_RULES.exposedHeaders, "Link", "ETag", "Idempotent-Replayed"],
};

/** Signed addresses of audio, which are reached by a redirect that repeats the headers of the call before. */
const AUDIO_RULES: PageRules = {
  methods: ["GET", "HEAD"],
  allowedHeaders: [...RESOURCE_RULES.allowedHeaders, "range"],
  exposedHeaders: ["Accept-Ranges", "Content-Range", "Retry-After", REQUEST_ID_HEADER],
};

/** Allows pages of the configured origins to call the API with a key. */
const allowOrigins = ({ CORS_ORIGINS }: Config, rules: PageRules) =>
  cors({ ...rules, origin: [...CORS_ORIGINS], maxAge: 600 });

/** Answers errors thrown by a handler: 400 for a path that can't be decoded, otherwise 500. */
const createErrorAnswer = (log: Logger) => (error: unknown, response: ServerResponse) => {
  const bad = error instanceof URIError || (error as { status?: unknown } | null)?.status === 400;
  if (!bad) {
    const fault = error instanceof Error ? error.name : typeof error;
    log.error({ requestId: getRequestId(response.req), fault }, "request failed");
  }
  if (response.headersSent) response.destroy();
  else sendResponse(response, bad ? 400 : 500, {}, toErrorBody(bad ? MESSAGES.badPath : MESSAGES.internal));
};
