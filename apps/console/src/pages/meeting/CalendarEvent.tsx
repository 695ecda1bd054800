import { Group, Text } from "@mantine/core";
import { me, settingsClient } from "../../api/clients";
import { ConfirmButton } from "../../components/actions";
import { formatDateTime } from "../../components/times";
import type { Detail } from "./editing";

const changes = [me.meetings.pathKey(), me.upcoming.pathKey()];

/** Says which event of the owner's calendar a meeting has; its owner can unlink it. */
export const CalendarEvent = ({ meeting: { id, event }, own }: { meeting: Detail; own: boolean }) => (
  <Group gap="sm">
    <Text size="sm" c="dimmed" className="wrap-anywhere">
      From {own ? "your calendar" : "its owner's calendar"}: {event.title},{" "}
      {formatDateTime(event.scheduledTime)}
      {event.attendees.length > 0 && `, ${event.attendees.length} invited`}
    </Text>
    {own && (
      <ConfirmButton
        label="Unlink"
        variant="subtle"
        color="gray"
        size="compact-sm"
        title="Unlink this event?"
        confirm="Unlink"
        failure="Could not unlink the event"
        success="Event unlinked."
        changes={changes}
        act={() => settingsClient.calendar.unlink.mutate({ meetingId: id })}
      >
        Its title, times and invited people are removed from this meeting, and your calendar doesn't fill them
        again.
      </ConfirmButton>
    )}
  </Group>
);
