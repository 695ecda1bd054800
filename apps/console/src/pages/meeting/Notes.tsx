import { Button, Group, Text, Typography } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { lazy, Suspense } from "react";
import { loadWhenReachable } from "../../api/connection";
import { AccessRequests } from "../../components/AccessRequests";
import { Copy } from "../../components/actions";
import { Opening } from "../../components/Opening";
import { Section } from "../../components/states";
import { TaskList } from "../tasks/TaskList";
import { fitSummary } from "./demote-headings";
import type { Detail, Editing } from "./editing";
import { describeOrigin } from "./new-summary";
import { People } from "./People";

const AskPanel = lazy(() => loadWhenReachable(() => import("../meetings/AskPanel")));
const loadEditText = () => import("./EditText");
const EditText = lazy(() => loadWhenReachable(loadEditText));

interface NotesProps {
  readonly meeting: Detail;
  readonly own: boolean;
  /** Asks who a speaker is. */
  readonly name: ((label: string) => void) | undefined;
  readonly editing: Editing;
}

/** Shows a meeting's summary, tasks, questions and people. */
export const Notes = ({
  meeting,
  own,
  name,
  editing: { canEditSummary, edited, isReopened, edit },
}: NotesProps) => (
  <>
    {own && <AccessRequests meetingId={meeting.id} />}
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
        <Suspense
          fallback={
            <Opening load={loadEditText} close={() => edit(null)}>
              <Summary meeting={meeting} />
            </Opening>
          }
        >
          <EditText meeting={meeting} field="summary" autoFocus={!isReopened} close={() => edit(null)} />
        </Suspense>
      ) : (
        <>
          <NewSummary meeting={meeting} own={own} />
          <Summary meeting={meeting} />
        </>
      )}
    </Section>
    <Section title="Tasks">
      <TaskList filter={{ meetingId: meeting.id }} canAdd={own} />
    </Section>
    <Section title="Ask">
      <Suspense>
        <AskPanel meetingId={meeting.id} />
      </Suspense>
    </Section>
    <Section title="People">
      <People meetingId={meeting.id} name={name} attendees={meeting.event.attendees} />
    </Section>
  </>
);

/** Shows a summary. The server rendered and sanitized its HTML. */
const Summary = ({ meeting: { title, summary, summaryLocked, summaryOrigin } }: { meeting: Detail }) =>
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
    <>
      <Typography className="summary">
        {/* biome-ignore lint/security/noDangerouslySetInnerHtml: the server sanitizes it, and the page's CSP runs no inline script */}
        <div dangerouslySetInnerHTML={{ __html: fitSummary(summary.html, title) }} />
      </Typography>
      {summaryOrigin && (
        <Text size="xs" c="dimmed">
          Written {describeOrigin(summaryOrigin)}.
        </Text>
      )}
    </>
  );

/** Says that another summary is being written, or that it could not be. */
const NewSummary = ({ meeting: { newSummary, summary }, own }: { meeting: Detail; own: boolean }) =>
  (newSummary === "waiting" || (newSummary === "failed" && own)) && (
    <Text size="sm" role="status">
      {newSummary === "failed"
        ? "The new summary could not be written. Try again later."
        : summary.html === ""
          ? "A summary is being written."
          : "A new summary is being written. This one stays until then."}
    </Text>
  );
