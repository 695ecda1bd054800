import { Badge, Button, Group, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { useAccount } from "../../api/account";
import { settings, settingsClient } from "../../api/clients";
import { ConfirmButton } from "../../components/actions";
import { EnableButton, SecretOnce } from "../../components/credentials";
import { DataRow, DataTable } from "../../components/DataTable";
import { Query } from "../../components/Query";
import { Section } from "../../components/states";
import { useAction } from "../../components/use-action";
import { describeAttempt } from "./Attempts";
import { EditWebhook } from "./EditWebhook";
import { ResumeWebhook } from "./ResumeWebhook";
import { FORMATS, WEBHOOK_QUERIES, type Webhook } from "./webhook";

/** Lists, creates, tests, edits, disables, enables and deletes webhooks. A secret is shown once. */
export function Webhooks() {
  const { role } = useAccount();
  const list = useQuery(settings.webhooks.list.queryOptions({}));
  const [secret, setSecret] = useState<string | null>(null);
  return (
    <Section
      title="Webhooks"
      id="webhooks"
      about="A webhook notifies your program when a meeting is completed, changed or deleted."
      actions={<EditWebhook admin={role === "admin"} onSecret={setSecret} />}
    >
      {secret !== null && <SecretOnce name="secret" value={secret} onClose={() => setSecret(null)} />}
      <Query query={list}>
        {({ personal, workspace }) =>
          personal.length + workspace.length === 0 ? (
            <Text size="sm" c="dimmed">
              There are no webhooks yet.
            </Text>
          ) : (
            <>
              <WebhookTable title="Your webhooks" webhooks={personal} canEdit onSecret={setSecret} />
              <WebhookTable
                title="Workspace webhooks"
                webhooks={workspace}
                canEdit={role === "admin"}
                onSecret={setSecret}
              />
            </>
          )
        }
      </Query>
    </Section>
  );
}

interface TableProps {
  readonly title: string;
  readonly webhooks: readonly Webhook[];
  readonly canEdit: boolean;
  readonly onSecret: (secret: string) => void;
}

function WebhookTable({ title, webhooks, canEdit, onSecret }: TableProps) {
  if (webhooks.length === 0) return null;
  return (
    <DataTable caption={title} columns={["Name", "URL", "Authentication", "Last 24 hours", "Actions"]}>
      {webhooks.map((webhook) => (
        <WebhookRow key={webhook.id} webhook={webhook} canEdit={canEdit} onSecret={onSecret} />
      ))}
    </DataTable>
  );
}

/** Summary of the deliveries of the last 24 hours. */
function Health({ health: { delivered, failed, pending } }: Pick<Webhook, "health">) {
  if (delivered + failed + pending === 0) return <Badge color="gray">Nothing sent</Badge>;
  return (
    <Group gap={4}>
      {delivered > 0 && <Badge color="green">{delivered} delivered</Badge>}
      {failed > 0 && <Badge color="red">{failed} failed</Badge>}
      {pending > 0 && <Badge color="blue">{pending} pending</Badge>}
    </Group>
  );
}

const describeAuthentication = ({ format, method, headerName }: Webhook): string => {
  if (format !== "json") return `None (${FORMATS[format]})`;
  return method === "signature" ? "Signature" : `Header ${headerName}`;
};

function WebhookRow({
  webhook,
  canEdit,
  onSecret,
}: { webhook: Webhook } & Pick<TableProps, "canEdit" | "onSecret">) {
  const webhookId = webhook.id;
  return (
    <DataRow>
      <span>
        {webhook.name} {webhook.disabledAt !== null && <Badge color="gray">Disabled</Badge>}
        {webhook.pausedAt !== null && <Badge color="red">Paused, {webhook.missed} missed</Badge>}
        {webhook.tags.length > 0 && (
          <Text component="span" display="block" size="xs" c="dimmed">
            Only {webhook.tags.map((tag) => `“${tag}”`).join(", ")}
          </Text>
        )}
      </span>
      {webhook.url}
      {describeAuthentication(webhook)}
      <Health health={webhook.health} />
      <Group gap="xs">
        <Button
          size="xs"
          variant="default"
          renderRoot={(props) => <Link to="/webhooks/$webhookId" params={{ webhookId }} {...props} />}
        >
          Deliveries
        </Button>
        {canEdit && <WebhookButtons webhook={webhook} onSecret={onSecret} />}
      </Group>
    </DataRow>
  );
}

function WebhookButtons({ webhook, onSecret }: { webhook: Webhook } & Pick<TableProps, "onSecret">) {
  const webhookId = webhook.id;
  const disabled = webhook.disabledAt !== null;
  return (
    <>
      {webhook.pausedAt !== null && <ResumeWebhook webhook={webhook} />}
      <TestSend webhookId={webhookId} disabled={disabled} />
      <EditWebhook webhook={webhook} admin={false} onSecret={onSecret} />
      <EnableButton
        noun="webhook"
        disabled={disabled}
        changes={WEBHOOK_QUERIES}
        act={(action) => settingsClient.webhooks[action].mutate({ webhookId })}
      />
      <ConfirmButton
        label="New secret"
        title={`Create a new secret for “${webhook.name}”?`}
        confirm="Create a new secret"
        failure="Could not create a new secret"
        changes={WEBHOOK_QUERIES}
        act={async () => {
          const { secret } = await settingsClient.webhooks.regenerate.mutate({ webhookId });
          onSecret(secret);
        }}
      >
        {webhook.method === "signature"
          ? "The next delivery uses the new secret. The old one also signs for 24 hours."
          : "The next delivery uses the new secret. The receiver rejects deliveries until you give it the new one."}
      </ConfirmButton>
      <ConfirmButton
        label="Delete"
        title={`Delete “${webhook.name}”?`}
        confirm="Delete"
        failure="Could not delete the webhook"
        success="Webhook deleted."
        changes={WEBHOOK_QUERIES}
        act={() => settingsClient.webhooks.delete.mutate({ webhookId })}
      >
        Pending deliveries are skipped, and the secret is erased. This can't be undone.
      </ConfirmButton>
    </>
  );
}

/** Sends a test delivery and shows its outcome below the buttons. */
function TestSend({ webhookId, disabled }: { webhookId: string; disabled: boolean }) {
  const test = useAction(() => settingsClient.webhooks.test.mutate({ webhookId }), {
    failure: "Could not send a test",
  });
  const deliveryId = test.output?.deliveryId;
  const outcome = useQuery(
    settings.webhooks.delivery.queryOptions(
      { deliveryId: deliveryId ?? "1" },
      {
        enabled: deliveryId !== undefined,
        refetchInterval: ({ state }) => ((state.data?.attempts.length ?? 0) > 0 ? false : 1000),
      },
    ),
  );
  const [attempt] = outcome.data?.attempts ?? [];
  return (
    <>
      <Button
        size="xs"
        variant="default"
        loading={test.isPending}
        disabled={disabled}
        onClick={() => test.run()}
      >
        Test
      </Button>
      {deliveryId !== undefined && (
        // On its own line below the buttons.
        <Text size="sm" role="status" w="100%">
          {attempt ? describeAttempt(attempt) : "Sending the test…"}
        </Text>
      )}
    </>
  );
}
