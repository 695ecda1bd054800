import { Button, NativeSelect, Stack, Text, TextInput } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useMutation } from "@tanstack/react-query";
import { settingsClient } from "../../api/clients";
import { useDraft } from "../../api/drafts";
import { tellFailure } from "../../components/actions";
import { Dialog } from "../../components/Dialog";
import { DraftNote } from "../../components/DraftNote";
import { ChoiceFields, readChoices, toInput } from "./Choices";
import { refreshWebhooks, type Webhook } from "./webhook";

type Kind = "personal" | "workspace";

interface EditProps {
  /** The webhook to change; a new one is created when absent. */
  readonly webhook?: Webhook;
  /** Admins create webhooks of the workspace too. */
  readonly admin: boolean;
  readonly onSecret: (secret: string) => void;
}

/** A button that opens the form which creates a webhook, or changes one. */
export function EditWebhook(props: EditProps) {
  const { webhook } = props;
  const [opened, { open, close }] = useDisclosure(false);
  return (
    <>
      <Button onClick={open} {...(webhook ? { size: "xs", variant: "default" } : {})}>
        {webhook ? "Edit" : "Create a webhook"}
      </Button>
      <Dialog opened={opened} onClose={close} title={webhook ? `Edit “${webhook.name}”` : "Create a webhook"}>
        <WebhookForm {...props} onDone={close} />
      </Dialog>
    </>
  );
}

/** The form itself, which starts with the webhook's present values. */
function WebhookForm({ webhook, admin, onSecret, onDone }: EditProps & { onDone: () => void }) {
  const { fields, change, ...draft } = useDraft(`webhooks/${webhook?.id ?? "new"}`, {
    kind: "personal" as Kind,
    name: webhook?.name ?? "",
    url: webhook?.url ?? "",
    method: webhook?.method ?? "signature",
    choices: readChoices(webhook),
  });
  const { kind, name, url, method, choices } = fields;
  const save = useMutation({
    mutationFn: async () => {
      const input = { name, url, ...toInput(choices) };
      if (webhook) return settingsClient.webhooks.edit.mutate({ webhookId: webhook.id, ...input });
      return settingsClient.webhooks.create.mutate({ kind, method, ...input });
    },
    onSuccess: (answer) => {
      draft.discard();
      onDone();
      if ("secret" in answer && typeof answer.secret === "string") onSecret(answer.secret);
      void refreshWebhooks();
    },
    onError: tellFailure,
  });
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        save.mutate();
      }}
    >
      <Stack>
        <DraftNote {...draft} />
        <TextInput
          label="Name"
          value={name}
          onChange={(event) => change({ name: event.currentTarget.value })}
          required
          data-autofocus
        />
        <TextInput
          label="Address"
          description="An HTTPS address that answers POST requests within 30 seconds."
          type="url"
          value={url}
          onChange={(event) => change({ url: event.currentTarget.value })}
          placeholder="https://example.com/minutes"
          required
        />
        {!webhook && admin && (
          <NativeSelect
            label="Tells about"
            data={[
              { value: "personal", label: "My meetings" },
              { value: "workspace", label: "All meetings of the workspace" },
            ]}
            value={kind}
            onChange={(event) => change({ kind: event.currentTarget.value as Kind })}
          />
        )}
        {!webhook && (
          <NativeSelect
            label="Method"
            description="How the receiver checks that a delivery is genuine."
            data={[
              { value: "signature", label: "Signature (HMAC-SHA256)" },
              { value: "api-key", label: "Secret in a header" },
            ]}
            value={method}
            onChange={(event) => change({ method: event.currentTarget.value as Webhook["method"] })}
          />
        )}
        <ChoiceFields method={method} choices={choices} onChange={(next) => change({ choices: next })} />
        {webhook && (
          <Text size="xs" c="dimmed">
            An address with another origin gets a new secret.
          </Text>
        )}
        <Button type="submit" loading={save.isPending}>
          {webhook ? "Save" : "Create"}
        </Button>
      </Stack>
    </form>
  );
}
