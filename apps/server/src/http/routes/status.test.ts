import type { KeyVerifier } from "@minutes/core";
import { send } from "@minutes/testing";
import express from "express";
import { expect, onTestFinished, test } from "vitest";
import { createHttpServer } from "../http-server.js";
import { serveStatus } from "./status.js";

type Verifier = Pick<KeyVerifier, "verify" | "answeredAt">;

/** Serves the status of a process with this key verification. @returns its URL */
async function serve(verifier: Verifier, deadline = 1_000): Promise<string> {
  const options = {
    verifier,
    similarity: undefined,
    accepting: () => true,
    deadline,
    ignoresForwarded: () => false,
    onUnready: () => {},
  };
  const server = createHttpServer(express().use(serveStatus(options)));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as { port: number }).port}`;
}

test("/ready asks the database once, however many ask within a second", async () => {
  let questions = 0;
  const url = await serve({
    answeredAt: 0,
    verify: async () => {
      questions++;
      return undefined;
    },
  });
  const began = performance.now();
  const answers = await Promise.all(Array.from({ length: 30 }, () => send(url, "/ready")));
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  // One per second that a busy machine needed.
  expect(questions).toBeLessThanOrEqual(1 + Math.floor((performance.now() - began) / 1_000));
});

test("503: /ready when no key can be verified", async () => {
  const url = await serve({ answeredAt: 0, verify: () => Promise.reject(new Error("no database")) });
  expect((await send(url, "/ready")).status).toBe(503);
});

test("200: /ready after one broken connection", async () => {
  let probes = 0;
  const url = await serve({
    answeredAt: 0,
    verify: async () => {
      if (++probes === 1) throw new Error("connection lost");
      return undefined;
    },
  });
  expect((await send(url, "/ready")).status).toBe(200);
});

test("/ready when the probe is late: 200 while other calls are answered, otherwise 503", async () => {
  const never = () => new Promise<undefined>(() => {});
  const busy = await serve({ verify: never, answeredAt: Number.POSITIVE_INFINITY }, 50);
  expect((await send(busy, "/ready")).status).toBe(200);
  const stuck = await serve({ verify: never, answeredAt: 0 }, 50);
  expect((await send(stuck, "/ready")).status).toBe(503);
});
