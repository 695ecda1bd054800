import { setTimeout as pause } from "node:timers/promises";
import { DELIVERY_STATES } from "@minutes/contract";
import { type Command, Option } from "commander";
import type { Operator } from "../operator/client.js";
import type { OperatorOutputs } from "../operator/router.js";
import { EXIT, UsageError } from "./failure.js";
import { formatTable, note, print, printDone } from "./output.js";
import { addCommand, withOperator } from "./run.js";

type Delivery = OperatorOutputs["webhooks"]["delivery"];
type Page = OperatorOutputs["webhooks"]["deliveries"];

/** Milliseconds that `test` waits for the first attempt: the time limit of an attempt, and a margin. */
const TEST_TIMEOUT = 32_000;
const TEST_PAUSE = 250;

/** Adds the commands about a webhook's deliveries. */
export function addDeliveryCommands(webhooks: Command): void {
  addTest(webhooks);
  addLog(webhooks);
  addRedeliver(webhooks);
}

function addTest(webhooks: Command): void {
  addCommand(
    webhooks,
    "test <webhookId>",
    "send a sample to a webhook and wait for the first attempt; fails when the attempt fails",
  )
    .option("--no-wait", "don't wait")
    .action(async (webhookId, { wait, ...options }) => {
      await withOperator(async (operator) => {
        const { deliveryId } = await operator.webhooks.test.mutate({ webhookId });
        const delivery = await waitForAttempt(operator, deliveryId, wait ? TEST_TIMEOUT : 0);
        print(options, delivery, describeDelivery(delivery));
        if (wait && delivery.attempts.length === 0) note("No attempt was made yet: does the server run?");
        if (wait && delivery.attempts.at(-1)?.error !== null) process.exitCode = EXIT.failed;
      });
    });
}

function addLog(webhooks: Command): void {
  addCommand(webhooks, "deliveries <webhookId>", "list the deliveries to a webhook, newest first")
    .addOption(new Option("--state <state>", "only deliveries in this state").choices(DELIVERY_STATES))
    .option("--from <time>", "only deliveries created at this ISO 8601 time or later")
    .option("--to <time>", "only deliveries created at this ISO 8601 time or earlier")
    .option("--limit <number>", "how many, 1 to 100", Number)
    .option("--cursor <cursor>", "nextCursor of the page before")
    .action(async (webhookId, { json, ...filters }) => {
      const page = await withOperator(({ webhooks }) => webhooks.deliveries.query({ webhookId, ...filters }));
      print({ json }, page, formatDeliveries(page));
      if (!json && page.nextCursor !== null) note(`More: add --cursor ${page.nextCursor}`);
    });

  addCommand(webhooks, "delivery <deliveryId>", "show a delivery with all its attempts").action(
    async (deliveryId, options) => {
      const delivery = await withOperator(({ webhooks }) => webhooks.delivery.query({ deliveryId }));
      print(options, delivery, describeDelivery(delivery));
    },
  );
}

function addRedeliver(webhooks: Command): void {
  addCommand(
    webhooks,
    "redeliver [deliveryId]",
    "send a delivery again, or all failed deliveries of a time range",
  )
    .option("--webhook <webhookId>", "all failed deliveries of this webhook …")
    .option("--from <time>", "… that were created at this ISO 8601 time or later")
    .option("--to <time>", "… and at this time or earlier; now when absent")
    .action(async (deliveryId, { webhook: webhookId, from, to, ...options }) => {
      const one = deliveryId !== undefined;
      if (one ? [webhookId, from, to].some(Boolean) : !webhookId || !from) {
        throw new UsageError("Name one delivery, or give --webhook and --from.");
      }
      const { redelivered } = await withOperator(async ({ webhooks }) => {
        if (!one) {
          const range = { webhookId, from, to: to ?? new Date().toISOString() };
          return webhooks.redeliverFailed.mutate(range);
        }
        await webhooks.redeliver.mutate({ deliveryId });
        return { redelivered: 1 };
      });
      printDone(options, { redelivered }, `${redelivered} sent again.`);
    });
}

/** Returns the delivery after its first attempt, or as it is after `patience` milliseconds. */
async function waitForAttempt({ webhooks }: Operator, deliveryId: string, patience: number) {
  const until = performance.now() + patience;
  for (;;) {
    const delivery = await webhooks.delivery.query({ deliveryId });
    if (delivery.attempts.length > 0 || delivery.state !== "pending" || performance.now() > until) {
      return delivery;
    }
    await pause(TEST_PAUSE);
  }
}

const describeDelivery = (delivery: Delivery): string[] => [
  `${delivery.id}  ${delivery.state}`,
  ...formatTable(delivery.attempts, {
    ATTEMPT: ({ number }) => number,
    TIME: ({ startedAt }) => startedAt,
    MS: ({ milliseconds }) => milliseconds,
    STATUS: ({ status }) => status,
    ERROR: ({ error }) => error,
  }),
];

const formatDeliveries = ({ deliveries }: Page): string[] =>
  formatTable(deliveries, {
    ID: ({ id }) => id,
    CREATED: ({ createdAt }) => createdAt,
    MEETING: ({ meetingId }) => meetingId ?? "(test)",
    EVENT: ({ event }) => event,
    STATE: ({ state }) => state,
    ATTEMPTS: ({ attempts }) => attempts,
    "NEXT ATTEMPT": ({ nextAttemptAt }) => nextAttemptAt,
  });
