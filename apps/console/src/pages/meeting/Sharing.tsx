import { Button, Group, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { me, settings, settingsClient } from "../../api/clients";
import { getErrorMessage, getStatus } from "../../api/transport";
import { AccessRequests } from "../../components/AccessRequests";
import { describeReaders, MemberField, shareWithEach, useReaders } from "../../components/MemberField";
import { Query } from "../../components/Query";
import { notifySuccess, useAction } from "../../components/use-action";
import { PublicLinks } from "./PublicLinks";

interface Reader {
  readonly direct: boolean;
  readonly tags: readonly string[];
}

/** Writes `shared directly, via tag alarms`. */
const describeReason = ({ direct, tags }: Reader): string =>
  [...(direct ? ["shared directly"] : []), ...tags.map((tag) => `via tag ${tag}`)].join(", ");

type ReadersAnswer = Awaited<ReturnType<typeof settingsClient.shares.readers.query>>;

/** Shows the owner who can read a meeting and why, and shares it with members. */
export default function Readers({ meetingId }: { meetingId: string }) {
  const readers = useQuery(settings.shares.readers.queryOptions({ meetingId }));
  const { members, toEmails } = useReaders();
  const [chosen, setChosen] = useState("");
  const { share, unshare, refusal, setRefusal } = useSharing(meetingId, () => setChosen(""));
  return (
    <Query query={readers}>
      {({ readers: list, workspaceKeys }) => (
        <Stack>
          <AccessRequests meetingId={meetingId} />
          <form
            onSubmit={(event) => {
              event.preventDefault();
              const direct = list.filter((reader) => reader.direct).map(({ email }) => email);
              if (chosen.trim() !== "")
                share.run(toEmails(chosen).filter((email) => !direct.includes(email)));
            }}
          >
            <Group align="flex-start">
              <MemberField
                label="Share with"
                members={members}
                value={chosen}
                onChange={(value) => {
                  setChosen(value);
                  setRefusal(null);
                }}
                error={refusal}
                // It has the focus when the dialog opens, and an open list would cover what is below it.
                openOnFocus={false}
                flex={1}
              />
              <Button
                type="submit"
                className="beside-field"
                disabled={chosen.trim() === ""}
                loading={share.isPending}
              >
                Share
              </Button>
            </Group>
          </form>
          <ReaderList list={list} workspaceKeys={workspaceKeys} remove={unshare.run} />
          <PublicLinks meetingId={meetingId} />
        </Stack>
      )}
    </Query>
  );
}

/** Shares a meeting with people by their addresses, and stops; both can be undone. */
function useSharing(meetingId: string, onShared: () => void) {
  const changes = [settings.accessRequests, settings.shares, me.meetings.browse].map((one) => one.pathKey());
  const shareWith = (reader: string) => settingsClient.meetings.share.mutate({ meetingId, email: reader });
  const unshareWith = (reader: string) =>
    settingsClient.meetings.unshare.mutate({ meetingId, email: reader });
  const [refusal, setRefusal] = useState<string | null>(null);
  const share = useAction((added: readonly string[]) => shareWithEach(added, shareWith), {
    failure: "Could not share the meeting",
    changes,
    onFailure: (error) => {
      const isStranger = [404, 409].includes(getStatus(error) ?? 0);
      if (isStranger) setRefusal(`${getErrorMessage(error)} People outside can read it with a link, below.`);
      return isStranger;
    },
    onSuccess: (_, added) => {
      onShared();
      if (added.length === 0) return notifySuccess("They can read it already.");
      return notifySuccess(`Shared with ${describeReaders(added)}.`, () => void takeBack.run(added));
    },
  });
  const takeBack = useAction((added: readonly string[]) => shareWithEach(added, unshareWith), {
    failure: "Could not undo",
    changes,
  });
  const unshare = useAction(unshareWith, {
    failure: "Could not stop sharing the meeting",
    success: (_, reader) => `No longer shared with ${reader}.`,
    undo: shareWith,
    changes,
  });
  return { share, unshare, refusal, setRefusal };
}

interface ReaderListProps {
  readonly list: ReadersAnswer["readers"];
  /** Number of keys that read all meetings of the workspace. */
  readonly workspaceKeys: number;
  /** Stops sharing directly with an address. */
  readonly remove: (email: string) => void;
}

function ReaderList({ list, workspaceKeys, remove }: ReaderListProps) {
  return (
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
                onClick={() => remove(reader.email)}
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
              {workspaceKeys === 1 ? "the workspace API key" : `one of ${workspaceKeys} workspace API keys`}
            </Text>
          </li>
        )}
      </ul>
    </section>
  );
}
