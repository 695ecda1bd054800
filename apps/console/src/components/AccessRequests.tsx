import { Button, Group, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { me, settings, settingsClient } from "../api/clients";
import { Section } from "./states";
import { useAction } from "./use-action";

/** Shows the owner who asks to read their meetings, or one of them, and grants or dismisses it. Renders nothing without requests. */
export function AccessRequests({ meetingId }: { meetingId?: string }) {
  const { data } = useQuery(settings.accessRequests.list.queryOptions({}));
  const shown =
    data?.requests.filter((request) => (meetingId ?? request.meetingId) === request.meetingId) ?? [];
  if (shown.length === 0) return null;
  return (
    <Section title="Requests for access">
      <ul className="readers">
        {shown.map((request) => (
          <Request
            key={`${request.meetingId} ${request.user.userId}`}
            request={request}
            named={meetingId === undefined}
          />
        ))}
      </ul>
    </Section>
  );
}

type Requested = Awaited<ReturnType<typeof settingsClient.accessRequests.list.query>>["requests"][number];

/** A request. @param named whether it says for which meeting */
function Request({ request: { meetingId, title, user }, named }: { request: Requested; named: boolean }) {
  const changes = [
    settings.accessRequests.pathKey(),
    settings.shares.pathKey(),
    me.meetings.browse.pathKey(),
  ];
  const share = useAction(() => settingsClient.meetings.share.mutate({ meetingId, email: user.email }), {
    failure: "Could not share the meeting",
    success: `Shared with ${user.email}.`,
    changes,
  });
  const dismiss = useAction(
    () => settingsClient.accessRequests.dismiss.mutate({ meetingId, userId: user.userId }),
    { failure: "Could not dismiss the request", success: "Request dismissed.", changes },
  );
  return (
    <li>
      <Text size="sm" span className="wrap-anywhere">
        {user.name} ({user.email}) asks to read{" "}
        {named ? (
          <Link to="/meetings/$meetingId" params={{ meetingId }}>
            {title}
          </Link>
        ) : (
          "this meeting"
        )}
        .
      </Text>
      <Group gap="xs" wrap="nowrap">
        <Button
          size="compact-sm"
          aria-label={`Share ${title} with ${user.name}`}
          loading={share.isPending}
          onClick={() => share.run()}
        >
          Share
        </Button>
        <Button
          size="compact-sm"
          variant="default"
          aria-label={`Dismiss the request of ${user.name} for ${title}`}
          loading={dismiss.isPending}
          onClick={() => dismiss.run()}
        >
          Dismiss
        </Button>
      </Group>
    </li>
  );
}
