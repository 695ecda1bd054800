import { randomUUID } from "node:crypto";
import http, { type Server } from "node:http";
import { MESSAGES } from "@minutes/contract";
import { COMMON_HEADERS, REQUEST_ID_HEADER, sendResponse, toErrorBody } from "@minutes/core";
import {
  type ConnectionLimits,
  DEFAULT_CONNECTION_LIMITS,
  limitPerAddress,
  limitUnanswered,
} from "./connection-limits.js";

/** Milliseconds that a request may take to arrive, whatever its length. */
const RECEIVE_TIMEOUT = 60_000;

type ParserError = readonly [status: number, reason: string, message: string];

const PARSER_ERRORS: Readonly<Record<string, ParserError>> = {
  HPE_HEADER_OVERFLOW: [431, "Request Header Fields Too Large", MESSAGES.headersTooLarge],
  ERR_HTTP_REQUEST_TIMEOUT: [408, "Request Timeout", MESSAGES.requestTimeout],
};
const MALFORMED: ParserError = [400, "Bad Request", MESSAGES.badRequest];

/** Creates an HTTP server with bounded connections, whose own errors are `{"error":"…"}` too. */
export function createHttpServer(
  app: http.RequestListener,
  limits: ConnectionLimits = DEFAULT_CONNECTION_LIMITS,
): Server {
  const server = http.createServer(
    {
      requestTimeout: RECEIVE_TIMEOUT,
      headersTimeout: 15_000,
      // How often the two limits above are checked.
      connectionsCheckingInterval: 5_000,
      keepAliveTimeout: 65_000,
      requireHostHeader: false,
    },
    limitUnanswered(limits, app),
  );
  server.maxConnections = limits.connections;
  limitPerAddress(server, limits);
  server.on("clientError", (error: NodeJS.ErrnoException, socket) => {
    if (error.code === "ECONNRESET" || !socket.writable) return void socket.destroy();
    const [status, reason, message] = PARSER_ERRORS[error.code ?? ""] ?? MALFORMED;
    const body = toErrorBody(message);
    const headers = {
      ...COMMON_HEADERS,
      [REQUEST_ID_HEADER]: randomUUID(), // the request could not be read
      "Content-Length": Buffer.byteLength(body),
      Connection: "close",
    };
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    socket.end(`HTTP/1.1 ${status} ${reason}\r\n${lines.join("")}\r\n${body}`);
  });
  // Node would answer an unknown expectation with an empty 417.
  server.on("checkExpectation", (_request, response) => {
    sendResponse(response, 417, {}, toErrorBody("Only Expect: 100-continue is supported."));
  });
  return server;
}
