import { WEBHOOK_EVENTS, WEBHOOK_FORMATS, WEBHOOK_METHODS } from "@minutes/contract";
import type { operatorManagement } from "@minutes/core";
import type { inferProcedureOutput } from "@trpc/server";
import { Option } from "commander";
import { actAs, type Operator, type OperatorCommand } from "./cli/command.js";
import { UsageError } from "./cli/exit.js";
import { type Columns, confirm, formatTable, print, printDone, printTable } from "./cli/output.js";
import type { names } from "./procedures/names.js";

type Webhooks = Pick<typeof operatorManagement, "users" | "webhooks" | "workspaces"> & {
  names: typeof names;
};
type Webhook = inferProcedureOutput<Webhooks["webhooks"]["get"]>;

/** Adds `minutes webhooks …`, and returns it. */
export function addWebhooksCommands(program: OperatorCommand<Webhooks>): OperatorCommand<Webhooks> {
  const commands = program
    .command("webhooks")
    .description("receivers of completed meetings and other events");
  addCreate(commands);
  addViews(commands);
  addChanges(commands);
  return commands;
}

function addCreate(commands: OperatorCommand<Webhooks>): void {
  commands
    .add("create <user> <url>", "create a webhook for a user's meetings; its secret is shown once")
    .option(
      "--workspace [workspace]",
      "create it for all meetings of the user's workspace instead, by ID or name; the user must be an admin there",
    )
    .option("--name <name>", "display name", "Webhook")
    .addOption(
      new Option("--method <method>", "how the receiver verifies a delivery")
        .choices(WEBHOOK_METHODS)
        .default("signature"),
    )
    .option("--header <name>", "header with the signature or the secret")
    .option("--header-prefix <prefix>", "prefix of the other two headers (default service-)")
    .addOption(eventsOption("events to subscribe to (default meeting.completed)"))
    .option(...TAGS_OPTION)
    .addOption(formatOption().default("json"))
    .run(async (operator, user, url, { workspace, header: headerName, json, ...input }) => {
      const { webhooks } = operator;
      if (typeof workspace === "string") await requireMember(operator, user, workspace);
      const kind = workspace ? "workspace" : "personal";
      const { [kind]: existing } = await webhooks.list.query({}, actAs({ user }));
      const created = await webhooks.create.mutate({ kind, url, headerName, ...input }, actAs({ user }));
      const sentence = `${created.id} is a ${kind} webhook. Its secret is shown only once.`;
      const repeated = existing
        .filter((one) => isSameUrl(one.url, url))
        .map(({ id }) => `${id} sends to the same URL, which now gets events of both twice.`);
      const unused = await listUnusedTags(operator, { id: created.id, kind });
      print({ json }, created, [created.secret], [sentence, ...repeated, ...unused]);
    });

  commands
    .add(
      "regenerate <webhook>",
      "give a webhook a new secret, used from the next attempt on; an old signing secret also signs for 24 hours",
    )
    .run(async ({ webhooks }, webhookId, options) => {
      const created = await webhooks.regenerate.mutate({ webhookId });
      print(options, created, [created.secret], ["The new secret is shown only once."]);
    });
}

/** Lists in words the tags of a webhook that nobody has. None if that fails: the secret is still to be printed, only once. */
async function listUnusedTags(
  { names }: Operator<Webhooks>,
  { id: webhookId, kind }: Pick<Webhook, "id" | "kind">,
): Promise<string[]> {
  const unused = await names.listUnusedTags.query({ webhookId }).catch(() => []);
  const who = kind === "workspace" ? "No member of the workspace has" : "The user doesn't have";
  return unused.map((tag) => `${who} a tag named "${tag}": nothing is sent for it until there is one.`);
}

/** Requires that a user is a member of the workspace that was named with them. @throws UsageError */
async function requireMember(
  { users, workspaces }: Operator<Webhooks>,
  user: string,
  workspace: string,
): Promise<void> {
  const { id, name } = await workspaces.get.query({ workspace });
  const { email, workspaceId } = await users.get.query({ user });
  if (workspaceId !== id)
    throw new UsageError(
      `${email} is not a member of ${name}. "minutes workspaces members ${id}" lists its members, with admins.`,
    );
}

const isSameUrl = (one: string, other: string): boolean => new URL(one).href === new URL(other).href;

const eventsOption = (description: string) =>
  new Option("--events <events...>", description).choices(WEBHOOK_EVENTS);

const TAGS_OPTION = ["--tags <tags...>", "send only events of meetings that have one of these tags"] as const;

const formatOption = () =>
  new Option("--format <format>", "event as JSON, or a message for the incoming webhook of a chat").choices(
    WEBHOOK_FORMATS,
  );

function addViews(commands: OperatorCommand<Webhooks>): void {
  commands
    .add("list <user>", "list a user's webhooks and the webhooks of their workspace")
    .run(async ({ webhooks }, user, options) => {
      const { personal, workspace } = await webhooks.list.query({}, actAs({ user }));
      printTable(options, [...personal, ...workspace], COLUMNS);
    });

  commands
    .add("get <webhook>", "show a webhook without its secret")
    .run(async ({ webhooks }, webhookId, options) => {
      const webhook = await webhooks.get.query({ webhookId });
      print(options, webhook, formatTable([webhook], COLUMNS));
    });
}

function addChanges(commands: OperatorCommand<Webhooks>): void {
  commands
    .add("update <webhook>", "change a webhook's name, URL, headers, events or tags")
    .option("--name <name>", "display name")
    .option("--url <url>", "the HTTPS URL that receives deliveries")
    .option("--header <name>", "header with the signature or the secret")
    .option("--header-prefix <prefix>", "prefix of the other two headers")
    .addOption(eventsOption("events to subscribe to from now on"))
    .option(...TAGS_OPTION)
    .option("--no-tags", "send events of all meetings again")
    .addOption(formatOption())
    .run(async (operator, webhookId, { header: headerName, json, ...change }) => {
      if (change.tags === false) change.tags = [];
      const webhook = await operator.webhooks.update.mutate({ webhookId, headerName, ...change });
      const unused = change.tags ? await listUnusedTags(operator, webhook) : [];
      const sentence = `The URL has a new origin, so the webhook has a new secret, shown only once: ${webhook.secret}`;
      print({ json }, webhook, formatTable([webhook], COLUMNS), [
        ...(webhook.secret === undefined ? [] : [sentence]),
        ...unused,
      ]);
    });

  for (const [name, description] of [
    ["enable", "enable a disabled webhook; it receives deliveries from now on"],
    ["disable", "disable a webhook; its pending deliveries are skipped"],
  ] as const) {
    commands.add(`${name} <webhook>`, description).run(async ({ webhooks }, webhookId, options) => {
      await webhooks[name].mutate({ webhookId });
      printDone(options, { id: webhookId }, `${webhookId} is ${name}d.`);
    });
  }

  commands
    .add("resume <webhook>", "resume a webhook that was paused after too many failures")
    .option("--replay", "send missed deliveries, oldest first")
    .option("--skip", "don't send missed deliveries")
    .run(async ({ webhooks }, webhookId, { replay = false, skip = false, ...options }) => {
      if (replay === skip)
        throw new UsageError("Choose what to do with the missed deliveries: --replay or --skip.");
      const { replayed } = await webhooks.resume.mutate({ webhookId, replay });
      printDone(options, { id: webhookId, replayed }, `${webhookId} is resumed; ${replayed} sent again.`);
    });

  commands
    .add("delete <webhook>", "delete a webhook; its pending deliveries are skipped")
    .option("--yes", "don't ask")
    .run(async ({ webhooks }, webhookId, { yes, ...options }) => {
      await confirm(`Delete the webhook ${webhookId}?`, yes);
      await webhooks.delete.mutate({ webhookId });
      printDone(options, { id: webhookId }, `${webhookId} is deleted.`);
    });
}

const COLUMNS: Columns<Webhook> = {
  ID: ({ id }) => id,
  KIND: ({ kind }) => kind,
  NAME: ({ name }) => name,
  URL: ({ url }) => url,
  METHOD: ({ method, headerName }) => (headerName === null ? method : `${method} in ${headerName}`),
  EVENTS: ({ events }) => events.join(" "),
  TAGS: ({ tags }) => tags.join(", "),
  STATE: ({ disabledAt, pausedAt, missed }) =>
    disabledAt !== null ? "disabled" : pausedAt === null ? "enabled" : `paused, ${missed} missed`,
  "CREATED BY": ({ createdBy }) => createdBy?.email ?? "a deleted user",
};
