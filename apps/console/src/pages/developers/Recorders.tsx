import { Badge, Button, Group, Text, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { settings, settingsClient } from "../../api/clients";
import { ConfirmButton } from "../../components/actions";
import { EnableButton, SecretOnce } from "../../components/credentials";
import { DataRow, DataTable } from "../../components/DataTable";
import { Query } from "../../components/Query";
import { Section } from "../../components/states";
import { Timestamp } from "../../components/times";
import { useContractForm } from "../../components/use-contract-form";

const changes = [settings.keys.pathKey()];

/** Lists, creates, disables and revokes recorders' credentials. For admins. */
export function Recorders() {
  const list = useQuery(settings.keys.listWorkspace.queryOptions({}));
  const [credential, setCredential] = useState<string | null>(null);
  const form = useContractForm({
    schema: (contract) => contract.NewKey,
    initial: { name: "" },
    toInput: ({ name }) => ({ kind: "ingest" as const, name }),
    send: settingsClient.keys.create.mutate,
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
      <Query query={list}>
        {({ ingest }) => {
          // Revoked credentials can't be used again.
          const credentials = ingest.filter(({ revokedAt }) => revokedAt === null);
          return credentials.length === 0 ? (
            <Text size="sm" c="dimmed">
              There are no recorders yet.
            </Text>
          ) : (
            <DataTable columns={["Name", "Credential", "Created by", "Last used", "Actions"]}>
              {credentials.map((one) => (
                <RecorderRow key={one.id} one={one} />
              ))}
            </DataTable>
          );
        }}
      </Query>
    </Section>
  );
}

type Recorder = Awaited<ReturnType<typeof settingsClient.keys.listWorkspace.query>>["ingest"][number];

function RecorderRow({ one }: { one: Recorder }) {
  const disabled = one.disabledAt !== null;
  const keyId = one.id;
  return (
    <DataRow>
      <span>
        {one.name} {disabled && <Badge color="gray">Disabled</Badge>}
      </span>
      <code>
        {one.prefix}…{one.lastFour}
      </code>
      {one.createdBy?.email ?? "the operator or a deleted user"}
      <Timestamp at={one.lastUsedAt} size="sm" />
      <Group gap="xs">
        <EnableButton
          noun="credential"
          disabled={disabled}
          changes={changes}
          act={(action) => settingsClient.keys[action].mutate({ keyId })}
        />
        <ConfirmButton
          label="Revoke"
          title={`Revoke “${one.name}”?`}
          confirm="Revoke"
          failure="Could not revoke the credential"
          success="Credential revoked."
          changes={changes}
          act={() => settingsClient.keys.revoke.mutate({ keyId })}
        >
          The recorder can't send meetings any more. This can't be undone.
        </ConfirmButton>
      </Group>
    </DataRow>
  );
}
