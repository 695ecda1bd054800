import { Button, Group, Menu, Tabs, Text } from "@mantine/core";
import { useMediaQuery } from "@mantine/hooks";
import { IconDownload } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { useAccount } from "../api/account";
import { me, type meClient } from "../api/clients";
import { deleteMeetings } from "../api/deletions";
import { EXPORTS } from "../api/meeting-files";
import { ConfirmButton, Copy } from "../components/actions";
import { Initials } from "../components/MeetingFacts";
import { Query } from "../components/Query";
import { Page, Section } from "../components/states";
import { formatDateTime, formatDuration } from "../components/times";
import { useAction } from "../components/use-action";
import { MeetingTags } from "./meeting/MeetingTags";
import { People } from "./meeting/People";
import { Sharing } from "./meeting/Sharing";
import { Summary } from "./meeting/Summary";
import { Transcript } from "./meeting/Transcript";
import { TaskList } from "./Tasks";

const route = getRouteApi("/signed-in/meetings/$meetingId");

/** One meeting: summary, tasks and people beside the transcript; on a phone, one of them at a time. */
export function Meeting() {
  const { meetingId } = route.useParams();
  const query = useQuery(me.meetings.get.queryOptions({ meetingId }));
  return <Query query={query}>{(meeting) => <MeetingPage key={meeting.id} meeting={meeting} />}</Query>;
}

type Detail = Awaited<ReturnType<typeof meClient.meetings.get.query>>;

function MeetingPage({ meeting }: { meeting: Detail }) {
  const { at, find, tab } = route.useSearch();
  const { userId } = useAccount();
  const navigate = useNavigate();
  const isNarrow = useMediaQuery("(max-width: 68em)", undefined, { getInitialValueInEffect: false });
  const [isPrinting, setPrinting] = useState(false);
  useEffect(() => {
    if (!isPrinting) return;
    window.print();
    setPrinting(false);
  }, [isPrinting]);
  const meetingId = meeting.id;
  const own = meeting.user.id === userId;
  const duration = formatDuration(meeting.startTime, meeting.endTime);
  const hasPassage = at !== undefined || find !== undefined;
  const shown = tab ?? (hasPassage ? "transcript" : "summary");
  const speakers = meeting.participants.map(({ name }) => name);
  const transcript = (
    <Transcript
      meetingId={meetingId}
      speakers={speakers}
      at={at}
      find={find}
      layout={isPrinting ? "whole" : isNarrow ? "window" : "column"}
    />
  );
  const notes = (
    <>
      <Section
        title="Summary"
        actions={
          meeting.summary.markdown && <Copy value={meeting.summary.markdown} label="Copy the summary" />
        }
      >
        <Summary summary={meeting.summary} />
      </Section>
      <Section title="Tasks">
        <TaskList filter={{ meetingId }} />
      </Section>
      <Section title="People">
        <People participants={meeting.participants} attendees={meeting.event.attendees} />
      </Section>
    </>
  );
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
          <Export meetingId={meetingId} print={() => setPrinting(true)} />
          {own && (
            <ConfirmButton
              size="sm"
              label="Delete"
              title="Delete this meeting?"
              confirm="Delete"
              failure="Could not delete the meeting"
              act={async () => {
                await navigate({ to: "/meetings" });
                deleteMeetings([meetingId]);
              }}
            >
              Its summary, transcript, tasks and search entries are deleted for everyone who can read it. You
              can undo this for ten seconds.
            </ConfirmButton>
          )}
          {own && <Sharing meetingId={meetingId} />}
        </>
      }
    >
      <Group gap="sm" className="meeting-facts">
        <Text size="sm" c="dimmed" component="time" dateTime={meeting.startTime}>
          {formatDateTime(meeting.startTime)}
        </Text>
        {duration && (
          <Text size="sm" c="dimmed">
            {duration}
          </Text>
        )}
        <Text size="sm" c="dimmed">
          Recorded by {meeting.user.email}
        </Text>
        <Initials people={speakers} count={speakers.length} />
      </Group>
      <MeetingTags meetingId={meetingId} tags={meeting.tags} own={own} />
      {isNarrow && !isPrinting ? (
        <Tabs
          value={shown}
          onChange={(next) =>
            void navigate({
              to: "/meetings/$meetingId",
              params: { meetingId },
              search: { at, find, tab: next === "transcript" ? "transcript" : "summary" },
              replace: true,
            })
          }
          keepMounted={false}
        >
          <Tabs.List className="sticky-tabs">
            <Tabs.Tab value="summary">Summary</Tabs.Tab>
            <Tabs.Tab value="transcript">Transcript</Tabs.Tab>
          </Tabs.List>
          <Tabs.Panel value="summary" pt="md">
            <div className="notes">{notes}</div>
          </Tabs.Panel>
          <Tabs.Panel value="transcript" pt="md">
            {transcript}
          </Tabs.Panel>
        </Tabs>
      ) : (
        <div className="columns">
          <div className="notes">{notes}</div>
          <Section title="Transcript">{transcript}</Section>
        </div>
      )}
    </Page>
  );
}

/** Downloads the meeting in a format, or prints it. */
function Export({ meetingId, print }: { meetingId: string; print: () => void }) {
  const save = useAction((format: keyof typeof EXPORTS) => EXPORTS[format](meetingId), {
    failure: "Could not export the meeting",
  });
  return (
    <Menu position="bottom-end" shadow="md">
      <Menu.Target>
        <Button variant="default" size="sm" leftSection={<IconDownload size={16} />} loading={save.isPending}>
          Export
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {(Object.keys(EXPORTS) as (keyof typeof EXPORTS)[]).map((format) => (
          <Menu.Item key={format} onClick={() => save.run(format)}>
            {format}
          </Menu.Item>
        ))}
        <Menu.Item onClick={print}>Print or save as PDF</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
