import { Anchor, Button, Group, Text } from "@mantine/core";
import { lazy, Suspense } from "react";
import { useAccount } from "../../api/account";
import { loadWhenReachable } from "../../api/connection";
import { Initials } from "../../components/MeetingFacts";
import { Opening } from "../../components/Opening";
import { MeetingTime } from "../../components/times";
import { CalendarEvent } from "./CalendarEvent";
import type { Detail, Editing } from "./editing";
import { Hold } from "./Hold";
import { MeetingTags } from "./MeetingTags";

const loadEditText = () => import("./EditText");
const EditText = lazy(() => loadWhenReachable(loadEditText));

interface FactsProps {
  readonly meeting: Detail;
  readonly own: boolean;
  readonly edits: readonly {
    readonly label: string;
    readonly act: () => void;
    readonly opensDialog: boolean;
  }[];
  readonly editing: Editing;
  /** True on a phone, where the summary line has the time, and the menu has the edits. */
  readonly isFolded: boolean;
}

/** Shows a meeting's time, recorder and tags, with buttons to edit it. */
export function Facts({ meeting, own, edits, editing: { edited, isReopened, edit }, isFolded }: FactsProps) {
  const { role } = useAccount();
  const names = meeting.participants.map(({ name }) => name);
  return (
    <>
      <Group gap="sm">
        {!isFolded && <MeetingTime meeting={meeting} />}
        <Text size="sm" c="dimmed">
          Recorded by {own ? "you" : meeting.recordedBy}
        </Text>
        <Initials people={names} count={names.length} />
        {(isFolded ? [] : edits).map(({ label, act, opensDialog }) => (
          <Button
            key={label}
            variant="subtle"
            color="gray"
            size="compact-sm"
            onClick={act}
            aria-haspopup={opensDialog ? "dialog" : undefined}
          >
            {label}
          </Button>
        ))}
        {meeting.recordingUrl && (
          <Anchor href={meeting.recordingUrl} target="_blank" rel="noopener noreferrer" size="sm">
            Recording at {new URL(meeting.recordingUrl).host}
          </Anchor>
        )}
        {(own || role === "admin") && <Hold meetingId={meeting.id} />}
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
