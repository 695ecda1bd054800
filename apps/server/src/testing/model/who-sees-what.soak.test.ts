import { afterAll, beforeAll, test } from "vitest";
import { startTestServer, type TestServer } from "../server.js";
import { compareWithModel } from "./run.js";

const first = Number(process.env.MODEL_SEED ?? Date.now() % 1_000_000_000);

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.close());

// Ten runs, so that a difference can be reproduced quickly with its seed.
test.each(Array.from({ length: 10 }, (_, at) => first + at))(
  "who sees what: 2,000 random steps answer as the contract's model does, seed %i",
  async (seed) => {
    await compareWithModel(server, { seed, steps: 2_000 });
  },
  1_800_000,
);
