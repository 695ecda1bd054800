import { Alert, Badge, Button, Group, Modal, Select, Stack, Table, Text, TextInput } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useMutation, useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { useAccount } from "../api/account";
import { queryClient, settings, settingsClient } from "../api/clients";
import { ConfirmButton, CopyLine, tell, tellFailure } from "../components/actions";
import { Query } from "../components/Query";
import { Empty, Page } from "../components/states";
import { TestSend } from "./TestSend";

type Kind = "personal" | "workspace";
type Webhook = Awaited<ReturnType<typeof settingsClient.webhooks.list.query>>["personal"][number];

const refresh = () => queryClient.invalidateQueries({ queryKey: settings.webhooks.pathKey() });

/** Lists webhooks; creates, tests, edits, disables, enables and deletes them. A secret is shown once. */
export function Webhooks() {
  const { role } = useAccount();
  const list = useQuery(settings.webhooks.list.queryOptions({}));
  const [secret, setSecret] = useState<string | null>(null);
  return (
    <Page title="Webhooks" actions={<EditWebhook admin={role === "admin"} onSecret={setSecret} />}>
      {secret !== null && (
        <Alert
          color="green"
          title="Copy the secret now. It is not shown again."
          withCloseButton
          closeButtonLabel="Hide the secret"
          onClose={() => setSecret(null)}
        >
          <CopyLine value={secret} label="secret" />
        </Alert>
      )}
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
    <Table.ScrollContainer minWidth={720}>
      <Table verticalSpacing="sm" captionSide="top">
        <Table.Caption>{title}</Table.Caption>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Name</Table.Th>
            <Table.Th>Address</Table.Th>
            <Table.Th>Method</Table.Th>
            <Table.Th>Actions</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {webhooks.map((webhook) => (
            <WebhookRow key={webhook.id} webhook={webhook} canEdit={canEdit} onSecret={onSecret} />
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
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
    await refresh();
    tell(done);
  };
  const regenerate = async () => {
    const { secret } = await settingsClient.webhooks.regenerate.mutate({ webhookId: webhook.id });
    onSecret(secret);
    await refresh();
  };
  const toggle = () =>
    change(
      disabled ? "enable" : "disable",
      disabled ? "The webhook receives again." : "The webhook is disabled.",
    );
  return (
    <Table.Tr>
      <Table.Td>
        {webhook.name} {disabled && <Badge color="gray">Disabled</Badge>}
      </Table.Td>
      <Table.Td className="wrap-anywhere">{webhook.url}</Table.Td>
      <Table.Td>{webhook.method === "signature" ? "Signature" : `Header ${webhook.headerName}`}</Table.Td>
      <Table.Td>
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
                The next delivery uses the new secret. The receiver refuses it until it knows the new secret.
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
      </Table.Td>
    </Table.Tr>
  );
}

/** A button with the form that creates a webhook, or changes one. */
function EditWebhook({
  webhook,
  admin,
  onSecret,
}: {
  webhook?: Webhook;
  admin: boolean;
  onSecret: (secret: string) => void;
}) {
  const [opened, { open, close }] = useDisclosure(false);
  const [kind, setKind] = useState<Kind>("personal");
  const [name, setName] = useState(webhook?.name ?? "");
  const [url, setUrl] = useState(webhook?.url ?? "");
  const [method, setMethod] = useState(webhook?.method ?? "signature");
  const [headerName, setHeaderName] = useState(webhook?.headerName ?? "x-service-api-key");
  const save = useMutation({
    mutationFn: async () => {
      const header = method === "api-key" ? { headerName } : {};
      if (webhook)
        return settingsClient.webhooks.edit.mutate({ webhookId: webhook.id, name, url, ...header });
      return settingsClient.webhooks.create.mutate({ kind, name, url, method, ...header });
    },
    onSuccess: (answer) => {
      close();
      if ("secret" in answer && typeof answer.secret === "string") onSecret(answer.secret);
      void refresh();
    },
    onError: tellFailure,
  });
  return (
    <>
      <Button onClick={open} {...(webhook ? { size: "xs", variant: "default" } : {})}>
        {webhook ? "Edit" : "Create a webhook"}
      </Button>
      <Modal
        opened={opened}
        onClose={close}
        title={webhook ? `Edit “${webhook.name}”` : "Create a webhook"}
        centered
      >
        <form
          onSubmit={(event) => {
            event.preventDefault();
            save.mutate();
          }}
        >
          <Stack>
            <TextInput
              label="Name"
              value={name}
              onChange={(event) => setName(event.currentTarget.value)}
              required
              data-autofocus
            />
            <TextInput
              label="Address"
              description="An HTTPS address that answers POST requests within 30 seconds."
              type="url"
              value={url}
              onChange={(event) => setUrl(event.currentTarget.value)}
              placeholder="https://example.com/minutes"
              required
            />
            {!webhook && admin && (
              <Select
                label="Tells about"
                data={[
                  { value: "personal", label: "My meetings" },
                  { value: "workspace", label: "All meetings of the workspace" },
                ]}
                value={kind}
                onChange={(value) => setKind(value as Kind)}
                allowDeselect={false}
              />
            )}
            {!webhook && (
              <Select
                label="Method"
                description="How the receiver checks that a delivery is genuine."
                data={[
                  { value: "signature", label: "Signature (HMAC-SHA256)" },
                  { value: "api-key", label: "Secret in a header" },
                ]}
                value={method}
                onChange={(value) => setMethod(value as Webhook["method"])}
                allowDeselect={false}
              />
            )}
            {method === "api-key" && (
              <TextInput
                label="Header name"
                value={headerName}
                onChange={(event) => setHeaderName(event.currentTarget.value)}
                required
              />
            )}
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
      </Modal>
    </>
  );
}
