import type { Server } from "node:http";
import http from "node:http";
import { LIMITS, MESSAGES } from "@minutes/contract";
import {
  type Authenticate,
  admit,
  admitIngest,
  admitUser,
  authenticate,
  authenticateIngest,
  authenticateUser,
  BodyBudget,
  type Caller,
  type CallRecord,
  COMMON_HEADERS,
  createGuard,
  errorBody,
  ingestRouter,
  meRouter,
  quotaHeaders,
  type Summaries,
  serveRoutes,
  settingsRouter,
  type WebhookSettings,
  workspaceRouter,
} from "@minutes/core";
import { type Connection, withTimeout } from "@minutes/db";
import type { SimilaritySearch } from "@minutes/search";
import cors from "cors";
import { sql } from "drizzle-orm";
import express, { type ErrorRequestHandler } from "express";
import type { Logger } from "pino";
import { documents } from "./documents/serve.js";
import type { Env } from "./env.js";
import { serveMcp } from "./mcp/http.js";

/** Milliseconds that a call may take before it is answered with 503. */
export const REQUEST_DEADLINE = 5_000;
/** The same for ingest, whose bodies are a hundred times as long. */
const INGEST_DEADLINE = 60_000;

/** Milliseconds that a request may take to arrive, whatever its length. */
const RECEIVE_TIMEOUT = 60_000;

export interface AppOptions {
  readonly connection: Connection;
  readonly env: Pick<Env, "RATE_LIMIT_PER_MINUTE" | "CORS_ORIGINS"> & { INGEST_LIMIT_PER_MINUTE?: number };
  readonly log: Logger;
  /** What search knows beyond words. */
  readonly similarity?: SimilaritySearch | undefined;
  /** False once the server is stopping. */
  readonly accepting?: () => boolean;
  readonly deadline?: number;
  /** How completed recordings get the summary that they lack; they get none when absent. */
  readonly summaries?: Summaries;
  /** Who has signed in to the settings side; there is none when absent. */
  readonly signedIn?: Authenticate | null;
  /** What webhooks are managed with on the settings side; without it, it makes none. */
  readonly webhooks?: WebhookSettings;
}

/** The HTTP side, put together: which routes exist, and what answers everything else. */
export function createApp(options: AppOptions): express.Express {
  const { connection, env, log, similarity, accepting = () => true, deadline = REQUEST_DEADLINE } = options;
  const { db } = connection;
  const onCall = ({ procedure, status, fault, milliseconds }: CallRecord) => {
    const record = { procedure, status, ms: Math.round(milliseconds) };
    if (fault !== null) log.error({ ...record, fault }, "call failed");
    else log.debug(record, "call");
  };
  const verify = async (key: string | undefined, kind?: Caller["kind"]) => {
    const verified = await authenticate(db, key, env.RATE_LIMIT_PER_MINUTE);
    const wanted = kind ?? verified.caller.kind;
    const admission = {
      headers: quotaHeaders(verified.quota),
      context: () => ({ db, similarity, caller: admit(verified, wanted) }),
    };
    return { admission, kind: wanted };
  };
  const routesFor = (kind: Caller["kind"]) =>
    serveRoutes({
      router: kind === "personal" ? meRouter : workspaceRouter,
      verify: async (key) => (await verify(key, kind)).admission,
      deadline,
      onCall,
    });

  const ingestRoutes = serveRoutes({
    router: ingestRouter,
    verify: async (key) => {
      const limit = env.INGEST_LIMIT_PER_MINUTE ?? LIMITS.ingestPerMinute;
      const verified = await authenticateIngest(db, key, limit);
      const summaries = options.summaries ?? { enabled: false, wake: () => {} };
      return {
        headers: quotaHeaders(verified.quota),
        holder: verified.caller.workspaceId,
        context: () => ({ db, caller: admitIngest(verified), summaries }),
      };
    },
    bodyBytes: LIMITS.ingestBodyBytes,
    bodies: new BodyBudget(LIMITS.ingestBytesAtOnce),
    deadline: INGEST_DEADLINE,
    onCall,
  });
  const webhooks = options.webhooks ?? { keyring: null, guard: createGuard() };
  const settingsRoutes = (signedIn: Authenticate) =>
    serveRoutes({
      router: settingsRouter,
      header: "authorization",
      verify: async (authorization) => {
        const verified = await authenticateUser(db, signedIn, authorization, env.RATE_LIMIT_PER_MINUTE);
        return {
          headers: quotaHeaders(verified.quota),
          context: () => ({ db, user: admitUser(verified), webhooks }),
        };
      },
      deadline,
      onCall,
    });

  const app = express();
  app.disable("x-powered-by");
  app.disable("etag");
  if (env.CORS_ORIGINS.length > 0) {
    app.use(
      "/v1",
      cors({
        origin: [...env.CORS_ORIGINS],
        methods: ["GET", "POST"],
        allowedHeaders: ["x-api-key", "content-type"],
        exposedHeaders: [
          "X-RateLimit-Limit",
          "X-RateLimit-Remaining",
          "X-RateLimit-Reset",
          "Retry-After",
          "Date", // tells a client whose clock is wrong how long a window still lasts
        ],
        maxAge: 600,
      }),
    );
  }
  app.use("/v1/me", routesFor("personal"));
  app.use("/v1/workspace", routesFor("workspace"));
  app.use("/ingest/v1", ingestRoutes);
  if (options.signedIn) app.use("/settings/v1", settingsRoutes(options.signedIn));
  app.all("/mcp", serveMcp({ verify: (key) => verify(key), deadline, onCall }));
  app.use(documents());

  app.get("/health", (_request, response) => {
    response.set(COMMON_HEADERS).send(JSON.stringify({ status: "ok" }));
  });
  app.get("/ready", async (_request, response) => {
    const ready = accepting() && (await answers(connection, deadline));
    response
      .status(ready ? 200 : 503)
      .set(COMMON_HEADERS)
      .send(
        JSON.stringify({
          status: ready ? "ready" : "unavailable",
          ...(similarity ? { search: similarity.state() } : {}),
        }),
      );
  });

  app.use((_request, response) => {
    response.status(404).set(COMMON_HEADERS).send(errorBody(MESSAGES.notFound));
  });
  const onError: ErrorRequestHandler = (error, _request, response, _next) => {
    const bad = error instanceof URIError || error?.status === 400;
    if (!bad) log.error({ fault: error instanceof Error ? error.name : typeof error }, "request failed");
    response
      .status(bad ? 400 : 500)
      .set(COMMON_HEADERS)
      .send(errorBody(bad ? MESSAGES.badPath : MESSAGES.internal));
  };
  app.use(onError);
  return app;
}

/** True when the database answers a question in time. */
async function answers({ db }: Connection, deadline: number): Promise<boolean> {
  const asked = db.execute(sql`select 1`).then(
    () => true,
    () => false,
  );
  return withTimeout(asked, deadline, () => false);
}

const PARSER_ERRORS: Readonly<Record<string, readonly [status: number, reason: string, message: string]>> = {
  HPE_HEADER_OVERFLOW: [431, "Request Header Fields Too Large", MESSAGES.headersTooLarge],
  ERR_HTTP_REQUEST_TIMEOUT: [408, "Request Timeout", MESSAGES.requestTimeout],
};

/** An HTTP server whose own errors, too, are `{"error": "…"}`. */
export function createHttpServer(app: http.RequestListener): Server {
  const server = http.createServer(
    {
      requestTimeout: RECEIVE_TIMEOUT,
      headersTimeout: 15_000,
      keepAliveTimeout: 65_000,
      requireHostHeader: false,
    },
    app,
  );
  server.on("clientError", (error: NodeJS.ErrnoException, socket) => {
    if (error.code === "ECONNRESET" || !socket.writable) return void socket.destroy();
    const [status, reason, message] = PARSER_ERRORS[error.code ?? ""] ?? [
      400,
      "Bad Request",
      MESSAGES.badRequest,
    ];
    const body = errorBody(message);
    const headers = { ...COMMON_HEADERS, "Content-Length": Buffer.byteLength(body), Connection: "close" };
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    socket.end(`HTTP/1.1 ${status} ${reason}\r\n${lines.join("")}\r\n${body}`);
  });
  // Node would answer an unknown expectation with an empty 417.
  server.on("checkExpectation", (_request, response) => {
    const body = errorBody("Only Expect: 100-continue is supported.");
    response.writeHead(417, { ...COMMON_HEADERS, "Content-Length": Buffer.byteLength(body) }).end(body);
  });
  return server;
}
