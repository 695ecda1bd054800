import { Alert, Badge, Button, Group, Select, Stack, Table, Text, TextInput, Title } from "@mantine/core";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { queryClient, settings, settingsClient } from "../../api/clients";
import { ConfirmButton, CopyLine, tell, tellFailure } from "../../components/actions";
import { Query } from "../../components/Query";
import { When } from "../../components/times";

const refresh = () => queryClient.invalidateQueries({ queryKey: settings.invitations.pathKey() });

/** Invites people to the workspace, and lists and revokes invitations that nobody has accepted. For admins. */
export function Invitations() {
  const invitations = useQuery(settings.invitations.list.queryOptions({}));
  const revoke = async (invitationId: string) => {
    await settingsClient.invitations.revoke.mutate({ invitationId });
    await refresh();
    tell("The invitation is revoked.");
  };
  return (
    <section aria-label="Invitations">
      <Title order={2} size="h4">
        Invitations
      </Title>
      <NewInvitation />
      <Query query={invitations}>
        {({ invitations: list }) =>
          list.length === 0 ? (
            <Text size="sm" c="dimmed" mt="xs">
              No invitation is open.
            </Text>
          ) : (
            <Table.ScrollContainer minWidth={520}>
              <Table>
                <Table.Thead>
                  <Table.Tr>
                    <Table.Th>For</Table.Th>
                    <Table.Th>Role</Table.Th>
                    <Table.Th>Ends</Table.Th>
                    <Table.Th>Actions</Table.Th>
                  </Table.Tr>
                </Table.Thead>
                <Table.Tbody>
                  {list.map(({ id, email, role, expiresAt }) => (
                    <Table.Tr key={id}>
                      <Table.Td>{email ?? "whoever has the link"}</Table.Td>
                      <Table.Td>
                        <Badge>{role}</Badge>
                      </Table.Td>
                      <Table.Td>
                        <When at={expiresAt} size="sm" />
                      </Table.Td>
                      <Table.Td>
                        <ConfirmButton
                          label="Revoke"
                          title="Revoke the invitation?"
                          confirm="Revoke"
                          onConfirm={() => revoke(id)}
                        >
                          Its link stops working at once.
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
    </section>
  );
}

function NewInvitation() {
  const [email, setEmail] = useState("");
  const [role, setRole] = useState<"admin" | "member">("member");
  const create = useMutation(
    settings.invitations.create.mutationOptions({
      onSuccess: async () => {
        setEmail("");
        await refresh();
      },
      onError: tellFailure,
    }),
  );
  return (
    <Stack>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          create.mutate({ role, ...(email.trim() === "" ? {} : { email }) });
        }}
      >
        <Group align="flex-end">
          <TextInput
            label="E-mail"
            description="Leave it empty for a link that anybody can use once."
            type="email"
            value={email}
            onChange={(event) => setEmail(event.currentTarget.value)}
            w={300}
          />
          <Select
            label="Role"
            data={["member", "admin"]}
            value={role}
            onChange={(value) => setRole(value === "admin" ? "admin" : "member")}
            allowDeselect={false}
            w={120}
          />
          <Button type="submit" loading={create.isPending}>
            Invite
          </Button>
        </Group>
      </form>
      {create.data && (
        <Alert
          color="green"
          title={create.data.mailed ? "The invitation is mailed" : "Pass this link on"}
          role="status"
        >
          <Text size="sm" mb="xs">
            It works once, within seven days, and is shown this one time.
          </Text>
          <CopyLine label="invitation" value={create.data.link} />
        </Alert>
      )}
    </Stack>
  );
}
