import { Button, Checkbox, NativeSelect, Stack, Text, Textarea, TextInput } from "@mantine/core";
import type { WebhookEventName, WebhookFormat } from "@minutes/contract";
import { settingsClient } from "../../api/clients";
import { DraftNote } from "../../components/DraftNote";
import { useContractForm } from "../../components/use-contract-form";
import { EVENTS, FORMATS, WEBHOOK_QUERIES, type Webhook } from "./webhook";

/** What is edited. */
export interface EditProps {
  /** The webhook to edit; absent to create one. */
  readonly webhook?: Webhook;
  /** Admins can also create webhooks for the workspace. */
  readonly admin: boolean;
  readonly onSecret: (secret: string) => void;
}

const SCOPES = [
  { value: "personal", label: "My meetings" },
  { value: "workspace", label: "All meetings of the workspace" },
];
const METHODS = [
  { value: "signature", label: "Signature (HMAC-SHA256)" },
  { value: "api-key", label: "Secret in a header" },
];

const readWebhook = (webhook?: Webhook) => ({
  kind: "personal",
  name: webhook?.name ?? "",
  url: webhook?.url ?? "",
  method: webhook?.method ?? "signature",
  events: [...(webhook?.events ?? ["meeting.completed"])] as string[],
  /** One per line. */
  tags: webhook?.tags.join("\n") ?? "",
  format: webhook?.format ?? "json",
  headerName: webhook?.headerName ?? "",
  headerPrefix: webhook?.headerPrefix ?? "",
});
type Values = ReturnType<typeof readWebhook>;

/** Returns the host of a URL, which names a webhook without a name. */
const toHost = (url: string): string => (URL.canParse(url) && new URL(url).host) || "Webhook";

/** Builds the procedure's input. An empty header name keeps the current one. */
const toChange = ({ name, url, events, tags, format, headerName, headerPrefix }: Values) => ({
  name: name.trim() || toHost(url),
  url,
  events: events as WebhookEventName[],
  tags: tags.split("\n").filter((tag) => tag.trim() !== ""),
  format: format as WebhookFormat,
  ...(headerName === "" ? {} : { headerName }),
  ...(headerPrefix === "" ? {} : { headerPrefix }),
});
const toNew = (values: Values) => ({
  ...toChange(values),
  kind: values.kind as "personal" | "workspace",
  method: values.method as Webhook["method"],
});

/** A chat checks neither a signature nor a secret: its URL is the secret. */
const isChat = ({ format }: Values): boolean => format !== "json";

type FormProps = EditProps & { readonly onDone: () => void };

const useWebhookForm = ({ webhook, onSecret, onDone }: FormProps) =>
  useContractForm({
    schema: (contract) => (webhook ? contract.UpdateWebhook : contract.NewWebhookOfKind),
    initial: readWebhook(webhook),
    toInput: (values) => (webhook ? { ...toChange(values), webhookId: webhook.id } : toNew(values)),
    send: (input): Promise<{ secret?: string | null | undefined }> =>
      "webhookId" in input
        ? settingsClient.webhooks.update.mutate(input)
        : settingsClient.webhooks.create.mutate(input),
    draft: `webhooks/${webhook?.id ?? "new"}`,
    failure: webhook ? "Could not save the webhook" : "Could not create the webhook",
    changes: WEBHOOK_QUERIES,
    onSuccess: ({ secret }, values) => {
      onDone();
      if (secret && !isChat(values)) onSecret(secret);
    },
  });

/** The form to create or edit a webhook. */
export default function WebhookForm(props: FormProps) {
  const { webhook, admin } = props;
  const form = useWebhookForm(props);
  const { method } = form.values;
  return (
    <form {...form.props}>
      <Stack>
        <DraftNote form={form} />
        <TextInput
          label="URL"
          description="An https:// address that accepts POST requests and answers within 30 seconds."
          placeholder="https://example.com/minutes"
          withAsterisk
          inputMode="url"
          data-autofocus
          {...form.getInputProps("url")}
        />
        <TextInput
          label="Name"
          description="Leave it empty to use the URL's host."
          {...form.getInputProps("name")}
        />
        {!webhook && admin && <NativeSelect label="Scope" data={SCOPES} {...form.getInputProps("kind")} />}
        <NativeSelect
          label="Format"
          description="JSON for a program, or a message for the incoming webhook of a chat."
          data={Object.entries(FORMATS).map(([value, label]) => ({ value, label }))}
          {...form.getInputProps("format")}
        />
        {!webhook && !isChat(form.values) && (
          <NativeSelect
            label="Authentication"
            description="How the receiver checks that a delivery is genuine."
            data={METHODS}
            {...form.getInputProps("method")}
          />
        )}
        <Checkbox.Group label="Events" {...form.getInputProps("events")}>
          <Stack gap={6} mt={6}>
            {Object.entries(EVENTS).map(([event, label]) => (
              <Checkbox key={event} value={event} label={label} />
            ))}
          </Stack>
        </Checkbox.Group>
        <Textarea
          label="Tags"
          description="One per line, to get only events of meetings that have one of them. Leave it empty for all meetings."
          autosize
          {...form.getInputProps("tags")}
        />
        {!isChat(form.values) && (
          <>
            <TextInput
              label="Header name"
              description={`The header that carries the ${method === "signature" ? "signature" : "secret"}.`}
              placeholder={method === "signature" ? "x-service-signature" : "x-service-api-key"}
              {...form.getInputProps("headerName")}
            />
            <TextInput
              label="Prefix of the other headers"
              description="Prefix of the headers with the event and the delivery ID."
              placeholder="service-"
              {...form.getInputProps("headerPrefix")}
            />
          </>
        )}
        {webhook && (
          <Text size="xs" c="dimmed">
            A URL on another host gets a new secret.
          </Text>
        )}
        <Button type="submit" loading={form.isPending}>
          {webhook ? "Save" : "Create"}
        </Button>
      </Stack>
    </form>
  );
}
