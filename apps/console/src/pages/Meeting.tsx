import { Button, Group, Stack, Tabs, Text, Typography } from "@mantine/core";
import { useMediaQuery } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { lazy, Suspense, useEffect, useState } from "react";
import { useAccount } from "../api/account";
import { me, type meClient, queryClient } from "../api/clients";
import { loadWhenReachable } from "../api/connection";
import { getStatus } from "../api/transport";
import { Copy } from "../components/actions";
import { Initials } from "../components/MeetingFacts";
import { Query } from "../components/Query";
import { Loading, Page, Section } from "../components/states";
import { formatDateTime, formatDuration, Timestamp } from "../components/times";
import { fitSummary } from "./meeting/demote-headings";
import { Versions, WhoIsThis } from "./meeting/dialogs";
import { findTextDraft, type TextField } from "./meeting/drafts";
import { Hold } from "./meeting/Hold";
import { MeetingActions } from "./meeting/MeetingActions";
import { MeetingTags } from "./meeting/MeetingTags";
import { NoAccess } from "./meeting/NoAccess";
import { People } from "./meeting/People";
import { Transcript } from "./meeting/Transcript";
import { TaskList } from "./tasks/TaskList";

const AskPanel = lazy(() => loadWhenReachable(() => import("./meetings/AskPanel")));
const EditText = lazy(() => loadWhenReachable(() => import("./meeting/EditText")));

const route = getRouteApi("/signed-in/meetings/$meetingId");

/** One meeting: summary, tasks and people beside the transcript; on a phone, one of them at a time. */
export function Meeting() {
  const { meetingId } = route.useParams();
  const query = useQuery(me.meetings.get.queryOptions({ meetingId }));
  if (query.isError && [403, 404].includes(getStatus(query.error) ?? 0)) return <NoAccess />;
  return <Query query={query}>{(meeting) => <MeetingPage key={meeting.id} meeting={meeting} />}</Query>;
}

type Detail = Awaited<ReturnType<typeof meClient.meetings.get.query>>;

function MeetingPage({ meeting }: { meeting: Detail }) {
  const { at, find, tab } = route.useSearch();
  const { role, userId } = useAccount();
  const navigate = useNavigate();
  const isNarrow = useMediaQuery("(max-width: 68em)", undefined, { getInitialValueInEffect: false });
  const [isPrinting, setPrinting] = useState(false);
  const [speaker, setSpeaker] = useState<string | null>(null);
  const own = meeting.user.id === userId;
  const canEditSummary = own && !meeting.summaryLocked;
  const [edited, setEdited] = useState<TextField | "versions" | null>(() =>
    own ? findTextDraft(userId, meeting.id, canEditSummary ? ["summary", "title"] : ["title"]) : null,
  );
  // An editor that comes back with unsaved input does not take the focus when the page opens.
  const [isReopened, setReopened] = useState(edited !== null);
  useEffect(() => {
    if (!isPrinting) return;
    window.print();
    setPrinting(false);
  }, [isPrinting]);
  const meetingId = meeting.id;
  const isTabbed = isNarrow === true && !isPrinting;
  const duration = formatDuration(meeting.startTime, meeting.endTime);
  const hasPassage = at !== undefined || find !== undefined;
  const shown = tab ?? (hasPassage ? "transcript" : "summary");
  const names = meeting.participants.map(({ name }) => name);
  const name = own ? setSpeaker : undefined;
  /** Opens the dialog for the first unnamed speaker, or for the first one if all have names. */
  const openFirst = async () => {
    const { speakers } = await queryClient.fetchQuery(me.speakers.list.queryOptions({ meetingId }));
    const first = speakers.find(({ named, email }) => !named && email === null) ?? speakers[0];
    setSpeaker(first?.speakerLabel ?? null);
  };
  const edit = (what: typeof edited) => {
    setReopened(false);
    setEdited(what);
  };
  const stopEditing = () => edit(null);
  const transcript = (
    <Transcript
      meetingId={meetingId}
      speakers={meeting.participants.map(({ id }) => id)}
      at={at}
      find={find}
      layout={isPrinting ? "whole" : isNarrow ? "window" : "column"}
      name={name}
    />
  );
  const notes = (
    <>
      <Section
        title="Summary"
        actions={
          <Group gap={4}>
            {canEditSummary && edited !== "summary" && (
              <Button
                variant="subtle"
                color="gray"
                size="compact-sm"
                data-shortcut="e"
                onClick={() => edit("summary")}
              >
                Edit
              </Button>
            )}
            {meeting.summary.markdown && <Copy value={meeting.summary.markdown} label="Copy the summary" />}
          </Group>
        }
      >
        {edited === "summary" ? (
          <Suspense fallback={<Loading />}>
            <EditText meeting={meeting} field="summary" autoFocus={!isReopened} close={stopEditing} />
          </Suspense>
        ) : (
          <Summary meeting={meeting} />
        )}
      </Section>
      <Section title="Tasks">
        <TaskList filter={{ meetingId }} canAdd={own} />
      </Section>
      <Section title="Ask">
        <Suspense>
          <AskPanel meetingId={meetingId} />
        </Suspense>
      </Section>
      <Section title="People">
        <People meetingId={meetingId} name={name} attendees={meeting.event.attendees} />
      </Section>
    </>
  );
  const facts = (
    <>
      <Group gap="sm">
        <Timestamp at={meeting.startTime} size="sm" c="dimmed" />
        {duration && (
          <Text size="sm" c="dimmed">
            {duration}
          </Text>
        )}
        <Text size="sm" c="dimmed">
          Recorded by {own ? "you" : meeting.recordedBy}
        </Text>
        <Initials people={names} count={names.length} />
        {own && names.length > 0 && (
          <Button
            variant="subtle"
            color="gray"
            size="compact-sm"
            onClick={() => void openFirst()}
            aria-haspopup="dialog"
          >
            Name the speakers
          </Button>
        )}
        {own && (
          <>
            <Button variant="subtle" color="gray" size="compact-sm" onClick={() => edit("title")}>
              Edit title
            </Button>
            <Button
              variant="subtle"
              color="gray"
              size="compact-sm"
              onClick={() => edit("versions")}
              aria-haspopup="dialog"
            >
              Versions
            </Button>
          </>
        )}
        {(own || role === "admin") && <Hold meetingId={meetingId} />}
      </Group>
      {edited === "title" && (
        <Suspense fallback={<Loading />}>
          <EditText meeting={meeting} field="title" autoFocus={!isReopened} close={stopEditing} />
        </Suspense>
      )}
      <MeetingTags meetingId={meetingId} tags={meeting.tags} own={own} />
    </>
  );
  const dialogs = own && (
    <>
      <Versions meetingId={meetingId} opened={edited === "versions"} close={stopEditing} />
      <WhoIsThis meetingId={meetingId} label={speaker} show={setSpeaker} />
    </>
  );
  // On a phone, what the facts have as buttons is also in the menu, which stays in reach.
  const edits = own
    ? [
        ...(names.length > 0 ? [{ label: "Name the speakers", act: () => void openFirst() }] : []),
        { label: "Edit title", act: () => edit("title") },
        { label: "Versions", act: () => edit("versions") },
      ]
    : [];
  const actions = (
    <MeetingActions
      meeting={meeting}
      own={own}
      compact={isTabbed}
      edits={isTabbed ? edits : []}
      print={() => setPrinting(true)}
    />
  );
  if (!isTabbed)
    return (
      <Page title={meeting.title} actions={actions}>
        {facts}
        <div className="columns">
          <div className="notes">{notes}</div>
          <Section title="Transcript">{transcript}</Section>
        </div>
        {dialogs}
      </Page>
    );
  return (
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
      <Page
        title={meeting.title}
        actions={actions}
        bar={
          <Tabs.List className="page-tabs">
            <Tabs.Tab value="summary">Summary</Tabs.Tab>
            <Tabs.Tab value="transcript">Transcript</Tabs.Tab>
          </Tabs.List>
        }
      >
        <Tabs.Panel value="summary">
          <div className="notes">
            <details className="facts" open={edited === "title" || undefined}>
              <summary>
                {formatDateTime(meeting.startTime)}
                {duration && `, ${duration}`}
              </summary>
              <Stack gap="xs" mt="xs">
                {facts}
              </Stack>
            </details>
            {notes}
          </div>
        </Tabs.Panel>
        <Tabs.Panel value="transcript">{transcript}</Tabs.Panel>
        {dialogs}
      </Page>
    </Tabs>
  );
}

/** Shows a summary. The server rendered and sanitized its HTML. */
const Summary = ({ meeting: { title, summary, summaryLocked } }: { meeting: Detail }) =>
  summary.html === "" ? (
    <Text size="sm" c="dimmed">
      {summaryLocked ? (
        <>
          The plan's limits lock the summary. See <Link to="/plan">Plan and usage</Link>.
        </>
      ) : (
        "This meeting was sent without a summary."
      )}
    </Text>
  ) : (
    <Typography className="summary">
      {/* biome-ignore lint/security/noDangerouslySetInnerHtml: the server sanitizes it, and the page's CSP runs no inline script */}
      <div dangerouslySetInnerHTML={{ __html: fitSummary(summary.html, title) }} />
    </Typography>
  );
