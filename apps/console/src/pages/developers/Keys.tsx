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
import { useAction } from "../../components/use-action";
import { type ContractForm, useContractForm } from "../../components/use-contract-form";

type Kind = "personal" | "workspace";
type OwnKey = Awaited<ReturnType<typeof settingsClient.keys.list.query>>["personal"][number];
type Credential = Awaited<ReturnType<typeof settingsClient.keys.listWorkspace.query>>["ingest"][number];
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
const create = settingsClient.keys.create.mutate;

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

/** Lists, creates, disables and revokes recorders' credentials. For admins. */
export function Recorders() {
  const list = useQuery(settings.keys.listWorkspace.queryOptions({}));
  const [credential, setCredential] = useState<string | null>(null);
  const form = useContractForm({
    schema: (contract) => contract.NewKey,
    initial: { name: "" },
    toInput: ({ name }) => ({ kind: "ingest" as const, name }),
    send: create,
    draft: "recorders/new",
    failure: "Could not create the credential",
    changes,
    onSuccess: ({ key }) => setCredential(key),
  });
  return (
    <Section
      title="Recorders"
      id="recorders"
      about="A credential lets a recorder send meetings to this workspace."
    >
      <form {...form.props}>
        <Group align="flex-end">
          <TextInput label="Recorder name" {...form.getInputProps("name")} />
          <Button type="submit" variant="default" loading={form.isPending}>
            Create a credential
          </Button>
        </Group>
      </form>
      {credential !== null && (
        <SecretOnce name="credential" value={credential} onClose={() => setCredential(null)} />
      )}
      <Query query={list}>{({ ingest }) => <CredentialTable credentials={withoutRevoked(ingest)} />}</Query>
    </Section>
  );
}

/** A button that creates a personal key for the recipes, and shows how many more the user can create. */
export function ReadOnlyKey({ onCreated }: { onCreated: (key: string) => void }) {
  const keys = useQuery(settings.keys.list.queryOptions({}));
  const [created, setCreated] = useState(false);
  const action = useAction(() => create({ kind: "personal", name: "Connect", access: "read" }), {
    failure: "Could not create the key",
    success: "Read-only key created. It is filled in below and is not shown again.",
    changes,
    onSuccess: ({ key }) => {
      setCreated(true);
      onCreated(key);
    },
  });
  const left = keys.data && LIMITS.personalKeysPerUser - withoutRevoked(keys.data.personal).length;
  return (
    <Group gap="sm">
      <Button
        variant="default"
        disabled={left === undefined || left <= 0 || created}
        loading={action.isPending}
        onClick={() => action.run()}
      >
        Create read-only key
      </Button>
      {left !== undefined && (
        <Text size="sm" c="dimmed">
          {left} of {LIMITS.personalKeysPerUser} keys left
        </Text>
      )}
    </Group>
  );
}

/** Leaves out revoked keys: they can't be used again and don't count. */
const withoutRevoked = <Key extends Credential>(keys: readonly Key[]): Key[] =>
  keys.filter(({ revokedAt }) => revokedAt === null);

const INITIAL = { name: "", kind: "personal", access: "full", expiresAt: "" };

function NewKey({ admin, onCreated }: { admin: boolean; onCreated: (key: ShownKey) => void }) {
  const [opened, { open, close }] = useDisclosure(false);
  const form = useContractForm({
    schema: (contract) => contract.NewKey,
    initial: INITIAL,
    toInput: ({ expiresAt, ...input }) => ({
      ...(input as { name: string; kind: Kind; access: "full" | "read" }),
      ...(expiresAt ? { expiresAt } : {}),
    }),
    send: create,
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
            <KeyFields form={form} admin={admin} />
            <Button type="submit" loading={form.isPending}>
              Create
            </Button>
          </Stack>
        </form>
      </Dialog>
    </>
  );
}

function KeyFields({ form, admin }: { form: ContractForm<typeof INITIAL, unknown>; admin: boolean }) {
  return (
    <>
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

function KeyTable(props: { kind: Kind; keys: readonly OwnKey[]; onRegenerated: (key: ShownKey) => void }) {
  const { kind } = props;
  const keys = withoutRevoked(props.keys);
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

function CredentialTable({ credentials }: { credentials: readonly Credential[] }) {
  if (credentials.length === 0)
    return (
      <Text size="sm" c="dimmed">
        There are no recorders yet.
      </Text>
    );
  return (
    <DataTable columns={["Name", "Credential", "Created by", "Last used", "Actions"]}>
      {credentials.map((one) => (
        <DataRow key={one.id}>
          <span>
            {one.name} {one.disabledAt !== null && <Badge color="gray">Disabled</Badge>}
          </span>
          <ShortKey one={one} />
          <Creator one={one} />
          <Timestamp at={one.lastUsedAt} size="sm" />
          <Group gap="xs">
            <EnableKey one={one} noun="credential" />
            <RevokeKey one={one} noun="credential">
              The recorder can't send meetings any more. This can't be undone.
            </RevokeKey>
          </Group>
        </DataRow>
      ))}
    </DataTable>
  );
}

const isPast = (at: string | null): boolean => at !== null && Date.parse(at) <= Date.now();

function KeyRow(props: { one: OwnKey; kind: Kind; onRegenerated: (key: ShownKey) => void }) {
  const { one, kind, onRegenerated } = props;
  const keyId = one.id;
  return (
    <DataRow>
      <span>
        {one.name} {one.access === "read" && <Badge>Read only</Badge>}{" "}
        {one.disabledAt !== null && <Badge color="gray">Disabled</Badge>}{" "}
        {isPast(one.expiresAt) && <Badge color="red">Expired</Badge>}
      </span>
      <ShortKey one={one} />
      <Creator one={one} />
      <Timestamp at={one.lastUsedAt} size="sm" />
      <Timestamp at={one.expiresAt} size="sm" />
      <Group gap="xs">
        <EnableKey one={one} noun="key" />
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
        <RevokeKey one={one} noun="key">
          The key stops working at once and can't be enabled again. Programs that use it fail.
        </RevokeKey>
      </Group>
    </DataRow>
  );
}

const ShortKey = ({ one }: { one: Credential }) => (
  <code>
    {one.prefix}…{one.lastFour}
  </code>
);

const Creator = ({ one }: { one: Credential }) => one.createdBy?.email ?? "the operator or a deleted user";

interface KeyButtonProps {
  readonly one: Credential;
  readonly noun: "key" | "credential";
}

const EnableKey = ({ one, noun }: KeyButtonProps) => (
  <EnableButton
    noun={noun}
    disabled={one.disabledAt !== null}
    changes={changes}
    act={(action) => settingsClient.keys[action].mutate({ keyId: one.id })}
  />
);

const RevokeKey = ({ one, noun, children }: KeyButtonProps & { readonly children: string }) => (
  <ConfirmButton
    label="Revoke"
    title={`Revoke “${one.name}”?`}
    confirm="Revoke"
    failure={`Could not revoke the ${noun}`}
    success={noun === "key" ? "Key revoked." : "Credential revoked."}
    changes={changes}
    act={() => settingsClient.keys.revoke.mutate({ keyId: one.id })}
  >
    {children}
  </ConfirmButton>
);
