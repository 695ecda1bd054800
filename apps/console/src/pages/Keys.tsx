import { Badge, Button, Group, NativeSelect, Stack, Text, TextInput } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { LIMITS } from "@minutes/contract/limits";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useAccount } from "../api/account";
import { queryClient, settings, settingsClient } from "../api/clients";
import { useDraft } from "../api/drafts";
import { ConfirmButton, CopyLine, tell, tellFailure } from "../components/actions";
import { DataRow, DataTable } from "../components/DataTable";
import { Dialog } from "../components/Dialog";
import { DraftNote } from "../components/DraftNote";
import { Query } from "../components/Query";
import { SecretOnce } from "../components/SecretOnce";
import { Empty, Page } from "../components/states";
import { When } from "../components/times";

type Kind = "personal" | "workspace";
type KeyAccess = "full" | "read";
/** A key that is shown the one time. */
interface ShownKey {
  readonly value: string;
  readonly kind: Kind;
}
const QUOTAS: Record<Kind, number> = {
  personal: LIMITS.personalKeysPerUser,
  workspace: LIMITS.workspaceKeysPerWorkspace,
};

const refresh = () => queryClient.invalidateQueries({ queryKey: settings.keys.pathKey() });

/** Lists API keys; creates, disables, enables, regenerates and revokes them. A key is shown once. */
export function Keys() {
  const { role } = useAccount();
  const personal = useQuery(settings.keys.list.queryOptions({}));
  const workspace = useQuery(settings.keys.listWorkspace.queryOptions({}, { enabled: role === "admin" }));
  const [shown, setShown] = useState<ShownKey | null>(null);
  return (
    <Page title="API keys" actions={<NewKey admin={role === "admin"} onCreated={setShown} />}>
      {shown && <KeyOnce {...shown} onClose={() => setShown(null)} />}
      <Query query={personal}>
        {(data) => <KeyTable kind="personal" keys={data.personal} onRegenerated={setShown} />}
      </Query>
      {role === "admin" && (
        <Query query={workspace}>
          {(data) => <KeyTable kind="workspace" keys={data.workspace} onRegenerated={setShown} />}
        </Query>
      )}
    </Page>
  );
}

const NEW_KEY = { name: "", kind: "personal" as Kind, access: "full" as KeyAccess, expires: "" };

function NewKey({ admin, onCreated }: { admin: boolean; onCreated: (key: ShownKey) => void }) {
  const [opened, { open, close }] = useDisclosure(false);
  const { fields, change, ...draft } = useDraft("keys/new", NEW_KEY);
  const create = useMutation(
    settings.keys.create.mutationOptions({
      onSuccess: ({ key }) => {
        close();
        draft.discard();
        onCreated({ value: key, kind: fields.kind });
        void refresh();
      },
      onError: tellFailure,
    }),
  );
  return (
    <>
      <Button onClick={open}>Create a key</Button>
      <Dialog opened={opened} onClose={close} title="Create an API key">
        <form
          onSubmit={(event) => {
            event.preventDefault();
            const { expires, ...input } = fields;
            create.mutate({ ...input, ...(expires ? { expiresAt: expires } : {}) });
          }}
        >
          <Stack>
            <DraftNote {...draft} />
            <TextInput
              label="Name"
              description="What will use it, such as “weekly report”."
              value={fields.name}
              onChange={(event) => change({ name: event.currentTarget.value })}
              required
              maxLength={200}
              data-autofocus
            />
            {admin && (
              <NativeSelect
                label="Reads"
                data={[
                  { value: "personal", label: "My meetings and those shared with me" },
                  { value: "workspace", label: "All meetings of the workspace" },
                ]}
                value={fields.kind}
                onChange={(event) => change({ kind: event.currentTarget.value as Kind })}
              />
            )}
            <NativeSelect
              label="May"
              data={[
                { value: "full", label: "Read, change tasks and delete meetings" },
                { value: "read", label: "Only read: for assistants and reports" },
              ]}
              value={fields.access}
              onChange={(event) => change({ access: event.currentTarget.value as KeyAccess })}
            />
            <TextInput
              type="date"
              label="Works until"
              description="The end of this day in UTC. Without a date it works until it is revoked."
              value={fields.expires}
              onChange={(event) => change({ expires: event.currentTarget.value })}
            />
            <Button type="submit" loading={create.isPending}>
              Create
            </Button>
          </Stack>
        </form>
      </Dialog>
    </>
  );
}

/** Shows a new key the one time, with a line that tries it. */
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
  // Revoked ones are gone for good, and count no more.
  const keys = props.keys.filter(({ revokedAt }) => revokedAt === null);
  const caption = `${kind === "personal" ? "Your keys" : "Keys of the workspace"}: ${keys.length} of ${QUOTAS[kind]} used`;
  if (keys.length === 0)
    return (
      <Empty title={kind === "personal" ? "You have no keys." : "The workspace has no keys."}>
        A key lets a program read meetings. Create one to begin.
      </Empty>
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
  const change = async (action: "disable" | "enable" | "revoke", done: string) => {
    await settingsClient.keys[action].mutate({ keyId: one.id });
    await refresh();
    tell(done);
  };
  const regenerate = async () => {
    const { key } = await settingsClient.keys.regenerate.mutate({ keyId: one.id });
    onRegenerated({ value: key, kind });
    await refresh();
  };
  const disabled = one.disabledAt !== null;
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
      {one.createdBy?.email ?? "a deleted user"}
      <When at={one.lastUsedAt} size="sm" />
      <When at={one.expiresAt} size="sm" />
      <Group gap="xs">
        <Button
          size="xs"
          variant="default"
          onClick={() =>
            void change(
              disabled ? "enable" : "disable",
              disabled ? "The key works again." : "The key is disabled.",
            ).catch(tellFailure)
          }
        >
          {disabled ? "Enable" : "Disable"}
        </Button>
        <ConfirmButton
          label="Regenerate"
          title={`Regenerate “${one.name}”?`}
          confirm="Regenerate"
          onConfirm={regenerate}
        >
          The present key stops at once. Programs that use it fail until they have the new one.
        </ConfirmButton>
        <ConfirmButton
          label="Revoke"
          title={`Revoke “${one.name}”?`}
          confirm="Revoke"
          onConfirm={() => change("revoke", "The key is revoked.")}
        >
          The key stops at once and can't be enabled again. Programs that use it fail.
        </ConfirmButton>
      </Group>
    </DataRow>
  );
}
