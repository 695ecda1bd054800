import {
  createKeyring,
  createSender,
  createTargetPolicy,
  generateSecretsKey,
  startDeliveryWorker,
} from "@minutes/core";
import { type Connection, schema } from "@minutes/db";
import { createTestCa, createWorkspaceWebhook, startWebhookReceiver, waitFor } from "@minutes/testing";
import { sql } from "drizzle-orm";
import type { Step } from "./step.js";
import { EVENTS, WebhookCopies } from "./webhook-copies.js";
import type { World } from "./world.js";

const { deliveries, webhookEvents } = schema;

/** The webhooks of the model's companies. */
export interface ModelWebhooks {
  /** Subscribes the companies of a new world. */
  subscribe(world: World): Promise<void>;
  /** Notes at the end of a step which meetings each webhook hears of. */
  note(world: World): void;
  /** Delivers everything, and compares what the receiver knows with the model. */
  compare(step: Step): Promise<void>;
  close(): Promise<void>;
}

/** Starts a receiver on loopback. Deliveries wait for `compare`. */
export async function startWebhooks(connection: Connection): Promise<ModelWebhooks> {
  const { db } = connection;
  const ca = await createTestCa();
  const receiver = await startWebhookReceiver(await ca.issue());
  const keyring = createKeyring([Buffer.from(generateSecretsKey(), "base64")]);
  const targetPolicy = createTargetPolicy({ allowedNetworks: ["127.0.0.0/8"] });
  const faults: unknown[] = [];
  let copies: WebhookCopies[] = [];

  /** Sends all that is due, as if the second had passed in which changes are collected. */
  const deliver = async () => {
    await db.execute(
      sql`update ${webhookEvents} set created_at = created_at - interval '1 minute' where data is null`,
    );
    const worker = startDeliveryWorker({
      publicUrl: () => "https://minutes.example.com",
      ...{ connection, keyring, concurrency: 8, logDays: 30, retryDelays: [1, 1, 1, 1] },
      ...{ pause: { failures: 10, hours: 24 }, notice: { mailer: null, onNotice() {}, onPause() {} } },
      sender: createSender({ targetPolicy, extraCa: ca.ca }),
      onFault: (fault) => void faults.push(fault),
    });
    try {
      await waitFor(async () => {
        const events = await db.$count(webhookEvents, sql`data is null`);
        const pending = await db.$count(deliveries, sql`state = 'pending' and event_id is not null`);
        if (events + pending > 0) throw new Error(`${events} events and ${pending} deliveries wait.`);
      });
    } finally {
      await worker.stop();
    }
    if (faults.length > 0) throw faults[0];
  };

  return {
    subscribe: async ({ companies, users }) => {
      copies = companies.map((company) => new WebhookCopies(company));
      for (const { id } of companies) {
        const admin = users.find(({ workspace, role }) => workspace.id === id && role === "admin");
        await createWorkspaceWebhook(db, { keyring, targetPolicy }, admin?.id ?? "", {
          ...{ name: "Model", url: `${receiver.url}/${id}`, method: "signature", events: [...EVENTS] },
        });
      }
    },
    note: (world) => {
      for (const copy of copies) copy.note(world);
    },
    compare: async (step) => {
      await deliver();
      const received = receiver.received.splice(0);
      for (const copy of copies) {
        const own = received.filter(({ path }) => path.endsWith(`/${copy.company.id}`));
        const arrived = own.map(({ body }) => {
          const { metadata, data } = JSON.parse(body);
          return { event: metadata.event, data };
        });
        copy.compare(step, arrived);
      }
    },
    close: async () => {
      await receiver.close();
      await ca.remove();
    },
  };
}
