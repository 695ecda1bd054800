// Records the answers of /v1 for apps/server/src/tests/contract.test.ts.
import { createTestDatabase } from "@minutes/testing";
import { dumpDatabase } from "../release/dump-database.js";
import { restoreRelease } from "../release/restore.js";
import { fillRecordedDatabase } from "./data.js";
import { type Exchange, startServers } from "./exchange.js";
import { readRecording, writeRecording } from "./recording.js";
import { askEverything } from "./requests.js";

if (!process.env.TEST_DATABASE_URL) {
  console.error("TEST_DATABASE_URL=postgres://… pnpm contract:record [--all]");
  process.exit(2);
}
const isNew = process.argv.includes("--all");

async function createData() {
  const database = await createTestDatabase();
  if (database.url === null) throw new Error("TEST_ENGINE must be postgres.");
  const keys = await fillRecordedDatabase(database.db);
  const sql = await dumpDatabase(database.url);
  await database.close();
  return { sql, keys, exchanges: [] as Exchange[] };
}

const { sql, keys, exchanges: recorded } = isNew ? await createData() : await readRecording();
const known = new Map<string, Exchange[]>();
for (const exchange of recorded) {
  const name = JSON.stringify(exchange.request);
  known.set(name, [...(known.get(name) ?? []), exchange]);
}
const restored = await restoreRelease({ sql });
const servers = await startServers(await restored.connectNew());
const exchanges: Exchange[] = [];
await askEverything(async (request) => {
  const now = await servers.ask(request);
  exchanges.push(known.get(JSON.stringify(request))?.shift() ?? now);
  return now;
}, keys);
await servers.close();
await restored.remove();
await writeRecording({ sql, keys, exchanges });
const kept = recorded.length - [...known.values()].flat().length;
console.log(`${exchanges.length} answers, ${kept} of them kept`);
process.exit(0);
