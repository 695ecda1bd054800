import { setTimeout as pause } from "node:timers/promises";
import { DELIVERY_STATES } from "@minutes/contract";
import type { operatorManagement } from "@minutes/core";
import type { inferProcedureOutput } from "@trpc/server";
import { Option } from "commander";
import { type Operator, type OperatorCommand, toWholeNumber } from "./cli/command.js";
import { EXIT, UsageError } from "./cli/exit.js";
import { formatTable, note, print, printDone } from "./cli/output.js";

type Webhooks = Pick<typeof operatorManagement, "webhooks">;
type Delivery = inferProcedureOutput<Webhooks["webhooks"]["delivery"]>;
type Page = inferProcedureOutput<Webhooks["webhooks"]["deliveries"]>;

/** Time in ms that `test` waits for the first attempt: the timeout of an attempt, plus a margin. */
const TEST_TIMEOUT = 32_000;
const TEST_PAUSE = 250;

/** Adds the commands for a webhook's deliveries. */
export function addDeliveryCommands(commands: OperatorCommand<Webhooks>): void {
  addTest(commands);
  addLog(commands);
  addRedeliver(commands);
}

function addTest(commands: OperatorCommand<Webhooks>): void {
  commands
    .add(
      "test <webhook>",
      "send a sample to a webhook and wait for the first attempt; fails if the attempt fails",
    )
    .option("--no-wait", "don't wait")
    .run(async (operator, webhookId, { wait, ...options }) => {
      const { deliveryId } = await operator.webhooks.test.mutate({ webhookId });
      const delivery = await waitForAttempt(operator, deliveryId, wait ? TEST_TIMEOUT : 0);
      print(options, delivery, describeDelivery(delivery));
      if (wait && delivery.attempts.length === 0) note("No attempt yet. Is the server running?");
      if (wait && delivery.attempts.at(-1)?.error !== null) process.exitCode = EXIT.failed;
    });
}

function addLog(commands: OperatorCommand<Webhooks>): void {
  commands
    .add("deliveries <webhook>", "list the deliveries to a webhook, newest first")
    .addOption(new Option("--state <state>", "only deliveries in this state").choices(DELIVERY_STATES))
    .option("--from <time>", "only deliveries created at or after this ISO 8601 time")
    .option("--to <time>", "only deliveries created at or before this ISO 8601 time")
    .option("--limit <number>", "number of deliveries, 1 to 100", toWholeNumber(1, 100))
    .option("--cursor <cursor>", "nextCursor of the previous page")
    .run(async ({ webhooks }, webhookId, { json, ...filters }) => {
      const page = await webhooks.deliveries.query({ webhookId, ...filters });
      const more = page.nextCursor === null ? [] : [`More: add --cursor ${page.nextCursor}`];
      print({ json }, page, formatDeliveries(page), more);
    });

  commands
    .add("delivery <deliveryId>", "show a delivery with all its attempts")
    .run(async ({ webhooks }, deliveryId, options) => {
      const delivery = await webhooks.delivery.query({ deliveryId });
      print(options, delivery, describeDelivery(delivery));
    });
}

function addRedeliver(commands: OperatorCommand<Webhooks>): void {
  commands
    .add("redeliver [deliveryId]", "redeliver one delivery, or all failed deliveries of a time range")
    .option("--webhook <webhook>", "all failed deliveries of this webhook …")
    .option("--from <time>", "… created at or after this ISO 8601 time")
    .option("--to <time>", "… and at or before this time (default now)")
    .run(async ({ webhooks }, deliveryId, { webhook: webhookId, from, to, ...options }) => {
      const one = deliveryId !== undefined;
      if (one ? [webhookId, from, to].some(Boolean) : !webhookId || !from) {
        throw new UsageError("Give a delivery id, or --webhook and --from.");
      }
      const range = { webhookId, from, to: to ?? new Date().toISOString() };
      const { redelivered } = one
        ? await webhooks.redeliver.mutate({ deliveryId }).then(() => ({ redelivered: 1 }))
        : await webhooks.redeliverFailed.mutate(range);
      printDone(options, { redelivered }, `${redelivered} sent again.`);
    });
}

/** Returns the delivery after its first attempt, or its current state after `patience` ms. */
async function waitForAttempt({ webhooks }: Operator<Webhooks>, deliveryId: string, patience: number) {
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
