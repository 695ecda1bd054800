import { Anchor, Group, Text } from "@mantine/core";
import { lazy, Suspense } from "react";
import { loadWhenReachable } from "../../api/connection";
import { Initials } from "../../components/MeetingFacts";
import { Opening } from "../../components/Opening";
import { MeetingTime } from "../../components/times";
import { CalendarEvent } from "./CalendarEvent";
import type { Detail, Editing } from "./editing";
import { MeetingTags } from "./MeetingTags";

const loadEditText = () => import("./EditText");
const EditText = lazy(() => loadWhenReachable(loadEditText));

interface FactsProps {
  readonly meeting: Detail;
  readonly own: boolean;
  /** Says that the meeting is on hold; null if it isn't. */
  readonly hold: string | null;
  readonly editing: Editing;
  /** True below the time of the meeting, on a phone. */
  readonly isFolded: boolean;
}

/** Shows a meeting's time, recorder, hold and tags, and edits its title. */
export function Facts({ meeting, own, hold, editing: { edited, isReopened, edit }, isFolded }: FactsProps) {
  const names = meeting.participants.map(({ name }) => name);
  return (
    <>
      <Group gap="sm">
        {!isFolded && <MeetingTime meeting={meeting} />}
        <Text size="sm" c="dimmed">
          Recorded by {own ? "you" : meeting.recordedBy}
        </Text>
        <Initials people={names} count={names.length} />
        {meeting.recordingUrl && (
          <Anchor href={meeting.recordingUrl} target="_blank" rel="noopener noreferrer" size="sm">
            Recording at {new URL(meeting.recordingUrl).host}
          </Anchor>
        )}
        {hold !== null && (
          <Text size="sm" c="dimmed">
            {hold}
          </Text>
        )}
      </Group>
      {edited === "title" && (
        <Suspense fallback={<Opening load={loadEditText} close={() => edit(null)} />}>
          <EditText meeting={meeting} field="title" autoFocus={!isReopened} close={() => edit(null)} />
        </Suspense>
      )}
      {meeting.eventFromCalendar && <CalendarEvent meeting={meeting} own={own} />}
      <MeetingTags meetingId={meeting.id} tags={meeting.tags} own={own} />
    </>
  );
}
