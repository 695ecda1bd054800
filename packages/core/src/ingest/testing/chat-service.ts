import http from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";

/** A request of OpenAI's API. */
interface Asked {
  readonly path: string | undefined;
  readonly authorization: string | undefined;
  readonly body: { model: string; messages: { role: string; content: string }[]; response_format: object };
}

/** Starts a local service with OpenAI's chat completions. `answer` returns a status, or the content of the message. */
export async function chatService(answer: (asked: Asked, number: number) => number | string) {
  const asked: Asked[] = [];
  const service = http.createServer(async (request, response) => {
    const body = await buffer(request).catch(() => null);
    if (!body) return; // its sender ended it early
    const one = {
      path: request.url,
      authorization: request.headers.authorization,
      body: JSON.parse(body.toString()),
    };
    asked.push(one);
    const content = answer(one, asked.length);
    response.setHeader("content-type", "application/json");
    if (typeof content === "number") response.writeHead(content).end('{"error":{"message":"no"}}');
    else {
      const message = { role: "assistant", content };
      response.end(
        JSON.stringify({
          id: "x",
          object: "chat.completion",
          choices: [{ index: 0, finish_reason: "stop", message }],
        }),
      );
    }
  });
  await new Promise<void>((resolve) => service.listen(0, "127.0.0.1", resolve));
  const { port } = service.address() as AddressInfo;
  return { asked, url: `http://127.0.0.1:${port}/v1`, close: () => service.close() };
}
