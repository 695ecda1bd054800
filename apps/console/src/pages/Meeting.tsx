import { Stack, Tabs } from "@mantine/core";
import { useMediaQuery } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { type ReactNode, useEffect, useRef, useState } from "react";
import { flushSync } from "react-dom";
import { useAccount } from "../api/account";
import { me, queryClient } from "../api/clients";
import { getStatus } from "../api/transport";
import { Query } from "../components/Query";
import { Page, Section } from "../components/states";
import { MeetingTime } from "../components/times";
import { notifyFailure } from "../components/use-action";
import { RewriteSummary, Versions, WhoIsThis } from "./meeting/dialogs";
import { type Detail, type Editing, useEditing } from "./meeting/editing";
import { Facts } from "./meeting/Facts";
import { MeetingActions } from "./meeting/MeetingActions";
import { NoAccess } from "./meeting/NoAccess";
import { Notes } from "./meeting/Notes";
import { pollSummary, useRewritten } from "./meeting/new-summary";
import { Transcript } from "./meeting/Transcript";
import { useHold } from "./meeting/use-hold";
import type { Asked } from "./meeting/WhoIsThis";

const route = getRouteApi("/signed-in/meetings/$meetingId");

/** One meeting: summary, tasks and people beside the transcript; on a phone, one of them at a time. */
export function Meeting() {
  const { meetingId } = route.useParams();
  const query = useQuery(
    me.meetings.get.queryOptions({ meetingId }, { refetchInterval: ({ state }) => pollSummary(state.data) }),
  );
  if (query.isError && [403, 404].includes(getStatus(query.error) ?? 0))
    return <NoAccess key={meetingId} meetingId={meetingId} />;
  return (
    <Query query={query} title="Meeting">
      {(meeting) => <MeetingPage key={meeting.id} meeting={meeting} />}
    </Query>
  );
}

function MeetingPage({ meeting }: { meeting: Detail }) {
  const { at, find } = route.useSearch();
  const { userId, role, writesSummaries } = useAccount();
  const isNarrow = useMediaQuery("(max-width: 68em)", undefined, { getInitialValueInEffect: false });
  const isPrinting = usePrinting();
  const place = useRef(0);
  const [asked, ask] = useState<Asked | null>(null);
  const setSpeaker = (label: string) => ask({ label, isOneOfAll: false });
  const own = meeting.user.id === userId;
  useRewritten(meeting);
  const editing = useEditing(meeting, own);
  const meetingId = meeting.id;
  const isTabbed = isNarrow === true && !isPrinting;
  const name = own ? setSpeaker : undefined;
  const showTab = useShowTab(meetingId);
  /** On a phone, the field is on the summary's tab. */
  const editTitle = () => {
    if (isTabbed) showTab("summary");
    editing.edit("title");
  };
  const edits = own ? listEdits(meeting, { ...editing, editTitle }, writesSummaries, ask) : [];
  const hold = useHold(meetingId, own || role === "admin");
  const Layout = isTabbed ? Tabbed : Columns;
  return (
    <Layout
      meeting={meeting}
      isFactsOpen={editing.edited === "title"}
      facts={<Facts meeting={meeting} own={own} hold={hold.note} editing={editing} isFolded={isTabbed} />}
      notes={<Notes meeting={meeting} own={own} name={name} editing={editing} />}
      transcript={
        <Transcript
          meetingId={meetingId}
          hasAudio={meeting.hasAudio}
          speakers={meeting.participants.map(({ id }) => id)}
          at={at}
          find={find}
          place={place}
          layout={isPrinting ? "whole" : isNarrow ? "window" : "column"}
          name={name}
        />
      }
      actions={
        <MeetingActions
          meeting={meeting}
          own={own}
          edits={edits}
          hold={hold.action}
          print={() => void printMeeting(meetingId)}
        />
      }
    >
      {own && (
        <>
          <Versions
            meetingId={meetingId}
            opened={editing.edited === "versions"}
            close={() => editing.edit(null)}
          />
          <RewriteSummary
            meeting={meeting}
            opened={editing.edited === "rewrite"}
            close={() => editing.edit(null)}
          />
          <WhoIsThis meetingId={meetingId} asked={asked} ask={ask} />
        </>
      )}
    </Layout>
  );
}

/** Returns true while the browser prints. The page is drawn before it is printed. */
function usePrinting(): boolean {
  const [isPrinting, setPrinting] = useState(false);
  useEffect(() => {
    const begin = () => flushSync(() => setPrinting(true));
    const end = () => setPrinting(false);
    window.addEventListener("beforeprint", begin);
    window.addEventListener("afterprint", end);
    return () => {
      window.removeEventListener("beforeprint", begin);
      window.removeEventListener("afterprint", end);
    };
  }, []);
  return isPrinting;
}

/** Prints the page once it has the transcript, which a phone loads only for its tab. */
async function printMeeting(meetingId: string): Promise<void> {
  await queryClient.ensureQueryData(me.meetings.transcript.queryOptions({ meetingId })).catch(() => null);
  window.print();
}

/** Returns a function that shows a tab of a narrow screen, without an entry in the browser's history. */
function useShowTab(meetingId: string) {
  const { at, find } = route.useSearch();
  const navigate = useNavigate();
  return (tab: "summary" | "transcript") =>
    void navigate({
      to: "/meetings/$meetingId",
      params: { meetingId },
      search: { at, find, tab },
      replace: true,
    });
}

/** Lists the edits that a dialog or a field above the notes makes, without those that can't work for the meeting. */
function listEdits(
  meeting: Detail,
  { canEditSummary, edit, editTitle }: Editing & { readonly editTitle: () => void },
  writesSummaries: boolean,
  ask: (asked: Asked | null) => void,
) {
  const hasTranscript = meeting.participants.length > 0;
  /** Opens the dialog for the first unnamed speaker, or for the first one if all have names. */
  const nameSpeakers = async () => {
    const list = me.speakers.list.queryOptions({ meetingId: meeting.id });
    try {
      // Nothing opens by itself after a retry.
      const { speakers } = await queryClient.fetchQuery({ ...list, retry: false });
      const first = speakers.find(({ named, email }) => !named && email === null) ?? speakers[0];
      ask(first ? { label: first.speakerLabel, isOneOfAll: true } : null);
    } catch (error) {
      notifyFailure("Could not list the speakers", error);
    }
  };
  return [
    ...(hasTranscript
      ? [{ label: "Name the speakers", act: () => void nameSpeakers(), opensDialog: true }]
      : []),
    { label: "Edit title", act: editTitle },
    ...(hasTranscript && canEditSummary && writesSummaries
      ? [{ label: "Rewrite summary", act: () => edit("rewrite"), opensDialog: true }]
      : []),
    { label: "Versions", act: () => edit("versions"), opensDialog: true },
  ];
}

interface LayoutProps {
  readonly meeting: Detail;
  readonly isFactsOpen: boolean;
  readonly facts: ReactNode;
  readonly notes: ReactNode;
  readonly transcript: ReactNode;
  readonly actions: ReactNode;
  /** Dialogs. */
  readonly children: ReactNode;
}

const Columns = ({ meeting, facts, notes, transcript, actions, children }: LayoutProps) => (
  <Page title={meeting.title} actions={actions}>
    {facts}
    <div className="columns">
      <div className="notes">{notes}</div>
      <Section title="Transcript">{transcript}</Section>
    </div>
    {children}
  </Page>
);

/** Shows the notes or the transcript, the facts folded away. */
function Tabbed({ meeting, isFactsOpen, facts, notes, transcript, actions, children }: LayoutProps) {
  const { at, find, tab } = route.useSearch();
  const showTab = useShowTab(meeting.id);
  const hasPassage = at !== undefined || find !== undefined;
  return (
    <Tabs
      value={tab ?? (hasPassage ? "transcript" : "summary")}
      onChange={(next) => showTab(next === "transcript" ? "transcript" : "summary")}
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
            <details className="facts" open={isFactsOpen || undefined}>
              <summary>
                <MeetingTime meeting={meeting} />
              </summary>
              <Stack gap="xs" mt="xs">
                {facts}
              </Stack>
            </details>
            {notes}
          </div>
        </Tabs.Panel>
        <Tabs.Panel value="transcript">{transcript}</Tabs.Panel>
        {children}
      </Page>
    </Tabs>
  );
}
