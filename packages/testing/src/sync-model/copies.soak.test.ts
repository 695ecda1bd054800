import { afterAll, beforeAll, test } from "vitest";
import { type TestServer, testServer } from "../server.js";
import { runSyncModel } from "./run.js";

const first = Number(process.env.MODEL_SEED ?? Date.now() % 1_000_000_000);
const steps = Number(process.env.MODEL_STEPS ?? 2_000);

let server: TestServer;
beforeAll(async () => {
  server = await testServer();
});
afterAll(() => server.close());

// Ten runs, so that a difference is found with a seed that repeats it soon.
test.each(Array.from({ length: 10 }, (_, at) => first + at))(
  "copies by the change feed equal what the API shows, with the server started again, seed %i",
  async (seed) => {
    const restart = async (old: TestServer): Promise<TestServer> => {
      if (old !== server) await old.close();
      return testServer({ database: server.database });
    };
    await runSyncModel(server, { seed, steps, restart });
  },
  3_600_000,
);
