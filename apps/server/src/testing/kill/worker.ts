/**
 * A service that completes recordings over HTTP until it is killed, and reports acknowledged ones. Arguments: a data
 * directory of the embedded engine, or a PostgreSQL URL.
 */
import { randomBytes } from "node:crypto";
import { writeSync } from "node:fs";
import type { AddressInfo } from "node:net";
import {
  createKeyring,
  createTargetPolicy,
  createUser,
  disableWebhook,
  OPERATOR,
  setPlan,
} from "@minutes/core";
import { connectEmbedded, connectPostgres } from "@minutes/db";
import { call, createIngestKey, createPersonalWebhook, createWorkspaceWebhook } from "@minutes/testing";
import pino from "pino";
import { createApp, createHttpServer, parseConfig } from "../../index.js";

const [place = "", run = ""] = process.argv.slice(2);
const connection = await (place.startsWith("postgres:")
  ? connectPostgres({ url: place, migrate: false })
  : connectEmbedded({ dataDir: place, migrate: false }));
const { db } = connection;

const email = `kill-${run}@example.com`;
const { userId, workspaceId } = await createUser(db, OPERATOR, { email, name: "Anna" });
await setPlan(db, OPERATOR, workspaceId, "plus");
const { key } = await createIngestKey(db, userId, "test");

// Each meeting is sent to two webhooks of the user and one of the workspace, but not to a disabled one. Deliveries are
// never attempted.
const settings = {
  keyring: createKeyring([randomBytes(32)]),
  targetPolicy: createTargetPolicy({ allowedNetworks: ["127.0.0.1/32"] }),
};
const webhook = { name: "Killed", url: "https://127.0.0.1:9/", method: "signature" } as const;
for (const make of [createPersonalWebhook, createPersonalWebhook, createWorkspaceWebhook])
  await make(db, settings, userId, webhook);
const { id: disabled } = await createPersonalWebhook(db, settings, userId, webhook);
await disableWebhook(db, OPERATOR, disabled);

const config = parseConfig({ RATE_LIMIT_PER_MINUTE: "1000000000", INGEST_LIMIT_PER_MINUTE: "1000000000" });
const server = createHttpServer(
  createApp({ connection, config, log: pino({ level: "silent" }), publicUrl: () => "http://localhost" }),
);
await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
const ingest = async (procedure: string, input: object) => {
  const { status, text } = await call(url, key, `ingest/${procedure}`, input);
  if (status !== 200) throw new Error(`${procedure} answered ${status}: ${text}`);
};

for (let number = 0; ; number++) {
  const externalId = `kill-${run}-${number}`;
  const started = { externalId, ownerEmail: email, title: "Meeting", startTime: "2025-03-14T09:00:00Z" };
  const rest = {
    endTime: "2025-03-14T09:10:00Z",
    transcript: Array.from({ length: 40 }, (_, at) => ({
      speakerId: `s${at % 3}`,
      speakerName: `Speaker ${at % 3}`,
      text: `Turn ${at} says quite a few words about the turbines, so that there is something to find.`,
    })),
    summary: { markdown: "A **summary**." },
    tasks: Array.from({ length: 3 }, (_, at) => ({ text: `Task ${at}` })),
    tags: [{ name: "Killed" }],
  };
  if (number % 2 === 0) await ingest("meetings.import", { ...started, ...rest });
  else {
    await ingest("recordings.start", started);
    await ingest("recordings.complete", { externalId, ...rest });
  }
  writeSync(1, `${externalId}\n`);
}
