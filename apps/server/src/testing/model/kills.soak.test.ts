import { generateSecretsKey } from "@minutes/core";
import { createTestDatabase, givenOn, needs } from "@minutes/testing";
import { onTestFinished, test } from "vitest";
import { callsTo, KillableServer, UNLIMITED } from "../killable-server.js";
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
  // The model does the background work itself, when it expects its result.
  const server = new KillableServer(
    { ...UNLIMITED, DATABASE_URL: database.url ?? "", SECRETS_KEY: generateSecretsKey() },
    ...["--role", "api"],
  );
  const given = givenOn(database.db);
  const connection = await database.connect();
  const connect = (url: string): ModelServer => ({
    ...callsTo(url),
    url,
    given,
    connection,
    db: database.db,
  });
  const kill = async () => connect(await server.kill());
  const began = performance.now();
  await compareWithModel(connect(await server.start()), { seed: SEED, steps: STEPS, kill });
  const seconds = Math.round((performance.now() - began) / 1_000);
  console.log(JSON.stringify({ steps: STEPS, kills: server.kills, seconds }));
  await server.stop();
});
