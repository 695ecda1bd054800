import { Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { me, settings, settingsClient } from "../../api/clients";
import { AccessRequests } from "../../components/AccessRequests";
import { Query } from "../../components/Query";
import { ShareWith } from "../../components/ShareWith";
import { PublicLinks } from "./PublicLinks";

interface Reader {
  readonly direct: boolean;
  readonly tags: readonly string[];
}

/** Writes `shared directly, via tag alarms`. */
const describeReason = ({ direct, tags }: Reader): string =>
  [...(direct ? ["shared directly"] : []), ...tags.map((tag) => `via tag ${tag}`)].join(", ");

const changes = [settings.accessRequests, settings.shares, me.meetings.browse].map((one) => one.pathKey());

/** Shows the owner who can read a meeting and why, and shares it with members. */
export default function Readers({ meetingId }: { meetingId: string }) {
  const query = useQuery(settings.shares.readers.queryOptions({ meetingId }));
  return (
    <Query query={query}>
      {({ readers, workspaceKeys }) => (
        <Stack>
          <AccessRequests meetingId={meetingId} />
          <ShareWith
            what="meeting"
            title="Who can read this meeting"
            readers={readers.map((reader) => ({ ...reader, reason: describeReason(reader) }))}
            share={(email) => settingsClient.meetings.share.mutate({ meetingId, email })}
            unshare={(email) => settingsClient.meetings.unshare.mutate({ meetingId, email })}
            changes={changes}
            hint="People outside can read it with a link, below."
          >
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
          </ShareWith>
          <PublicLinks meetingId={meetingId} />
        </Stack>
      )}
    </Query>
  );
}
