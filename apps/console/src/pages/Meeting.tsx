import { Group, Tabs, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { lazy, Suspense } from "react";
import { useAccount } from "../api/account";
import { me, meClient, queryClient } from "../api/clients";
import { ConfirmButton, Copy, tell } from "../components/actions";
import { Query } from "../components/Query";
import { Loading, Page } from "../components/states";
import { formatDuration, When } from "../components/times";
import { Downloads } from "./meeting/Downloads";
import { MeetingTags } from "./meeting/MeetingTags";
import { Summary } from "./meeting/Summary";

// What only a tab shows is loaded with the tab.
const Transcript = lazy(async () => ({ default: (await import("./meeting/Transcript")).Transcript }));
const TaskList = lazy(async () => ({ default: (await import("./Tasks")).TaskList }));
const People = lazy(async () => ({ default: (await import("./meeting/People")).People }));
const Sharing = lazy(async () => ({ default: (await import("./meeting/Sharing")).Sharing }));

const route = getRouteApi("/signed-in/meetings/$meetingId");

/** One meeting: summary, transcript, tasks, people, tags, shares, download and deletion. */
export function Meeting() {
  const { meetingId } = route.useParams();
  const {
    at,
    find,
    tab = at === undefined && find === undefined ? "summary" : "transcript",
  } = route.useSearch();
  const { userId } = useAccount();
  const navigate = useNavigate();
  const query = useQuery(me.meetings.get.queryOptions({ meetingId }));
  const show = (next: string | null) =>
    void navigate({
      to: "/meetings/$meetingId",
      params: { meetingId },
      search: { at, find, tab: next ?? undefined },
      replace: true,
    });
  const remove = async () => {
    await meClient.meetings.delete.mutate({ meetingId });
    await queryClient.invalidateQueries();
    tell("The meeting is deleted.");
    await navigate({ to: "/meetings" });
  };
  return (
    <Query query={query}>
      {(meeting) => {
        const own = meeting.user.id === userId;
        const duration = formatDuration(meeting.startTime, meeting.endTime);
        return (
          <Page
            title={meeting.title}
            actions={
              <>
                <Copy
                  value={`${location.origin}/meetings/${meetingId}`}
                  label="Copy link to this meeting"
                  text="Copy link"
                />
                <Downloads meetingId={meetingId} />
                {own && (
                  <ConfirmButton
                    label="Delete"
                    title="Delete this meeting?"
                    confirm="Delete for good"
                    onConfirm={remove}
                  >
                    Its summary, transcript, tasks and search entries are erased for everybody who sees it.
                    This can't be undone.
                  </ConfirmButton>
                )}
              </>
            }
          >
            <Group gap="sm">
              <When at={meeting.startTime} size="sm" c="dimmed" />
              {duration && (
                <Text size="sm" c="dimmed">
                  {duration}
                </Text>
              )}
              <Text size="sm" c="dimmed">
                Recorded by {meeting.user.email}
              </Text>
            </Group>
            <MeetingTags key={meetingId} meetingId={meetingId} tags={meeting.tags} own={own} />
            <Tabs value={tab} onChange={show} keepMounted={false}>
              <Tabs.List>
                <Tabs.Tab value="summary">Summary</Tabs.Tab>
                <Tabs.Tab value="transcript">Transcript</Tabs.Tab>
                <Tabs.Tab value="tasks">Tasks</Tabs.Tab>
                <Tabs.Tab value="people">People</Tabs.Tab>
                {own && <Tabs.Tab value="sharing">Sharing</Tabs.Tab>}
              </Tabs.List>
              <Tabs.Panel value="summary" pt="md">
                <Summary summary={meeting.summary} />
              </Tabs.Panel>
              <Tabs.Panel value="transcript" pt="md">
                <Suspense fallback={<Loading />}>
                  <Transcript meetingId={meetingId} at={at} find={find} />
                </Suspense>
              </Tabs.Panel>
              <Tabs.Panel value="tasks" pt="md">
                <Suspense fallback={<Loading />}>
                  <TaskList filter={{ meetingId }} />
                </Suspense>
              </Tabs.Panel>
              <Tabs.Panel value="people" pt="md">
                <Suspense fallback={<Loading />}>
                  <People participants={meeting.participants} attendees={meeting.event.attendees} />
                </Suspense>
              </Tabs.Panel>
              {own && (
                <Tabs.Panel value="sharing" pt="md">
                  <Suspense fallback={<Loading />}>
                    <Sharing meetingId={meetingId} />
                  </Suspense>
                </Tabs.Panel>
              )}
            </Tabs>
          </Page>
        );
      }}
    </Query>
  );
}
