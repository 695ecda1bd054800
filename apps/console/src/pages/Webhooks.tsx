import { Badge, Button, Group, Stack } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { useAccount } from "../api/account";
import { settings, settingsClient } from "../api/clients";
import { ConfirmButton, tell, tellFailure } from "../components/actions";
import { DataRow, DataTable } from "../components/DataTable";
import { Query } from "../components/Query";
import { SecretOnce } from "../components/SecretOnce";
import { Empty, Page } from "../components/states";
import { TestSend } from "./TestSend";
import { EditWebhook } from "./webhooks/EditWebhook";
import { ResumeWebhook } from "./webhooks/ResumeWebhook";
import { refreshWebhooks, type Webhook } from "./webhooks/webhook";

/** Lists webhooks; creates, tests, edits, disables, enables and deletes them. A secret is shown once. */
export function Webhooks() {
  const { role } = useAccount();
  const list = useQuery(settings.webhooks.list.queryOptions({}));
  const [secret, setSecret] = useState<string | null>(null);
  return (
    <Page title="Webhooks" actions={<EditWebhook admin={role === "admin"} onSecret={setSecret} />}>
      {secret !== null && <SecretOnce name="secret" value={secret} onClose={() => setSecret(null)} />}
      <Query query={list}>
        {({ personal, workspace }) =>
          personal.length + workspace.length === 0 ? (
            <Empty title="There are no webhooks.">
              A webhook tells your program when a meeting is completed. Create one with an HTTPS address.
            </Empty>
          ) : (
            <Stack gap="lg">
              <WebhookTable title="Your webhooks" webhooks={personal} canEdit onSecret={setSecret} />
              <WebhookTable
                title="Webhooks of the workspace"
                webhooks={workspace}
                canEdit={role === "admin"}
                onSecret={setSecret}
              />
            </Stack>
          )
        }
      </Query>
    </Page>
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
    <DataTable caption={title} columns={["Name", "Address", "Method", "Last 24 hours", "Actions"]}>
      {webhooks.map((webhook) => (
        <WebhookRow key={webhook.id} webhook={webhook} canEdit={canEdit} onSecret={onSecret} />
      ))}
    </DataTable>
  );
}

/** Says how the deliveries of the last 24 hours went. */
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

function WebhookRow({
  webhook,
  canEdit,
  onSecret,
}: { webhook: Webhook } & Pick<TableProps, "canEdit" | "onSecret">) {
  const disabled = webhook.disabledAt !== null;
  const change = async (action: "disable" | "enable" | "delete", done: string) => {
    await settingsClient.webhooks[action].mutate({ webhookId: webhook.id });
    await refreshWebhooks();
    tell(done);
  };
  const regenerate = async () => {
    const { secret } = await settingsClient.webhooks.regenerate.mutate({ webhookId: webhook.id });
    onSecret(secret);
    await refreshWebhooks();
  };
  const toggle = () =>
    change(
      disabled ? "enable" : "disable",
      disabled ? "The webhook receives again." : "The webhook is disabled.",
    );
  return (
    <DataRow>
      <span>
        {webhook.name} {disabled && <Badge color="gray">Disabled</Badge>}
        {webhook.pausedAt !== null && <Badge color="red">Paused, {webhook.missed} missed</Badge>}
      </span>
      {webhook.url}
      {webhook.method === "signature" ? "Signature" : `Header ${webhook.headerName}`}
      <Health health={webhook.health} />
      <Group gap="xs">
        <Button
          size="xs"
          variant="default"
          renderRoot={(props) => (
            <Link to="/webhooks/$webhookId/deliveries" params={{ webhookId: webhook.id }} {...props} />
          )}
        >
          Deliveries
        </Button>
        {canEdit && (
          <>
            {webhook.pausedAt !== null && <ResumeWebhook webhook={webhook} />}
            <TestSend webhookId={webhook.id} disabled={disabled} />
            <EditWebhook webhook={webhook} admin={false} onSecret={onSecret} />
            <Button size="xs" variant="default" onClick={() => void toggle().catch(tellFailure)}>
              {disabled ? "Enable" : "Disable"}
            </Button>
            <ConfirmButton
              label="New secret"
              title={`Make a new secret for “${webhook.name}”?`}
              confirm="Make a new secret"
              onConfirm={regenerate}
            >
              {webhook.method === "signature"
                ? "The next delivery uses the new secret. The old one signs too for 24 hours."
                : "The next delivery uses the new secret. The receiver refuses it until it knows the new secret."}
            </ConfirmButton>
            <ConfirmButton
              label="Delete"
              title={`Delete “${webhook.name}”?`}
              confirm="Delete"
              onConfirm={() => change("delete", "The webhook is deleted.")}
            >
              Pending deliveries are skipped, and the secret is erased. This can't be undone.
            </ConfirmButton>
          </>
        )}
      </Group>
    </DataRow>
  );
}
