import { onCluster } from "@minutes/testing";
import { afterAll, beforeAll, test } from "vitest";
import { startTestServer, type TestServer } from "../server.js";
import { compareWithModel } from "./run.js";

/** `MODEL_SEED` and `MODEL_STEPS` repeat or lengthen a run; the soak test makes ten long ones with other seeds. */
const seed = Number(process.env.MODEL_SEED ?? 20_261_122);
// Spread over several servers, statements are planned differently.
const steps = Number(process.env.MODEL_STEPS ?? (onCluster ? 40 : 20));

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.close());

test(`${steps} random steps are answered as the model predicts, seed ${seed}`, async () => {
  await compareWithModel(server, { seed, steps });
});
