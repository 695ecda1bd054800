import { Alert, Button, Group, Table, TextInput } from "@mantine/core";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { queryClient, settings, settingsClient } from "../api/clients";
import { ConfirmButton, CopyLine, tell, tellFailure } from "../components/actions";
import { Query } from "../components/Query";
import { Empty, Page } from "../components/states";
import { When } from "../components/times";

const refresh = () => queryClient.invalidateQueries({ queryKey: settings.keys.pathKey() });

/** Lists the credentials that recorders send meetings with; an admin creates and revokes them. */
export function Recorders() {
  const list = useQuery(settings.keys.listWorkspace.queryOptions({}));
  const [name, setName] = useState("");
  const [credential, setCredential] = useState<string | null>(null);
  const create = useMutation(
    settings.keys.create.mutationOptions({
      onSuccess: ({ key }) => {
        setCredential(key);
        setName("");
        void refresh();
      },
      onError: tellFailure,
    }),
  );
  const revoke = async (keyId: string) => {
    await settingsClient.keys.revokeIngest.mutate({ keyId });
    await refresh();
    tell("The credential is revoked.");
  };
  return (
    <Page title="Recorders">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          create.mutate({ kind: "ingest", name });
        }}
      >
        <Group align="flex-end">
          <TextInput
            label="Name of the recorder"
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
            required
          />
          <Button type="submit" loading={create.isPending}>
            Create a credential
          </Button>
        </Group>
      </form>
      {credential !== null && (
        <Alert
          color="green"
          title="Copy the credential now. It is not shown again."
          withCloseButton
          closeButtonLabel="Hide the credential"
          onClose={() => setCredential(null)}
        >
          <CopyLine value={credential} label="credential" />
        </Alert>
      )}
      <Query query={list}>
        {({ ingest }) =>
          ingest.length === 0 ? (
            <Empty title="There are no recorders.">A recorder sends meetings in with a credential.</Empty>
          ) : (
            <Table.ScrollContainer minWidth={480}>
              <Table verticalSpacing="sm">
                <Table.Thead>
                  <Table.Tr>
                    <Table.Th>Name</Table.Th>
                    <Table.Th>Credential</Table.Th>
                    <Table.Th>Last used</Table.Th>
                    <Table.Th>Actions</Table.Th>
                  </Table.Tr>
                </Table.Thead>
                <Table.Tbody>
                  {ingest.map((one) => (
                    <Table.Tr key={one.id}>
                      <Table.Td>{one.name}</Table.Td>
                      <Table.Td>
                        <code>
                          {one.prefix}…{one.lastFour}
                        </code>
                      </Table.Td>
                      <Table.Td>
                        <When at={one.lastUsedAt} size="sm" />
                      </Table.Td>
                      <Table.Td>
                        <ConfirmButton
                          label="Revoke"
                          title={`Revoke “${one.name}”?`}
                          confirm="Revoke"
                          onConfirm={() => revoke(one.id)}
                        >
                          The recorder can send nothing more, at once. This can't be undone.
                        </ConfirmButton>
                      </Table.Td>
                    </Table.Tr>
                  ))}
                </Table.Tbody>
              </Table>
            </Table.ScrollContainer>
          )
        }
      </Query>
    </Page>
  );
}
