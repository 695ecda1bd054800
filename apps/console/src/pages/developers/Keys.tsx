import { Badge, Button, Group, NativeSelect, Stack, Text, TextInput } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { LIMITS } from "@minutes/contract/limits";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useAccount } from "../../api/account";
import { settings, settingsClient } from "../../api/clients";
import { ConfirmButton, CopyLine } from "../../components/actions";
import { EnableButton, SecretOnce } from "../../components/credentials";
import { DataRow, DataTable } from "../../components/DataTable";
import { Dialog } from "../../components/Dialog";
import { DraftNote } from "../../components/DraftNote";
import { Query } from "../../components/Query";
import { Section } from "../../components/states";
import { Timestamp } from "../../components/times";
import { useContractForm } from "../../components/use-contract-form";

type Kind = "personal" | "workspace";
/** A new key, shown once. */
interface ShownKey {
  readonly value: string;
  readonly kind: Kind;
}
const QUOTAS: Record<Kind, number> = {
  personal: LIMITS.personalKeysPerUser,
  workspace: LIMITS.workspaceKeysPerWorkspace,
};
const changes = [settings.keys.pathKey()];

/** Lists, creates, disables, enables, regenerates and revokes API keys. A key is shown once. */
export function Keys() {
  const { role } = useAccount();
  const personal = useQuery(settings.keys.list.queryOptions({}));
  const workspace = useQuery(settings.keys.listWorkspace.queryOptions({}, { enabled: role === "admin" }));
  const [shown, setShown] = useState<ShownKey | null>(null);
  return (
    <Section
      title="API keys"
      id="keys"
      about="A key lets a program read meetings over the API."
      actions={<NewKey admin={role === "admin"} onCreated={setShown} />}
    >
      {shown && <KeyOnce {...shown} onClose={() => setShown(null)} />}
      <Query query={personal}>
        {(data) => <KeyTable kind="personal" keys={data.personal} onRegenerated={setShown} />}
      </Query>
      {role === "admin" && (
        <Query query={workspace}>
          {(data) => <KeyTable kind="workspace" keys={data.workspace} onRegenerated={setShown} />}
        </Query>
      )}
    </Section>
  );
}

function NewKey({ admin, onCreated }: { admin: boolean; onCreated: (key: ShownKey) => void }) {
  const [opened, { open, close }] = useDisclosure(false);
  const form = useContractForm({
    schema: (contract) => contract.NewKey,
    initial: { name: "", kind: "personal", access: "full", expiresAt: "" },
    toInput: ({ expiresAt, ...input }) => ({
      ...(input as { name: string; kind: Kind; access: "full" | "read" }),
      ...(expiresAt ? { expiresAt } : {}),
    }),
    send: settingsClient.keys.create.mutate,
    draft: "keys/new",
    failure: "Could not create the key",
    changes,
    onSuccess: ({ key }, { kind }) => {
      close();
      onCreated({ value: key, kind: kind as Kind });
    },
  });
  return (
    <>
      <Button size="sm" onClick={open} aria-haspopup="dialog">
        Create a key
      </Button>
      <Dialog opened={opened} onClose={close} title="Create an API key">
        <form {...form.props}>
          <Stack>
            <DraftNote form={form} />
            <TextInput
              label="Name"
              description="What will use the key, such as “weekly report”."
              withAsterisk
              data-autofocus
              {...form.getInputProps("name")}
            />
            {admin && (
              <NativeSelect
                label="Scope"
                data={[
                  { value: "personal", label: "My meetings and those shared with me" },
                  { value: "workspace", label: "All meetings of the workspace" },
                ]}
                {...form.getInputProps("kind")}
              />
            )}
            <NativeSelect
              label="Permissions"
              data={[
                { value: "full", label: "Read, edit tasks and delete meetings" },
                { value: "read", label: "Read only: for assistants and reports" },
              ]}
              {...form.getInputProps("access")}
            />
            <TextInput
              type="date"
              label="Expires"
              description="At the end of this day in UTC. Leave it empty for a key that does not expire."
              {...form.getInputProps("expiresAt")}
            />
            <Button type="submit" loading={form.isPending}>
              Create
            </Button>
          </Stack>
        </form>
      </Dialog>
    </>
  );
}

/** Shows a new key once, with a command that tries it. */
function KeyOnce({ value, kind, onClose }: { value: string; kind: Kind; onClose: () => void }) {
  const route = kind === "personal" ? "me" : "workspace";
  return (
    <SecretOnce name="key" value={value} onClose={onClose}>
      <Text size="sm">Try it:</Text>
      <CopyLine
        value={`curl -s -H "x-api-key: ${value}" ${location.origin}/v1/${route}/meetings.list`}
        label="curl line"
      />
    </SecretOnce>
  );
}

type Keys = Awaited<ReturnType<typeof settingsClient.keys.list.query>>["personal"];

function KeyTable(props: { kind: Kind; keys: Keys; onRegenerated: (key: ShownKey) => void }) {
  const { kind } = props;
  // Revoked keys can't be used again and don't count.
  const keys = props.keys.filter(({ revokedAt }) => revokedAt === null);
  const caption = `${kind === "personal" ? "Your keys" : "Workspace keys"}: ${keys.length} of ${QUOTAS[kind]} used`;
  if (keys.length === 0)
    return (
      <Text size="sm" c="dimmed">
        {kind === "personal" ? "You have no keys yet." : "The workspace has no keys yet."}
      </Text>
    );
  return (
    <DataTable caption={caption} columns={["Name", "Key", "Created by", "Last used", "Expires", "Actions"]}>
      {keys.map((one) => (
        <KeyRow key={one.id} one={one} kind={kind} onRegenerated={props.onRegenerated} />
      ))}
    </DataTable>
  );
}

const isPast = (at: string | null): boolean => at !== null && Date.parse(at) <= Date.now();

function KeyRow(props: { one: Keys[number]; kind: Kind; onRegenerated: (key: ShownKey) => void }) {
  const { one, kind, onRegenerated } = props;
  const disabled = one.disabledAt !== null;
  const keyId = one.id;
  return (
    <DataRow>
      <span>
        {one.name} {one.access === "read" && <Badge>Read only</Badge>}{" "}
        {disabled && <Badge color="gray">Disabled</Badge>}{" "}
        {isPast(one.expiresAt) && <Badge color="red">Expired</Badge>}
      </span>
      <code>
        {one.prefix}…{one.lastFour}
      </code>
      {one.createdBy?.email ?? "the operator or a deleted user"}
      <Timestamp at={one.lastUsedAt} size="sm" />
      <Timestamp at={one.expiresAt} size="sm" />
      <Group gap="xs">
        <EnableButton
          noun="key"
          disabled={disabled}
          changes={changes}
          act={(action) => settingsClient.keys[action].mutate({ keyId })}
        />
        <ConfirmButton
          label="Regenerate"
          title={`Regenerate “${one.name}”?`}
          confirm="Regenerate"
          failure="Could not regenerate the key"
          changes={changes}
          act={async () => {
            const { key } = await settingsClient.keys.regenerate.mutate({ keyId });
            onRegenerated({ value: key, kind });
          }}
        >
          The current key stops working at once. Programs that use it fail until they have the new one.
        </ConfirmButton>
        <ConfirmButton
          label="Revoke"
          title={`Revoke “${one.name}”?`}
          confirm="Revoke"
          failure="Could not revoke the key"
          success="Key revoked."
          changes={changes}
          act={() => settingsClient.keys.revoke.mutate({ keyId })}
        >
          The key stops working at once and can't be enabled again. Programs that use it fail.
        </ConfirmButton>
      </Group>
    </DataRow>
  );
}
