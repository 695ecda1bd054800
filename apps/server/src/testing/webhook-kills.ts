import { createHash } from "node:crypto";
import { createKeyring, createTargetPolicy, generateSecretsKey, parseSecretsKey } from "@minutes/core";
import {
  completeMeeting,
  createPersonalWebhook,
  createTestCa,
  givenOn,
  type Received,
  startWebhookReceiver,
  type TestDatabase,
} from "@minutes/testing";
import { sql } from "drizzle-orm";
import type { ServerProcess } from "./process.js";
import { startWorkerProcess } from "./process.js";

/** The result of a stream of events processed by two workers that were repeatedly killed. */
export interface CrashTestReport {
  readonly events: number;
  readonly kills: number;
  readonly concurrency: number;
  /** Deliveries by state. */
  readonly states: Readonly<Record<string, number>>;
  /** Received requests and logged attempts. */
  readonly receipts: number;
  readonly recorded: number;
  /** Events that the receiver never answered with 200. */
  readonly lost: number;
  /** Deliveries of the webhook that always fails, by number of recorded attempts. */
  readonly attemptsOfDeadWebhook: Readonly<Record<string, number>>;
  /** Delivered ones whose log does not end with exactly one success. */
  readonly wrongLogs: number;
  readonly seconds: number;
}

/** Deliveries that a worker sends at once. */
const CONCURRENCY = 64;

/** Selects 5 % of answers, evenly distributed and the same in every run. */
const isUnlucky = ({ id }: Received, attempt: number) =>
  (createHash("sha256").update(`${id} ${attempt}`).digest()[0] ?? 0) < 0.05 * 256;

/**
 * Completes `events` meetings while two worker processes deliver them to real HTTPS receivers, 5 % of whose answers are
 * 503, and one of the workers is repeatedly killed with -9, `kills` times.
 */
export async function crashWorkers(
  database: TestDatabase,
  { events, kills, failing }: { events: number; kills: number; failing: number },
): Promise<CrashTestReport> {
  const began = performance.now();
  const ca = await createTestCa();
  const counts = new Map<string, number>();
  const done = new Set<string>();
  const receiver = await startWebhookReceiver(await ca.issue(), (got) => {
    const attempt = (counts.get(got.id) ?? 0) + 1;
    counts.set(got.id, attempt);
    got.body = "";
    if (got.path === "/dead" || isUnlucky(got, attempt)) return 503;
    done.add(got.id);
    return 200;
  });
  const secretsKey = generateSecretsKey();
  const settings = {
    DATABASE_URL: database.url ?? "",
    SECRETS_KEY: secretsKey,
    WEBHOOK_ALLOWED_NETWORKS: "127.0.0.1/32",
    WEBHOOK_CA_FILE: ca.caFile,
    WEBHOOK_RETRY_DELAYS: "0.5,0.5,0.5,0.5",
  };

  // Many webhooks, as in a busy installation: a worker sends eight deliveries per webhook.
  const given = givenOn(database.db);
  const keyring = createKeyring([parseSecretsKey(secretsKey) ?? new Uint8Array()]);
  const targetPolicy = createTargetPolicy({ allowedNetworks: ["127.0.0.1/32"] });
  const ownerOf = async (path: string) => {
    const owner = await given.person();
    const url = `https://127.0.0.1:${receiver.port}${path}`;
    await createPersonalWebhook(database.db, { keyring, targetPolicy }, owner.userId, {
      name: "x",
      url,
      method: "signature",
    });
    return owner;
  };
  const owners = await Promise.all(Array.from({ length: 20 }, () => ownerOf("/hook")));
  const dead = await ownerOf("/dead");

  const workers: ServerProcess[] = await Promise.all([
    startWorkerProcess(settings),
    startWorkerProcess(settings),
  ]);
  let killed = 0;
  let completed = 0;
  const complete = async () => {
    for (;;) {
      const number = completed++;
      if (number >= events + failing) return;
      // Spread over the killing, so that every kill hits busy workers.
      while (killed < kills && number > ((killed + 1) / kills) * (events + failing)) await pause(5);
      const owner =
        number % Math.ceil((events + failing) / failing) === 0 ? dead : owners[number % owners.length];
      if (owner) await completeMeeting(database.db, owner);
    }
  };
  const kill = async () => {
    for (; killed < kills; killed++) {
      const victim = killed % 2;
      await pause(50 + Math.random() * 200);
      await workers[victim]?.stop("SIGKILL");
      workers[victim] = await startWorkerProcess(settings);
    }
  };
  await Promise.all([kill(), ...Array.from({ length: 4 }, complete)]);
  const count = async (rows: ReturnType<typeof sql>) => {
    const found = await database.db
      .select({ key: sql<string>`key`, number: sql<number>`number::int` })
      .from(rows);
    return Object.fromEntries(found.map(({ key, number }) => [key, number]));
  };
  const states = () => count(sql`(select state as key, count(*) as number from deliveries group by 1) t`);
  for (let now = await states(); now.pending; now = await states()) await pause(500);
  await Promise.all(workers.map((worker) => worker.stop()));

  const deadOnes = sql`deliveries d join webhooks w on w.id = d.webhook_id where w.url like '%/dead'`;
  const attemptsOfDeadWebhook = await count(
    sql`(select n::text as key, count(*) as number from (select (select count(*) from attempts a where a.delivery_id = d.id) as n from ${deadOnes}) x group by 1) t`,
  );
  const failed = await count(sql`(select 'all' as key, count(*) as number from ${deadOnes}) t`);
  const recorded = await count(sql`(select 'all' as key, count(*) as number from attempts) t`);
  const wrong =
    await count(sql`(select 'all' as key, count(*) as number from deliveries d where state = 'delivered' and
    (select array_agg(a.error is null order by a.number) from attempts a where a.delivery_id = d.id)
      is distinct from array_append(array_fill(false, array[d.attempts - 1]), true)) t`);
  const report: CrashTestReport = {
    events: events + failing,
    kills: killed,
    concurrency: CONCURRENCY,
    states: await states(),
    receipts: receiver.received.length,
    recorded: recorded.all ?? 0,
    lost: events + failing - (failed.all ?? 0) - done.size,
    attemptsOfDeadWebhook,
    wrongLogs: wrong.all ?? 0,
    seconds: Math.round((performance.now() - began) / 1000),
  };
  await receiver.close();
  await ca.remove();
  return report;
}

const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));
