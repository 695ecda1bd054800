import { afterAll, beforeAll, test } from "vitest";
import { startTestServer, type TestServer } from "../server.js";
import { runSyncModel } from "./run.js";

/** `MODEL_SEED` and `MODEL_STEPS` repeat or lengthen a run. */
const seed = Number(process.env.MODEL_SEED ?? 20_261_122);
const steps = Number(process.env.MODEL_STEPS ?? 120);

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.close());

test(`copies by the change feed equal what the API shows, after ${steps} random steps, seed ${seed}`, async () => {
  await runSyncModel(server, { seed, steps });
});
