import { Button, Group, TextInput } from "@mantine/core";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useAccount } from "../api/account";
import { queryClient, settings, settingsClient } from "../api/clients";
import { useDraft } from "../api/drafts";
import { ConfirmButton, tell, tellFailure } from "../components/actions";
import { DataRow, DataTable } from "../components/DataTable";
import { Query } from "../components/Query";
import { SecretOnce } from "../components/SecretOnce";
import { Empty, Page } from "../components/states";
import { When } from "../components/times";

const refresh = () => queryClient.invalidateQueries({ queryKey: settings.keys.pathKey() });

/** Lists the credentials that recorders send meetings with; an admin creates and revokes them. */
export function Recorders() {
  const { role } = useAccount();
  return (
    <Page title="Recorders">
      {role === "admin" ? (
        <Credentials />
      ) : (
        <Empty title="Recorders are for admins.">Ask an admin of the workspace to connect one.</Empty>
      )}
    </Page>
  );
}

function Credentials() {
  const list = useQuery(settings.keys.listWorkspace.queryOptions({}));
  const { fields, change, discard } = useDraft("recorders/new", { name: "" });
  const [credential, setCredential] = useState<string | null>(null);
  const create = useMutation(
    settings.keys.create.mutationOptions({
      onSuccess: ({ key }) => {
        setCredential(key);
        discard();
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
    <>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          create.mutate({ kind: "ingest", ...fields });
        }}
      >
        <Group align="flex-end">
          <TextInput
            label="Name of the recorder"
            value={fields.name}
            onChange={(event) => change({ name: event.currentTarget.value })}
            required
          />
          <Button type="submit" loading={create.isPending}>
            Create a credential
          </Button>
        </Group>
      </form>
      {credential !== null && (
        <SecretOnce name="credential" value={credential} onClose={() => setCredential(null)} />
      )}
      <Query query={list}>
        {({ ingest }) => {
          // Revoked ones are gone for good.
          const credentials = ingest.filter(({ revokedAt }) => revokedAt === null);
          return credentials.length === 0 ? (
            <Empty title="There are no recorders.">
              A recorder sends meetings in with a credential. Name it above to create one.
            </Empty>
          ) : (
            <DataTable columns={["Name", "Credential", "Created by", "Last used", "Actions"]}>
              {credentials.map((one) => (
                <DataRow key={one.id}>
                  {one.name}
                  <code>
                    {one.prefix}…{one.lastFour}
                  </code>
                  {one.createdBy?.email ?? "a deleted user"}
                  <When at={one.lastUsedAt} size="sm" />
                  <ConfirmButton
                    label="Revoke"
                    title={`Revoke “${one.name}”?`}
                    confirm="Revoke"
                    onConfirm={() => revoke(one.id)}
                  >
                    The recorder can send nothing more, at once. This can't be undone.
                  </ConfirmButton>
                </DataRow>
              ))}
            </DataTable>
          );
        }}
      </Query>
    </>
  );
}
