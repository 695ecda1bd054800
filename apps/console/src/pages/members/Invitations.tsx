import { Alert, Badge, Button, Group, NativeSelect, Stack, Text, TextInput, Title } from "@mantine/core";
import { useMutation, useQuery } from "@tanstack/react-query";
import { queryClient, settings, settingsClient } from "../../api/clients";
import { useDraft } from "../../api/drafts";
import { ConfirmButton, CopyLine, tell, tellFailure } from "../../components/actions";
import { DataRow, DataTable } from "../../components/DataTable";
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
            <DataTable columns={["For", "Role", "Ends", "Actions"]}>
              {list.map(({ id, email, role, expiresAt }) => (
                <DataRow key={id}>
                  {email ?? "whoever has the link"}
                  <Badge>{role}</Badge>
                  <When at={expiresAt} size="sm" />
                  <ConfirmButton
                    label="Revoke"
                    title="Revoke the invitation?"
                    confirm="Revoke"
                    onConfirm={() => revoke(id)}
                  >
                    Its link stops working at once.
                  </ConfirmButton>
                </DataRow>
              ))}
            </DataTable>
          )
        }
      </Query>
    </section>
  );
}

const NEW_INVITATION = { email: "", role: "member" as "admin" | "member" };

function NewInvitation() {
  const { fields, change, discard } = useDraft("invitations/new", NEW_INVITATION);
  const { email, role } = fields;
  const create = useMutation(
    settings.invitations.create.mutationOptions({
      onSuccess: async () => {
        discard();
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
            onChange={(event) => change({ email: event.currentTarget.value })}
            w={300}
          />
          <NativeSelect
            label="Role"
            data={["member", "admin"]}
            value={role}
            onChange={(event) => change({ role: event.currentTarget.value === "admin" ? "admin" : "member" })}
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
