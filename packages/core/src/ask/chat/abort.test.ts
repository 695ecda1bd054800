import { once } from "node:events";
import http, { type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { collectGarbage } from "@minutes/testing";
import { expect, onTestFinished, test } from "vitest";
import { streamChat } from "./stream.js";

const PIECE = 'data: {"choices":[{"delta":{"content":"Ada"}}]}\n\n';

/** Starts a model that writes one piece and hangs, and reads that piece. */
async function readOnePiece(signal: AbortSignal, timeout = 60_000) {
  const service = http.createServer((_, response) => void response.write(PIECE)).listen(0, "127.0.0.1");
  const asked = once(service, "request") as Promise<[unknown, ServerResponse]>;
  await once(service, "listening");
  onTestFinished(() => {
    service.closeAllConnections();
    service.close();
  });
  const url = `http://127.0.0.1:${(service.address() as AddressInfo).port}/v1`;
  const pieces = streamChat({ url, model: "test", timeout }, { messages: [] }, signal);
  expect(await pieces.next()).toEqual({ value: "Ada", done: false });
  const [, response] = await asked;
  return { pieces, closed: once(response, "close") };
}

test("the request ends when its signal aborts, also after garbage was collected", async () => {
  const controller = new AbortController();
  const { pieces, closed } = await readOnePiece(controller.signal);
  const next = pieces.next();
  next.catch(() => {});
  collectGarbage();
  controller.abort();
  await expect(next).rejects.toThrow(/abort/);
  await closed;
});

test("the request ends at its timeout, also after garbage was collected", async () => {
  const { pieces, closed } = await readOnePiece(new AbortController().signal, 2_000);
  const next = pieces.next();
  next.catch(() => {});
  collectGarbage();
  await expect(next).rejects.toThrow(/timeout/);
  await closed;
});

test("the request ends when its reader stops", async () => {
  const { pieces, closed } = await readOnePiece(new AbortController().signal);
  await pieces.return(undefined);
  await closed;
});
