import { Button, Group, Pill, Select, Stack, Text } from "@mantine/core";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useAccount } from "../../api/account";
import { queryClient, settings } from "../../api/clients";
import { tellFailure } from "../../components/actions";
import { Query } from "../../components/Query";
import { RemovablePill } from "../../components/RemovablePill";

/** Shares a meeting with members of the workspace, and stops sharing it. */
export function Sharing({ meetingId }: { meetingId: string }) {
  const { userId } = useAccount();
  const shares = useQuery(settings.shares.list.queryOptions({ meetingId }));
  const members = useQuery(settings.members.list.queryOptions({}));
  const [email, setEmail] = useState<string | null>(null);
  const options = {
    onSuccess: () => queryClient.invalidateQueries({ queryKey: settings.shares.pathKey() }),
    onError: tellFailure,
  };
  const share = useMutation(settings.meetings.share.mutationOptions(options));
  const unshare = useMutation(settings.meetings.unshare.mutationOptions(options));
  const choices = members.data?.members.filter((member) => member.userId !== userId) ?? [];
  return (
    <Query query={shares}>
      {({ shares: readers }) => (
        <Stack>
          <Text size="sm" c="dimmed">
            {readers.length === 0 ? "Only you see this meeting." : "These members see this meeting too:"}
          </Text>
          <Pill.Group>
            {readers.map((reader) => (
              <RemovablePill
                key={reader.userId}
                large
                label={`Stop sharing with ${reader.name}`}
                onRemove={() => unshare.mutate({ meetingId, email: reader.email })}
              >
                {reader.name}
              </RemovablePill>
            ))}
          </Pill.Group>
          <Group align="flex-end">
            <Select
              label="Share with"
              placeholder="A member of the workspace"
              data={choices.map((member) => ({
                value: member.email,
                label: `${member.name} (${member.email})`,
              }))}
              value={email}
              onChange={setEmail}
              searchable
              w={320}
            />
            <Button
              disabled={email === null}
              onClick={() => {
                if (email !== null) share.mutate({ meetingId, email });
                setEmail(null);
              }}
            >
              Share
            </Button>
          </Group>
        </Stack>
      )}
    </Query>
  );
}
