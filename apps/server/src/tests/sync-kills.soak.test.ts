import { setTimeout as sleep } from "node:timers/promises";
import { generateSecretsKey } from "@minutes/core";
import { createTestDatabase, needs } from "@minutes/testing";
import { expect, onTestFinished, test } from "vitest";
import {
  compareCopy,
  isConnectionFault,
  type ModelServer,
  type Reader,
  readPages,
  runSyncModel,
} from "../testing/index.js";
import { callsTo, KillableServer, UNLIMITED } from "../testing/killable-server.js";
import { addPeople } from "../testing/people.js";
import { emptyDataDir, startProcess } from "../testing/process.js";
import { startTraffic, type TrafficReport } from "../testing/traffic.js";

const STEPS = Number(process.env.MODEL_STEPS ?? 20_000);
const SEED = Number(process.env.MODEL_SEED ?? Date.now() % 1_000_000_000);
const KILLS = Number(process.env.KILLS ?? 10);

test(`copies equal what the API shows after ${STEPS} random steps with kills of the server, seed ${SEED}`, {
  ...needs("postgres"),
  timeout: 7_200_000,
}, async () => {
  const database = await createTestDatabase();
  onTestFinished(() => database.close());
  const server = new KillableServer({
    ...UNLIMITED,
    ...{ DATABASE_URL: database.url ?? "", SECRETS_KEY: generateSecretsKey() },
  });
  const connect = (url: string): ModelServer => ({ ...callsTo(url), database, db: database.db });
  const kill = async () => connect(await server.kill());
  const began = performance.now();
  await runSyncModel(connect(await server.start()), { seed: SEED, steps: STEPS, kill });
  const seconds = Math.round((performance.now() - began) / 1_000);
  console.log(JSON.stringify({ steps: STEPS, kills: server.kills, seconds }));
  await server.stop();
});

test(`each acknowledged change arrives after ${KILLS} kills of a server on the embedded engine`, {
  ...needs("embedded"),
  timeout: 600_000,
}, async () => {
  const settings = { ...UNLIMITED, DATA_DIR: await emptyDataDir() };
  const people = await addPeople({ ...settings, LOG_LEVEL: "silent" });
  const reader: Reader = {
    name: people.email,
    key: people.key,
    side: "me",
    detail: true,
    hasty: false,
    cursor: undefined,
    copy: new Map(),
    removed: new Set<string>(),
  };
  const reports: TrafficReport[] = [];
  for (let kill = 0; kill < KILLS; kill++) {
    const server = await startProcess(settings);
    const traffic = await startTraffic(
      { ...people, url: server.url },
      { readers: 0, updaters: 2, importers: 2 },
    );
    const reading = (async () => {
      for (;;) await readPages(callsTo(server.url), reader, 1_000, 3);
    })().catch((error: unknown) => {
      if (!isConnectionFault(error)) throw error;
    });
    await sleep(200 + Math.random() * 1_500);
    await server.stop("SIGKILL");
    await reading;
    reports.push(await traffic.stop());
  }
  const server = await startProcess(settings);
  const api = callsTo(server.url);
  while (!(await readPages(api, reader, 1_000, 20)));
  await compareCopy(api, reader);
  const imported = reports.flatMap((report) => report.imported);
  expect(imported.filter((id) => !reader.copy.has(`meeting ${id}`))).toEqual([]);
  expect(imported.length).toBeGreaterThan(0);
  console.log(JSON.stringify({ kills: KILLS, imported: imported.length, copied: reader.copy.size }));
  await server.stop();
});
