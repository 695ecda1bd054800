import {
  createTestCa,
  createTestDatabase,
  engine,
  type Receiver,
  startWebhookReceiver,
  type TestDatabase,
} from "@minutes/testing";
import { onTestFinished } from "vitest";
import { minutesJson } from "./installation.js";
import { addPeople, type Installation } from "./people.js";
import { emptyDataDir, type ServerProcess, startProcess } from "./process.js";

export interface LoadTarget extends ServerProcess, Installation {
  readonly url: string;
  readonly receiver: Receiver;
}

/** Starts a server process with the built-in model, a person without limits and a webhook to a real receiver. */
export async function startLoadTarget(): Promise<LoadTarget> {
  const ca = await createTestCa();
  const receiver = await startWebhookReceiver(await ca.issue());
  let database: TestDatabase | null = null;
  if (engine === "postgres") database = await createTestDatabase();
  onTestFinished(async () => {
    await receiver.close();
    await database?.close();
  });
  const settings = {
    ...(database
      ? { DATABASE_URL: database.url ?? "", SECRETS_KEY: Buffer.alloc(32, 7).toString("base64") }
      : { DATA_DIR: await emptyDataDir(), DEMO: "off" }),
    EMBEDDINGS: "builtin",
    WEBHOOK_ALLOWED_NETWORKS: "127.0.0.1/32",
    WEBHOOK_CA_FILE: ca.caFile,
  };
  const people = await addPeople({ ...settings, LOG_LEVEL: "silent" });
  await minutesJson(["webhooks", "create", people.email, receiver.url], settings);
  const server = await startProcess({
    ...settings,
    RATE_LIMIT_PER_MINUTE: "1000000",
    INGEST_LIMIT_PER_MINUTE: "1000000",
  });
  return { ...server, ...people, receiver };
}
