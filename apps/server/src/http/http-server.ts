import { randomUUID } from "node:crypto";
import http, { type Server } from "node:http";
import { MESSAGES } from "@minutes/contract";
import { COMMON_HEADERS, getRequestId, REQUEST_ID_HEADER, sendResponse, toErrorBody } from "@minutes/core";
import { type ConnectionLimits, DEFAULT_CONNECTION_LIMITS } from "./connection-limits.js";
import { limitUnanswered } from "./limit-unanswered.js";
import { OpenConnections } from "./open-connections.js";

/** Timeout in ms for receiving a request of any length. */
const RECEIVE_TIMEOUT = 60_000;

type ParserError = readonly [status: number, reason: string, message: string];

const PARSER_ERRORS: Readonly<Record<string, ParserError>> = {
  HPE_HEADER_OVERFLOW: [431, "Request Header Fields Too Large", MESSAGES.headersTooLarge],
  ERR_HTTP_REQUEST_TIMEOUT: [408, "Request Timeout", MESSAGES.requestTimeout],
};
const MALFORMED: ParserError = [400, "Bad Request", MESSAGES.badRequest];

/** Creates an HTTP server with connection limits. Its own errors are also `{"error":"…"}`. */
export function createHttpServer(
  app: http.RequestListener,
  limits: ConnectionLimits = DEFAULT_CONNECTION_LIMITS,
): Server {
  const connections = new OpenConnections(limits);
  const server = http.createServer(
    {
      requestTimeout: RECEIVE_TIMEOUT,
      headersTimeout: limits.headers,
      // How often the two limits above are checked.
      connectionsCheckingInterval: limits.headers / 3,
      keepAliveTimeout: 65_000,
      requireHostHeader: false,
    },
    limitUnanswered(limits, connections, app),
  );
  server.on("connection", (socket) => connections.accept(socket));
  server.on("clientError", (error: NodeJS.ErrnoException, socket) => {
    if (error.code === "ECONNRESET" || !socket.writable) return void socket.destroy();
    const [status, reason, message] = PARSER_ERRORS[error.code ?? ""] ?? MALFORMED;
    const body = toErrorBody(message);
    const headers = {
      ...COMMON_HEADERS,
      [REQUEST_ID_HEADER]: randomUUID(), // the request could not be parsed
      "Content-Length": Buffer.byteLength(body),
      Connection: "close",
    };
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    socket.end(`HTTP/1.1 ${status} ${reason}\r\n${lines.join("")}\r\n${body}`);
    // A client that keeps sending would keep the connection open.
    const cut = setTimeout(() => socket.destroy(), limits.grace);
    socket.once("close", () => clearTimeout(cut));
  });
  // Node would answer an unknown expectation with an empty 417.
  server.on("checkExpectation", (request, response) => {
    const headers = { [REQUEST_ID_HEADER]: getRequestId(request) };
    sendResponse(response, 417, headers, toErrorBody("Only Expect: 100-continue is supported."));
  });
  return server;
}
