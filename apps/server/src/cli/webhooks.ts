import { DELIVERY_STATES, WEBHOOK_METHODS } from "@minutes/contract";
import { type Command, Option } from "commander";
import type { OperationsClient } from "../connect-operations.js";
import type { OutputOf } from "../operations/index.js";
import { EXIT, UsageError } from "./failure.js";
import { confirm, note, print, table } from "./output.js";
import { addCommand, withOperations } from "./run.js";

type Webhook = OutputOf<"webhooks.show">;
type Delivery = OutputOf<"webhooks.delivery">;

/** Milliseconds that `test` waits for what comes of it: the time limit of an attempt, and a little. */
const TEST_PATIENCE = 32_000;
const TEST_LOOK = 250;

const webhookTable = (list: readonly Webhook[]): string[] =>
  table(list, {
    ID: ({ id }) => id,
    KIND: ({ kind }) => kind,
    NAME: ({ name }) => name,
    URL: ({ url }) => url,
    METHOD: ({ method, headerName }) => (headerName === null ? method : `${method} in ${headerName}`),
    STATE: ({ disabledAt }) => (disabledAt === null ? "enabled" : "disabled"),
  });

const attemptTable = ({ attempts }: Delivery): string[] =>
  table(attempts, {
    ATTEMPT: ({ number }) => number,
    TIME: ({ startedAt }) => startedAt,
    MS: ({ milliseconds }) => milliseconds,
    STATUS: ({ status }) => status,
    ERROR: ({ error }) => error,
  });

/** `minutes webhooks …` */
export function addWebhooks(program: Command): void {
  const webhooks = program.command("webhooks").description("where completed meetings are sent");
  addManagement(webhooks);
  addLog(webhooks);
}

function addManagement(webhooks: Command): void {
  addCommand(
    webhooks,
    "create <email> <url>",
    "create a webhook for a user's meetings; its secret is shown this once",
  )
    .option("--workspace", "for all meetings of the workspace that the user is an admin of, instead")
    .option("--name <name>", "what to call it", "Webhook")
    .addOption(
      new Option("--method <method>", "how the receiver tells that a delivery is ours")
        .choices(WEBHOOK_METHODS)
        .default("signature"),
    )
    .option("--header <name>", "with the method api-key: the header that carries the secret")
    .action(async (email, url, { workspace, name, method, header, ...options }) => {
      const kind = workspace ? "workspace" : "personal";
      const webhook = { name, url, method, headerName: header };
      const created = await withOperations(({ run }) => run("webhooks.create", { email, kind, webhook }));
      print(options, created, [created.secret]);
      if (!options.json) note(`${created.id} is a ${kind} webhook. Its secret is shown only this once.`);
    });

  addCommand(webhooks, "list <email>", "list a user's webhooks and those of his workspace").action(
    async (email, options) => {
      const list = await withOperations(({ run }) => run("webhooks.list", { email }));
      print(options, list, webhookTable(list));
    },
  );

  addCommand(webhooks, "show <webhookId>", "show a webhook, without its secret").action(
    async (webhookId, options) => {
      const webhook = await withOperations(({ run }) => run("webhooks.show", { webhookId }));
      print(options, webhook, webhookTable([webhook]));
    },
  );

  addCommand(webhooks, "edit <webhookId>", "change what is given")
    .option("--name <name>", "what to call it")
    .option("--url <url>", "where it sends to")
    .option("--header <name>", "with the method api-key: the header that carries the secret")
    .action(async (webhookId, { name, url, header, ...options }) => {
      const change = { name, url, headerName: header };
      const webhook = await withOperations(({ run }) => run("webhooks.edit", { webhookId, change }));
      print(options, webhook, webhookTable([webhook]));
    });

  addCommand(
    webhooks,
    "regenerate <webhookId>",
    "give a webhook a new secret; the next attempt uses it",
  ).action(async (webhookId, options) => {
    const created = await withOperations(({ run }) => run("webhooks.regenerate", { webhookId }));
    print(options, created, [created.secret]);
    if (!options.json) note("The new secret is shown only this once.");
  });

  const change = (name: "enable" | "disable", description: string) =>
    addCommand(webhooks, `${name} <webhookId>`, description).action(async (webhookId, options) => {
      const changed = await withOperations(({ run }) => run(`webhooks.${name}`, { webhookId }));
      print(options, changed, []);
      if (!options.json) note(`${changed.id} is ${name}d.`);
    });
  change("enable", "let a disabled webhook receive what comes from now on");
  change("disable", "stop a webhook; what is on its way to it is skipped");

  addCommand(webhooks, "delete <webhookId>", "delete a webhook; what is on its way to it is skipped")
    .option("--yes", "don't ask")
    .action(async (webhookId, { yes, ...options }) => {
      await confirm(`Delete the webhook ${webhookId}?`, yes);
      const deleted = await withOperations(({ run }) => run("webhooks.delete", { webhookId }));
      print(options, deleted, []);
      if (!options.json) note(`${deleted.id} is deleted.`);
    });
}

function addLog(webhooks: Command): void {
  addCommand(
    webhooks,
    "test <webhookId>",
    "send a sample to a webhook and wait for its first attempt; fails when that does",
  )
    .option("--no-wait", "don't wait")
    .action(async (webhookId, { wait, ...options }) => {
      await withOperations(async ({ run }) => {
        const { deliveryId } = await run("webhooks.test", { webhookId });
        const delivery = await firstAttempt(run, deliveryId, wait ? TEST_PATIENCE : 0);
        print(options, delivery, [`${delivery.id}  ${delivery.state}`, ...attemptTable(delivery)]);
        if (wait && delivery.attempts.length === 0) note("Nothing was tried yet: does the server run?");
        if (wait && delivery.attempts.at(-1)?.error !== null) process.exitCode = EXIT.failed;
      });
    });

  addCommand(webhooks, "deliveries <webhookId>", "list the deliveries to a webhook, newest first")
    .addOption(new Option("--state <state>", "only those in this state").choices(DELIVERY_STATES))
    .option("--from <time>", "only those created at this ISO 8601 time or later")
    .option("--to <time>", "only those created at this ISO 8601 time or earlier")
    .option("--limit <number>", "how many, 1 to 100", Number)
    .option("--cursor <cursor>", "nextCursor of the page before")
    .action(async (webhookId, { json, ...filters }) => {
      const page = await withOperations(({ run }) => run("webhooks.deliveries", { webhookId, ...filters }));
      const lines = table(page.deliveries, {
        ID: ({ id }) => id,
        CREATED: ({ createdAt }) => createdAt,
        MEETING: ({ meetingId }) => meetingId ?? "(test)",
        STATE: ({ state }) => state,
        ATTEMPTS: ({ attempts }) => attempts,
        "NEXT ATTEMPT": ({ nextAttemptAt }) => nextAttemptAt,
      });
      print({ json }, page, lines);
      if (!json && page.nextCursor !== null) note(`More: add --cursor ${page.nextCursor}`);
    });

  addCommand(webhooks, "delivery <deliveryId>", "show a delivery with all its attempts").action(
    async (deliveryId, options) => {
      const delivery = await withOperations(({ run }) => run("webhooks.delivery", { deliveryId }));
      print(options, delivery, [`${delivery.id}  ${delivery.state}`, ...attemptTable(delivery)]);
    },
  );

  addCommand(webhooks, "redeliver [deliveryId]", "send a delivery again, or all failed ones of a time")
    .option("--webhook <webhookId>", "all failed deliveries of this webhook …")
    .option("--from <time>", "… that were created at this ISO 8601 time or later")
    .option("--to <time>", "… and at this one or earlier; now when absent")
    .action(async (deliveryId, { webhook: webhookId, from, to, ...options }) => {
      const one = deliveryId !== undefined;
      if (one ? [webhookId, from, to].some(Boolean) : !webhookId || !from) {
        throw new UsageError("Name one delivery, or give --webhook and --from.");
      }
      const { redelivered } = await withOperations(({ run }) =>
        one
          ? run("webhooks.redeliver", { deliveryId })
          : run("webhooks.redeliverFailed", { webhookId, from, to: to ?? new Date().toISOString() }),
      );
      print(options, { redelivered }, []);
      if (!options.json) note(`${redelivered} sent again.`);
    });
}

/** The delivery once its first attempt is in the log, or as it is when the time is up. */
async function firstAttempt(run: OperationsClient["run"], deliveryId: string, patience: number) {
  const until = performance.now() + patience;
  for (;;) {
    const delivery = await run("webhooks.delivery", { deliveryId });
    if (delivery.attempts.length > 0 || delivery.state !== "pending" || performance.now() > until) {
      return delivery;
    }
    await new Promise((resolve) => setTimeout(resolve, TEST_LOOK));
  }
}
