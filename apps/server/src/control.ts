import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { ApiError, toErrorResponse } from "@minutes/core";
import { isUnavailable, requestHolder } from "@minutes/db";
import {
  type InputOf,
  type OperationContext,
  type OperationName,
  type OutputOf,
  operations,
  runOperation,
} from "./operations/index.js";

/**
 * The control channel: the command line's operations, carried to the process that holds the embedded database,
 * over the Unix socket of its lock. Only the socket's owner can connect, so a request has the operator's rights.
 */

const PREFIX = "/operations/";

type Answer = { readonly output: unknown } | { readonly error: { code: ApiError["code"]; message: string } };

/** The process that holds the data is starting or stopping: the same request may be answered soon. */
export class NotServingError extends Error {
  override name = "NotServingError";
}

export interface ControlServer {
  readonly listener: RequestListener;
  /** Takes no more operations; resolves when those under way are done. */
  stop(): Promise<void>;
}

/** Runs the operations that arrive. `onFault` is told what the log may say about a fault of ours. */
export function serveOperations(context: OperationContext, onFault: (fault: string) => void): ControlServer {
  const running = new Set<Promise<void>>();
  let stopped = false;

  const answer = async (request: IncomingMessage): Promise<Answer> => {
    try {
      const name = request.url?.slice(PREFIX.length) ?? "";
      const input = JSON.parse(await textOf(request));
      if (!Object.hasOwn(operations, name)) throw new ApiError("NOT_FOUND", `Unknown operation: ${name}`);
      return { output: await runOperation(context, name as OperationName, input) };
    } catch (error) {
      const { message, fault } = toErrorResponse(error);
      if (fault !== null) onFault(fault);
      if (error instanceof ApiError) return { error: { code: error.code, message } };
      return {
        error: { code: isUnavailable(error) ? "SERVICE_UNAVAILABLE" : "INTERNAL_SERVER_ERROR", message },
      };
    }
  };
  const handle = async (request: IncomingMessage, response: ServerResponse) => {
    const body = JSON.stringify(await answer(request));
    await new Promise<void>((resolve) => {
      response.once("close", resolve);
      response.writeHead(200, { "Content-Type": "application/json", Connection: "close" }).end(body);
    });
  };
  const listener: RequestListener = (request, response) => {
    if (stopped) return void response.writeHead(503).end();
    const work = handle(request, response).finally(() => running.delete(work));
    running.add(work);
  };
  const stop = async () => {
    stopped = true;
    await Promise.all(running);
  };
  return { listener, stop };
}

/**
 * Has the process that holds the data run an operation; null when no process holds it.
 * @throws ApiError as the operation did, NotServingError.
 */
export async function requestOperation<Name extends OperationName>(
  dataDir: string,
  name: Name,
  input: InputOf<Name>,
): Promise<{ output: OutputOf<Name> } | null> {
  const body = JSON.stringify(input);
  const headers = { "Content-Type": "application/json", "Content-Length": Buffer.byteLength(body) };
  const response = await requestHolder(dataDir, { method: "POST", path: PREFIX + name, headers }, body).catch(
    (error: NodeJS.ErrnoException) => {
      // It went away between being found and being asked. Later than that, nobody knows how far it came.
      if (error.code === "ECONNREFUSED" || error.code === "ENOENT") throw new NotServingError();
      throw new ApiError(
        "INTERNAL_SERVER_ERROR",
        "The server stopped meanwhile; the command may have been done.",
      );
    },
  );
  if (response === null) return null;
  const text = await textOf(response);
  if (response.statusCode !== 200) throw new NotServingError();
  const answer = JSON.parse(text) as Answer;
  if ("error" in answer) throw new ApiError(answer.error.code, answer.error.message);
  return { output: answer.output as OutputOf<Name> };
}

async function textOf(message: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of message) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString("utf8");
}
