import { once } from "node:events";
import http, { type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";

/** A request to the model. */
interface ModelRequest {
  readonly authorization: string | undefined;
  readonly body: {
    readonly model: string;
    readonly stream: boolean;
    readonly messages: readonly { readonly role: string; readonly content: string }[];
    readonly [parameter: string]: unknown;
  };
}

/** Answers one request. */
type Script = (write: (text: string) => void, response: ServerResponse, asked: ModelRequest) => unknown;

/** A model over HTTP that answers as a test tells it. */
export interface ScriptedModel {
  /** Base URL of its API. */
  readonly url: string;
  readonly asked: ModelRequest[];
  /** Number of answers that the client ended before they were complete. */
  readonly cut: () => number;
  /** Sets what the next requests are answered with; `[DONE]` follows unless the script ends the response. */
  script(next: Script): void;
  close(): void;
}

/** Starts an OpenAI-compatible API that streams what the script writes. */
export async function startScriptedModel(): Promise<ScriptedModel> {
  const asked: ModelRequest[] = [];
  let cut = 0;
  let script: Script = () => {};
  const service = http.createServer(async (request, response) => {
    const body = await buffer(request).catch(() => null);
    if (!body) return; // its sender ended it early
    const one = {
      authorization: request.headers.authorization,
      body: JSON.parse(body.toString()),
    };
    asked.push(one);
    response.on("close", () => {
      if (!response.writableEnded) cut++;
    });
    const write = (text: string) => {
      const event = { choices: [{ index: 0, delta: { content: text } }] };
      if (!response.headersSent) response.writeHead(200, { "content-type": "text/event-stream" });
      response.write(`data: ${JSON.stringify(event)}\n\n`);
    };
    await script(write, response, one);
    if (!response.writableEnded) response.end("data: [DONE]\n\n");
  });
  service.listen(0, "127.0.0.1");
  await once(service, "listening");
  return {
    asked,
    url: `http://127.0.0.1:${(service.address() as AddressInfo).port}/v1`,
    cut: () => cut,
    script: (next) => {
      script = next;
    },
    close: () => {
      service.closeAllConnections();
      service.close();
    },
  };
}
