import { Button, Checkbox, Group, List, Stack, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { queryClient, settings } from "../../api/clients";
import { tell, tellFailure } from "../../components/actions";
import { Dialog } from "../../components/Dialog";
import { Query } from "../../components/Query";

interface Member {
  readonly userId: string;
  readonly name: string;
}

/** Removes a member, after showing what they created for the workspace and offering to revoke it. */
export function RemoveMember({ member }: { member: Member }) {
  const [opened, { open, close }] = useDisclosure(false);
  return (
    <>
      <Button variant="default" size="xs" onClick={open} aria-label={`Remove ${member.name}`}>
        Remove
      </Button>
      <Dialog opened={opened} onClose={close} title={`Remove ${member.name}?`}>
        <Removal member={member} close={close} />
      </Dialog>
    </>
  );
}

function Removal({ member: { userId }, close }: { member: Member; close: () => void }) {
  const created = useQuery(settings.members.credentials.queryOptions({ userId }));
  const [revokeCredentials, setRevoke] = useState(true);
  const remove = useMutation(
    settings.members.remove.mutationOptions({
      onSuccess: async () => {
        close();
        await queryClient.invalidateQueries({ queryKey: settings.members.pathKey() });
        tell("The member is removed.");
      },
      onError: tellFailure,
    }),
  );
  return (
    <Stack>
      <Text size="sm">
        Their meetings leave the workspace with them, at once. Shares from and to them end, and they are
        signed out. Nothing is deleted.
      </Text>
      <Query query={created}>
        {({ credentials }) =>
          credentials.length > 0 && (
            <Stack gap="xs">
              <Text size="sm">They created these for the workspace, and can still use what they copied:</Text>
              <List size="sm">
                {credentials.map(({ id, kind, name }) => (
                  <List.Item key={id}>
                    {kind} “{name}”
                  </List.Item>
                ))}
              </List>
              <Checkbox
                label="Revoke these keys and delete these webhooks"
                checked={revokeCredentials}
                onChange={(event) => setRevoke(event.currentTarget.checked)}
              />
            </Stack>
          )
        }
      </Query>
      <Group justify="flex-end">
        <Button variant="default" onClick={close} data-autofocus>
          Cancel
        </Button>
        <Button
          color="red.9"
          loading={remove.isPending}
          disabled={!created.data}
          onClick={() =>
            remove.mutate({
              userId,
              revokeCredentials: revokeCredentials && (created.data?.credentials.length ?? 0) > 0,
            })
          }
        >
          Remove
        </Button>
      </Group>
    </Stack>
  );
}
