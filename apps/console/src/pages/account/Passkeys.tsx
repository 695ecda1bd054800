import { Button, Group, Text, TextInput, Title } from "@mantine/core";
import { useMutation, useQuery } from "@tanstack/react-query";
import { identity, queryClient, settings, settingsClient } from "../../api/clients";
import { useDraft } from "../../api/drafts";
import { addPasskey, hasPasskeys } from "../../api/passkeys";
import { ConfirmButton, tell, tellFailure } from "../../components/actions";
import { DataRow, DataTable } from "../../components/DataTable";
import { Query } from "../../components/Query";
import { When } from "../../components/times";

const refresh = () => queryClient.invalidateQueries({ queryKey: settings.account.passkeys.queryKey() });

/** Adds, lists and removes the person's passkeys. */
export function Passkeys() {
  const session = useQuery(identity.session.get.queryOptions({}));
  const passkeys = useQuery(settings.account.passkeys.queryOptions({}));
  const offered = session.data?.ways.passkey === true && hasPasskeys();
  const remove = async (passkeyId: string) => {
    await settingsClient.account.removePasskey.mutate({ passkeyId });
    await refresh();
    tell("The passkey is removed.");
  };
  return (
    <section aria-label="Passkeys">
      <Title order={2} size="h4">
        Passkeys
      </Title>
      <Text size="sm" c="dimmed">
        A passkey of your device signs you in without a password.
      </Text>
      <Query query={passkeys}>
        {({ passkeys: list }) =>
          list.length > 0 && (
            <DataTable columns={["Passkey", "Added", "Last used", "Actions"]}>
              {list.map(({ id, name, createdAt, lastUsedAt }) => (
                <DataRow key={id}>
                  {name}
                  <When at={createdAt} size="sm" />
                  <When at={lastUsedAt} size="sm" />
                  <ConfirmButton
                    label="Remove"
                    title={`Remove the passkey ${name}?`}
                    confirm="Remove"
                    onConfirm={() => remove(id)}
                  >
                    It signs you in no more. Your device keeps its half until you delete it there.
                  </ConfirmButton>
                </DataRow>
              ))}
            </DataTable>
          )
        }
      </Query>
      {offered && <NewPasskey />}
      {session.data && !offered && (
        <Text size="sm">
          Passkeys can't be added here: they need https, or http://localhost, and a browser that has them.
        </Text>
      )}
    </section>
  );
}

function NewPasskey() {
  const { fields, change, discard } = useDraft("passkeys/new", { name: "" });
  const add = useMutation({
    mutationFn: addPasskey,
    onSuccess: async () => {
      discard();
      await refresh();
      tell("The passkey is added.");
    },
    onError: tellFailure,
  });
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        add.mutate(fields.name);
      }}
    >
      <Group align="flex-end" mt="xs">
        <TextInput
          label="Name of the passkey"
          description="Such as the device's name."
          value={fields.name}
          onChange={(event) => change({ name: event.currentTarget.value })}
          required
          w={240}
        />
        <Button type="submit" variant="default" loading={add.isPending}>
          Add a passkey
        </Button>
      </Group>
    </form>
  );
}
