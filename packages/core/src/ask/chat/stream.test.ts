import { once } from "node:events";
import http, { type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { streamChat } from "./stream.js";

async function read(listener: RequestListener, timeout = 60_000): Promise<string[]> {
  const service = http.createServer(listener).listen(0, "127.0.0.1");
  await once(service, "listening");
  onTestFinished(() => {
    service.closeAllConnections();
    service.close();
  });
  const url = `http://127.0.0.1:${(service.address() as AddressInfo).port}/v1/`;
  const pieces: string[] = [];
  const options = { url, model: "test", timeout };
  for await (const piece of streamChat(options, { messages: [] }, new AbortController().signal))
    pieces.push(piece);
  return pieces;
}

test("pieces are read from events that are split anywhere, with either kind of line end and other fields", async () => {
  const text =
    ': hello\r\nevent: x\r\ndata: {"choices":[{"delta":{"content":"Zoë"}}]}\r\n\r\ndata: {"choices":[]}\n\ndata:[DONE]\n\n';
  const answer: RequestListener = async (request, response) => {
    expect(request.url).toBe("/v1/chat/completions");
    for (const byte of Buffer.from(text)) {
      response.write(Buffer.of(byte));
      await new Promise(setImmediate);
    }
    response.end();
  };
  expect(await read(answer)).toEqual(["Zoë", ""]);
});

test("refused: a model that hangs before or within its answer ends at the timeout", async () => {
  await expect(read(() => {}, 50)).rejects.toThrow(/timeout/);
  await expect(read((_, response) => void response.write("data: "), 50)).rejects.toThrow(/timeout/);
});
