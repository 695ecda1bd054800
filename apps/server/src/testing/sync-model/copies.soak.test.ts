import { afterAll, beforeAll, test } from "vitest";
import { startTestServer, type TestServer } from "../server.js";
import { runSyncModel } from "./run.js";

const first = Number(process.env.MODEL_SEED ?? Date.now() % 1_000_000_000);
const steps = Number(process.env.MODEL_STEPS ?? 2_000);

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.close());

// Ten runs, so that a difference can be reproduced quickly with its seed.
test.each(Array.from({ length: 10 }, (_, at) => first + at))(
  "copies by the change feed equal what the API shows, seed %i",
  (seed) => runSyncModel(server, { seed, steps }),
  3_600_000,
);
