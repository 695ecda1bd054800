import { WEBHOOK_EVENTS, WEBHOOK_METHODS } from "@minutes/contract";
import { type Command, Option } from "commander";
import type { OperatorOutputs } from "../operator/router.js";
import { addDeliveryCommands } from "./deliveries.js";
import { UsageError } from "./failure.js";
import { confirm, formatTable, note, print, printDone } from "./output.js";
import { addCommand, withOperator } from "./run.js";

type Webhook = OperatorOutputs["webhooks"]["show"];

/** Adds `minutes webhooks …`. */
export function addWebhooksCommands(program: Command): void {
  const webhooks = program.command("webhooks").description("where completed meetings are sent");
  addCreate(webhooks);
  addViews(webhooks);
  addChanges(webhooks);
  addDeliveryCommands(webhooks);
}

function addCreate(webhooks: Command): void {
  addCommand(
    webhooks,
    "create <email> <url>",
    "create a webhook for a user's meetings; its secret is shown once",
  )
    .option(
      "--workspace",
      "create it for all meetings of the user's workspace instead; the user must be an admin there",
    )
    .option("--name <name>", "its name in lists", "Webhook")
    .addOption(
      new Option("--method <method>", "how the receiver checks that a delivery comes from Minutes")
        .choices(WEBHOOK_METHODS)
        .default("signature"),
    )
    .option("--header <name>", "the header that carries the signature or the secret")
    .option("--header-prefix <prefix>", "what the other two headers begin with; service- when absent")
    .addOption(eventsOption("what it is told of; meeting.completed when absent"))
    .action(async (email, url, { workspace, header: headerName, json, ...input }) => {
      const kind = workspace ? "workspace" : "personal";
      const webhook = { email, kind, url, headerName, ...input } as const;
      const created = await withOperator(({ webhooks }) => webhooks.create.mutate(webhook));
      print({ json }, created, [created.secret]);
      if (!json) note(`${created.id} is a ${kind} webhook. Its secret is shown only this once.`);
    });

  addCommand(
    webhooks,
    "regenerate <webhookId>",
    "give a webhook a new secret; the next attempt uses it, and an old one signs too for 24 hours",
  ).action(async (webhookId, options) => {
    const created = await withOperator(({ webhooks }) => webhooks.regenerate.mutate({ webhookId }));
    print(options, created, [created.secret]);
    if (!options.json) note("The new secret is shown only this once.");
  });
}

const eventsOption = (description: string) =>
  new Option("--events <events...>", description).choices(WEBHOOK_EVENTS);

function addViews(webhooks: Command): void {
  addCommand(webhooks, "list <email>", "list a user's webhooks and the webhooks of their workspace").action(
    async (email, options) => {
      const list = await withOperator(({ webhooks }) => webhooks.list.query({ email }));
      print(options, list, formatWebhooks(list));
    },
  );

  addCommand(webhooks, "show <webhookId>", "show a webhook without its secret").action(
    async (webhookId, options) => {
      const webhook = await withOperator(({ webhooks }) => webhooks.show.query({ webhookId }));
      print(options, webhook, formatWebhooks([webhook]));
    },
  );
}

function addChanges(webhooks: Command): void {
  addCommand(webhooks, "edit <webhookId>", "change a webhook's name, address or header")
    .option("--name <name>", "its name in lists")
    .option("--url <url>", "the HTTPS address that receives deliveries")
    .option("--header <name>", "the header that carries the signature or the secret")
    .option("--header-prefix <prefix>", "what the other two headers begin with")
    .addOption(eventsOption("what it is told of from now on"))
    .action(async (webhookId, { name, url, header: headerName, headerPrefix, events, ...options }) => {
      const change = { webhookId, name, url, headerName, headerPrefix, events };
      const webhook = await withOperator(({ webhooks }) => webhooks.edit.mutate(change));
      print(options, webhook, formatWebhooks([webhook]));
      if (webhook.secret !== undefined && !options.json)
        note(
          `The address has a new origin, so the webhook has a new secret, shown only this once: ${webhook.secret}`,
        );
    });

  for (const [name, description] of [
    ["enable", "enable a disabled webhook; it receives deliveries from now on"],
    ["disable", "disable a webhook; its pending deliveries are skipped"],
  ] as const) {
    addCommand(webhooks, `${name} <webhookId>`, description).action(async (webhookId, options) => {
      await withOperator(({ webhooks }) => webhooks[name].mutate({ webhookId }));
      printDone(options, { id: webhookId }, `${webhookId} is ${name}d.`);
    });
  }

  addCommand(
    webhooks,
    "resume <webhookId>",
    "resume a webhook that was paused because it failed for too long",
  )
    .option("--replay", "send what was missed, oldest first")
    .option("--skip", "don't send what was missed")
    .action(async (webhookId, { replay = false, skip = false, ...options }) => {
      if (replay === skip)
        throw new UsageError("Choose what becomes of the missed deliveries: --replay or --skip.");
      const { replayed } = await withOperator(({ webhooks }) =>
        webhooks.resume.mutate({ webhookId, replay }),
      );
      printDone(options, { id: webhookId, replayed }, `${webhookId} is resumed; ${replayed} sent again.`);
    });

  addCommand(webhooks, "delete <webhookId>", "delete a webhook; its pending deliveries are skipped")
    .option("--yes", "don't ask")
    .action(async (webhookId, { yes, ...options }) => {
      await confirm(`Delete the webhook ${webhookId}?`, yes);
      await withOperator(({ webhooks }) => webhooks.delete.mutate({ webhookId }));
      printDone(options, { id: webhookId }, `${webhookId} is deleted.`);
    });
}

const formatWebhooks = (list: readonly Webhook[]): string[] =>
  formatTable(list, {
    ID: ({ id }) => id,
    KIND: ({ kind }) => kind,
    NAME: ({ name }) => name,
    URL: ({ url }) => url,
    METHOD: ({ method, headerName }) => (headerName === null ? method : `${method} in ${headerName}`),
    EVENTS: ({ events }) => events.join(" "),
    STATE: ({ disabledAt, pausedAt, missed }) =>
      disabledAt !== null ? "disabled" : pausedAt === null ? "enabled" : `paused, ${missed} missed`,
    "CREATED BY": ({ createdBy }) => createdBy?.email ?? "a deleted user",
  });
