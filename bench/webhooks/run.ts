/**
 * `pnpm bench:webhooks`: deliveries per second of one worker process on PostgreSQL, and the latency from commit to
 * receipt while another receiver hangs. The receiver is a real HTTPS server in its own process.
 */
import { type ChildProcess, fork, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { createKeyring, createTargetPolicy, generateSecretsKey, parseSecretsKey } from "@minutes/core";
import { connectPostgres } from "@minutes/db";
import {
  completeMeeting,
  createPersonalWebhook,
  createTestCa,
  createWorkspaceWebhook,
  givenOn,
  type Person,
} from "@minutes/testing";
import { sql } from "drizzle-orm";
import postgres from "postgres";
import { computeQuantile } from "../requests/load.js";

const { values: options } = parseArgs({
  options: {
    deliveries: { type: "string", default: "5000" },
    rounds: { type: "string", default: "3" },
    json: { type: "boolean", default: false },
    help: { type: "boolean", default: false },
  },
});
const serverUrl = process.env.BENCH_DATABASE_URL;
if (options.help || !serverUrl) {
  console.log(
    "BENCH_DATABASE_URL=postgres://… pnpm bench:webhooks [--deliveries 5000] [--rounds 3] [--json]\n" +
      "Needs a PostgreSQL server on which databases can be made.",
  );
  process.exit(options.help ? 0 : 2);
}

const COMPANIES = 4;
const WEBHOOKS_EACH = 5;
const HEALTHY = 49;
const HUNG_BACKLOG = 300;
const HEALTHY_EVENTS = 980;
const EVENTS_PER_SECOND = 50;

const name = `hook_bench_${process.pid}`;
const admin = postgres(serverUrl, { max: 1, onnotice: () => {} });
await admin.unsafe(`CREATE DATABASE ${name}`);
const url = new URL(serverUrl);
url.pathname = `/${name}`;
const connection = await connectPostgres({ url: url.href });
const { db } = connection;
const given = givenOn(db);

const directory = await mkdtemp(join(tmpdir(), "minutes-bench-"));
const ca = await createTestCa();
const certificate = await ca.issue();
await writeFile(join(directory, "cert"), certificate.cert);
await writeFile(join(directory, "key"), certificate.key);
const receiver = fork(
  new URL("receiver.ts", import.meta.url),
  ["cert", "key"].map((file) => join(directory, file)),
  { execArgv: ["--import", "tsx"] },
);
const [{ port }] = (await once(receiver, "message")) as [{ port: number }];
const takeArrivals = async () => {
  receiver.send("arrivals");
  return ((await once(receiver, "message")) as [{ arrivals: [string, number][] }])[0].arrivals;
};

const secretsKey = generateSecretsKey();
const settings = {
  keyring: createKeyring([parseSecretsKey(secretsKey) ?? new Uint8Array()]),
  targetPolicy: createTargetPolicy({ allowedNetworks: ["127.0.0.1/32"] }),
};
const toWebhook = (path: string) => ({
  name: "bench",
  url: `https://127.0.0.1:${port}${path}`,
  method: "signature" as const,
});

async function startWorker(): Promise<ChildProcess> {
  const minutes = fileURLToPath(new URL("../../apps/server/bin/minutes.js", import.meta.url));
  const worker = spawn(process.execPath, [minutes, "start", "--role", "worker"], {
    env: {
      ...process.env,
      DATABASE_URL: url.href,
      SECRETS_KEY: secretsKey,
      WEBHOOK_ALLOWED_NETWORKS: "127.0.0.1/32",
      WEBHOOK_CA_FILE: ca.caFile,
    },
    stdio: ["ignore", "pipe", "inherit"],
  });
  let printed = "";
  await new Promise<void>((resolve) => {
    worker.stdout.on("data", (text) => {
      printed += text;
      if (printed.includes('"delivering"')) resolve();
    });
  });
  return worker;
}
const stop = async (worker: ChildProcess) => {
  const ended = once(worker, "close");
  worker.kill("SIGKILL");
  await ended;
};
const countPending = async () => {
  const [row] = await db
    .select({ count: sql<number>`count(*)::int` })
    .from(sql`deliveries where state = 'pending'`);
  return row?.count ?? 0;
};
const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** A one-hour meeting with a payload of some 12 KB. */
const facts = {
  summary: { markdown: `# Review\n\n${"The turbines are late, and everybody knows. ".repeat(40)}` },
  transcript: Array.from({ length: 60 }, (_, turn) => ({
    speakerId: `s${turn % 4}`,
    speakerName: `Speaker ${turn % 4}`,
    text: `Turn ${turn}: ${"what was said about the turbines, ".repeat(4)}`,
  })),
  tasks: [{ text: "Call the supplier" }],
};

/** Measures the deliveries per second of one worker with a backlog. */
async function measureThroughput(deliveries: number): Promise<number> {
  const owners: Person[] = [];
  for (let n = 0; n < COMPANIES; n++) {
    const company = await given.company();
    for (let m = 0; m < WEBHOOKS_EACH; m++)
      await createWorkspaceWebhook(db, settings, company.admin.userId, toWebhook("/hook"));
    owners.push(company.admin);
  }
  for (let n = 0; n < deliveries / WEBHOOKS_EACH; n++)
    await completeMeeting(db, owners[n % COMPANIES] as Person, facts);
  await db.execute(sql`analyze`);
  const worker = await startWorker();
  while ((await countPending()) > 0) await pause(250);
  await stop(worker);
  const times = (await takeArrivals()).map(([, at]) => at).sort((a, b) => a - b);
  return (1000 * (times.length - 1)) / ((times.at(-1) ?? 0) - (times[0] ?? 0));
}

/** Measures the ms from commit to receipt at healthy receivers, next to one that hangs. */
async function measureBesideHungReceiver(): Promise<Float64Array> {
  const stuck = await given.person();
  await createPersonalWebhook(db, settings, stuck.userId, toWebhook("/hung"));
  for (let n = 0; n < HUNG_BACKLOG; n++) await completeMeeting(db, stuck);
  const healthy = await Promise.all(
    Array.from({ length: HEALTHY }, async () => {
      const person = await given.person();
      await createPersonalWebhook(db, settings, person.userId, toWebhook("/hook"));
      return person;
    }),
  );
  const worker = await startWorker();
  await pause(1_000);
  const committed = new Map<string, number>();
  const began = Date.now();
  for (let n = 0; n < HEALTHY_EVENTS; n++) {
    const { meetingId } = await completeMeeting(db, healthy[n % HEALTHY] as Person);
    committed.set(meetingId, Date.now());
    await pause(Math.max(0, began + (n * 1000) / EVENTS_PER_SECOND - Date.now()));
  }
  await pause(1_000);
  await stop(worker);
  const received = await takeArrivals();
  if (received.length < HEALTHY_EVENTS) throw new Error(`${received.length} of ${HEALTHY_EVENTS} arrived.`);
  return Float64Array.from(received, ([meetingId, at]) => at - (committed.get(meetingId) ?? 0)).sort();
}

const rates: number[] = [];
for (let round = 0; round < Number(options.rounds); round++)
  rates.push(await measureThroughput(Number(options.deliveries)));
const latencies = await measureBesideHungReceiver();
const report = {
  deliveriesPerSecond: rates.map(Math.round),
  besideHungReceiver: {
    healthy: HEALTHY,
    hungBacklog: HUNG_BACKLOG,
    deliveries: latencies.length,
    p50: computeQuantile(latencies, 0.5),
    p95: computeQuantile(latencies, 0.95),
    p99: computeQuantile(latencies, 0.99),
  },
};
console.log(JSON.stringify(report, null, options.json ? 0 : 2));

receiver.disconnect();
await connection.close();
await admin.unsafe(`DROP DATABASE ${name} WITH (FORCE)`);
await admin.end();
await ca.remove();
await rm(directory, { recursive: true });
