import { Button, Group, Text, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { identity, settings, settingsClient } from "../../api/clients";
import { addPasskey, hasPasskeys } from "../../api/passkeys";
import { ConfirmButton } from "../../components/actions";
import { DataRow, DataTable } from "../../components/DataTable";
import { Query } from "../../components/Query";
import { Section } from "../../components/states";
import { Timestamp } from "../../components/times";
import { useContractForm } from "../../components/use-contract-form";

const changes = [settings.account.listPasskeys.queryKey()];

/** Adds, lists and removes the user's passkeys. */
export function Passkeys() {
  const session = useQuery(identity.session.get.queryOptions({}));
  const passkeys = useQuery(settings.account.listPasskeys.queryOptions({}));
  const offered = session.data?.ways.passkey === true && hasPasskeys();
  return (
    <Section title="Passkeys" about="Sign in with your device instead of a password.">
      <Query query={passkeys}>
        {({ passkeys: list }) =>
          list.length > 0 && (
            <DataTable columns={["Passkey", "Added", "Last used", "Actions"]}>
              {list.map(({ id, name, createdAt, lastUsedAt }) => (
                <DataRow key={id}>
                  {name}
                  <Timestamp at={createdAt} size="sm" />
                  <Timestamp at={lastUsedAt} size="sm" />
                  <ConfirmButton
                    label="Remove"
                    title={`Remove the passkey ${name}?`}
                    confirm="Remove"
                    failure="Could not remove the passkey"
                    success="Passkey removed."
                    changes={changes}
                    act={() => settingsClient.account.deletePasskey.mutate({ passkeyId: id })}
                  >
                    It no longer signs you in. Delete it on your device too.
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
          You can't add passkeys here. They need https or http://localhost, and a browser that supports them.
        </Text>
      )}
    </Section>
  );
}

function NewPasskey() {
  const form = useContractForm({
    schema: ({ AccountInput }) => AccountInput.newPasskey.pick({ name: true }),
    initial: { name: "" },
    toInput: (values) => values,
    send: ({ name }) => addPasskey(name),
    draft: "passkeys/new",
    failure: "Could not add the passkey",
    success: "Passkey added.",
    changes,
  });
  return (
    <form {...form.props}>
      <Group align="flex-end">
        <TextInput label="Passkey name" placeholder="Work laptop" w={240} {...form.getInputProps("name")} />
        <Button type="submit" variant="default" loading={form.isPending}>
          Add a passkey
        </Button>
      </Group>
    </form>
  );
}
