import type { WebhookFormat } from "@minutes/contract";
import {
  createKeyring,
  createSender,
  createTargetPolicy,
  createWebhook,
  type DeliveryWorker,
  generateSecretsKey,
  type Keyring,
  listDeliveries,
  type NewWebhookOfKind,
  OPERATOR,
  startDeliveryWorker,
  type TargetPolicy,
  type WebhookServices,
  type WebhookWithSecret,
} from "@minutes/core";
import { type Database, schema } from "@minutes/db";
import { sql } from "drizzle-orm";
import type { Company, Person } from "./accounts.js";
import { type Certificate, createTestCa, type TestCa } from "./certificates.js";
import { createTestDatabase, type TestDatabase } from "./database.js";
import { type Given, givenOn } from "./given.js";
import { asUser } from "./keys.js";
import { type AnswerWith, type Receiver, startWebhookReceiver } from "./receiver.js";

type WebhookFacts = Omit<NewWebhookOfKind, "kind" | "format" | "tags"> &
  Partial<Pick<NewWebhookOfKind, "format" | "tags">>;

/** Creates a webhook for a user's own meetings. */
export const createPersonalWebhook = (
  db: Database,
  services: WebhookServices,
  userId: string,
  webhook: WebhookFacts,
): Promise<WebhookWithSecret> =>
  createWebhook(db, services, asUser(userId), { kind: "personal", format: "json", tags: [], ...webhook });

/** Creates a webhook for all meetings of an admin's workspace. */
export const createWorkspaceWebhook = (
  db: Database,
  services: WebhookServices,
  userId: string,
  webhook: WebhookFacts,
): Promise<WebhookWithSecret> =>
  createWebhook(db, services, asUser(userId), { kind: "workspace", format: "json", tags: [], ...webhook });

type WorkerOptions = Parameters<typeof startDeliveryWorker>[0];

/** Everything webhooks need, on a separate database, with receivers on loopback allowed. */
export interface WebhookScene {
  readonly database: TestDatabase;
  readonly db: TestDatabase["db"];
  readonly given: Given;
  readonly ca: TestCa;
  readonly settings: WebhookServices & { readonly keyring: Keyring };
  /** Faults of the workers, as `Name: message`. */
  readonly faults: string[];
  /** Starts a worker; `close` stops all of them. */
  worker(
    options?: Partial<WorkerOptions> & { timeout?: number; targetPolicy?: TargetPolicy },
  ): Promise<DeliveryWorker>;
  personalWebhook(
    owner: Person,
    url: string,
    facts?: {
      method?: "api-key" | "signature";
      headerName?: string;
      headerPrefix?: string;
      format?: WebhookFormat;
    },
  ): Promise<{ id: string; secret: string }>;
  workspaceWebhook(company: Company, url: string): Promise<{ id: string; secret: string }>;
  /** Starts a receiver whose certificate the workers trust; closed by `close`. */
  receiver(answer?: AnswerWith): Promise<Receiver>;
  /** Lists the states of a webhook's deliveries, newest first. */
  states(webhookId: string): Promise<string[]>;
  /** Simulates an hour for retries that wait longer than a lease. @returns their number */
  anHourPasses(): Promise<number>;
  /** Simulates the second for which changes are collected into one event. */
  aSecondPasses(): Promise<unknown>;
  /** Makes every delivery look as if it had failed permanently. */
  allFail(): Promise<unknown>;
  close(): Promise<void>;
}

export async function createWebhookScene(): Promise<WebhookScene> {
  const [database, ca] = await Promise.all([createTestDatabase(), createTestCa()]);
  const { db } = database;
  const keyring = createKeyring([Buffer.from(generateSecretsKey(), "base64")]);
  const settings = { keyring, targetPolicy: createTargetPolicy({ allowedNetworks: ["127.0.0.0/8"] }) };
  const faults: string[] = [];
  const workers: DeliveryWorker[] = [];
  const receivers: Receiver[] = [];
  let certificate: Promise<Certificate> | undefined;
  return {
    database,
    db,
    given: givenOn(db),
    ca,
    settings,
    faults,
    worker: async ({ timeout, targetPolicy = settings.targetPolicy, ...options } = {}) => {
      const worker = startDeliveryWorker({
        connection: await database.connect(),
        keyring,
        sender: createSender({
          targetPolicy,
          extraCa: ca.ca,
          ...(timeout === undefined ? {} : { timeout }),
        }),
        publicUrl: () => "https://minutes.example.com",
        notice: { mailer: null, onNotice: () => {}, onPause: () => {} },
        onFault: (error) => void faults.push(String(error)),
        retryDelays: [0.05, 0.05, 0.05, 0.05],
        concurrency: 64,
        logDays: 30,
        pause: { failures: 10, hours: 24 },
        ...options,
      });
      workers.push(worker);
      return worker;
    },
    personalWebhook: (owner, url, facts = {}) =>
      createPersonalWebhook(db, settings, owner.userId, {
        name: "Test",
        url,
        method: "signature",
        ...facts,
      }),
    workspaceWebhook: (company, url) =>
      createWorkspaceWebhook(db, settings, company.admin.userId, { name: "Test", url, method: "signature" }),
    receiver: async (answer) => {
      certificate ??= ca.issue();
      const receiver = await startWebhookReceiver(await certificate, answer);
      receivers.push(receiver);
      return receiver;
    },
    states: async (webhookId) => {
      const page = await listDeliveries(db, OPERATOR, { webhookId, limit: 50 });
      return page.deliveries.map(({ state }) => state);
    },
    allFail: () => db.update(schema.deliveries).set({ state: "failed" }),
    anHourPasses: async () => {
      const moved = await db
        .update(schema.deliveries)
        .set({ dueAt: sql`due_at - interval '1 hour'` })
        .where(sql`state = 'pending' and due_at > now() + interval '1 minute'`)
        .returning({ id: schema.deliveries.id });
      await db.execute(sql`select pg_notify('minutes_deliveries', '')`);
      return moved.length;
    },
    aSecondPasses: async () => {
      await db
        .update(schema.webhookEvents)
        .set({ createdAt: sql`created_at - interval '1 second'` })
        .where(sql`data is null`);
      await db.execute(sql`select pg_notify('minutes_deliveries', '')`);
    },
    close: async () => {
      // First, so that nothing waits for an answer that never comes.
      await Promise.all(receivers.map((receiver) => receiver.close()));
      await Promise.all(workers.map((worker) => worker.stop()));
      await database.close();
      await ca.remove();
    },
  };
}
