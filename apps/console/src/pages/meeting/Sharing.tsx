import { Button, Group, Select, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useAccount } from "../../api/account";
import { me, settings, settingsClient } from "../../api/clients";
import { Query } from "../../components/Query";
import { useAction } from "../../components/use-action";

interface Reader {
  readonly direct: boolean;
  readonly tags: readonly string[];
}

/** Writes `shared directly, via tag alarms`. */
const describeReason = ({ direct, tags }: Reader): string =>
  [...(direct ? ["shared directly"] : []), ...tags.map((tag) => `via tag ${tag}`)].join(", ");

/** Shows the owner who can read a meeting and why, and shares it with members. */
export default function Readers({ meetingId }: { meetingId: string }) {
  const { userId } = useAccount();
  const readers = useQuery(settings.shares.readers.queryOptions({ meetingId }));
  const members = useQuery(settings.members.list.queryOptions({}));
  const [email, setEmail] = useState<string | null>(null);
  const changes = [settings.shares.pathKey(), me.meetings.browse.pathKey()];
  const shareWith = (reader: string) => settingsClient.meetings.share.mutate({ meetingId, email: reader });
  const unshareWith = (reader: string) =>
    settingsClient.meetings.unshare.mutate({ meetingId, email: reader });
  const share = useAction(shareWith, {
    failure: "Could not share the meeting",
    success: (_, reader) => `Shared with ${reader}.`,
    undo: unshareWith,
    changes,
    onSuccess: () => setEmail(null),
  });
  const unshare = useAction(unshareWith, {
    failure: "Could not stop sharing the meeting",
    success: (_, reader) => `No longer shared with ${reader}.`,
    undo: shareWith,
    changes,
  });
  const choices = members.data?.members.filter((member) => member.userId !== userId) ?? [];
  return (
    <Query query={readers}>
      {({ readers: list, workspaceKeys }) => (
        <Stack>
          <form
            onSubmit={(event) => {
              event.preventDefault();
              if (email !== null) share.run(email);
            }}
          >
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
                flex={1}
                comboboxProps={{ withinPortal: false }}
              />
              <Button type="submit" disabled={email === null} loading={share.isPending}>
                Share
              </Button>
            </Group>
          </form>
          <section aria-label="Who can read this meeting">
            <Text size="sm" fw={600} mb={4}>
              Who can read this meeting
            </Text>
            <ul className="readers">
              <li>
                <Text size="sm">You, the owner</Text>
              </li>
              {list.map((reader) => (
                <li key={reader.userId}>
                  <span>
                    <Text size="sm" span>
                      {reader.name}
                    </Text>{" "}
                    <Text size="sm" c="dimmed" span>
                      {describeReason(reader)}
                    </Text>
                  </span>
                  {reader.direct && (
                    <Button
                      size="compact-sm"
                      variant="subtle"
                      aria-label={`Remove ${reader.name}`}
                      onClick={() => unshare.run(reader.email)}
                    >
                      Remove
                    </Button>
                  )}
                </li>
              ))}
              {workspaceKeys > 0 && (
                <li>
                  <Text size="sm">
                    Programs with{" "}
                    {workspaceKeys === 1
                      ? "the workspace API key"
                      : `one of ${workspaceKeys} workspace API keys`}
                  </Text>
                </li>
              )}
            </ul>
          </section>
        </Stack>
      )}
    </Query>
  );
}
