import { setTimeout as sleep } from "node:timers/promises";
import { generateSecretsKey } from "@minutes/core";
import { call, createTestDatabase, givenOn, needs, readPayload } from "@minutes/testing";
import { onTestFinished, test } from "vitest";
import { type ServerProcess, startProcess } from "../process.js";
import { compareWithModel } from "./run.js";
import type { ModelServer } from "./step.js";

const STEPS = Number(process.env.MODEL_STEPS ?? 20_000);
const SEED = Number(process.env.MODEL_SEED ?? Date.now() % 1_000_000_000);

test(`who sees what: ${STEPS} random steps with kills of the server answer as the model does, seed ${SEED}`, {
  ...needs("postgres"),
  timeout: 36_000_000,
}, async () => {
  const database = await createTestDatabase();
  onTestFinished(() => database.close());
  const settings = {
    ...{ RATE_LIMIT_PER_MINUTE: "1000000000", INGEST_LIMIT_PER_MINUTE: "1000000000", DEMO: "off" },
    ...{ DATABASE_URL: database.url ?? "", SECRETS_KEY: generateSecretsKey() },
  };
  const given = givenOn(database.db);
  let running: ServerProcess | undefined;
  let kills = 0;
  const start = async (): Promise<ModelServer> => {
    // The model does the background work itself, when it expects its result.
    const server = await startProcess(settings, "--role", "api");
    running = server;
    const { url } = server;
    return {
      ...{ url, given, db: database.db },
      call: (key, route, input, options) => call(url, key, route, input, options),
      data: async (key, route, input) => readPayload(await call(url, key, route, input)),
    };
  };
  const kill = async () => {
    kills++;
    await sleep(Math.random() * 40);
    await running?.stop("SIGKILL");
    return start();
  };
  const began = performance.now();
  await compareWithModel(await start(), { seed: SEED, steps: STEPS, kill });
  const seconds = Math.round((performance.now() - began) / 1_000);
  console.log(JSON.stringify({ steps: STEPS, kills, seconds }));
  await running?.stop();
});
