import type { Database } from "@minutes/db";
import { send } from "@minutes/testing";
import express from "express";
import { expect, onTestFinished, test } from "vitest";
import { createHttpServer } from "../http-server.js";
import { serveStatus } from "./status.js";

test("/ready asks the database once, however many ask within a second", async () => {
  let questions = 0;
  const db = {
    execute: async () => {
      questions++;
    },
  } as unknown as Database;
  const options = { db, similarity: undefined, accepting: () => true, deadline: 1_000 };
  const server = createHttpServer(express().use(serveStatus(options)));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as { port: number };
  const began = performance.now();
  const answers = await Promise.all(
    Array.from({ length: 30 }, () => send(`http://127.0.0.1:${port}`, "/ready")),
  );
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  // One for each second that a busy machine needed.
  expect(questions).toBeLessThanOrEqual(1 + Math.floor((performance.now() - began) / 1_000));
});
