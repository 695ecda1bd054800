import { Alert, Button, Group, Stack, Text, Title } from "@mantine/core";
import type { Preparation, UpcomingEvent } from "@minutes/contract";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useId, useState } from "react";
import { me, settings } from "../api/clients";
import { listUpcoming } from "../api/lists";
import { Query } from "../components/Query";
import { Empty, Page } from "../components/states";
import { formatDate, formatDay, formatHourAndMinute, MeetingStart } from "../components/times";

/** Days ahead that the page shows. */
const DAYS = 7;
const POLL = 5_000;

/** Lists the events of the person's calendar for the next days, each with what to know before it. */
export function Upcoming() {
  const state = useQuery(settings.calendar.get.queryOptions({}));
  const calendar = state.data?.calendar;
  const isNew = calendar?.syncedAt === null && calendar.fault === null;
  // A new calendar is read within seconds.
  const query = useQuery({ ...listUpcoming(), refetchInterval: isNew ? POLL : false });
  return (
    <Page>
      {calendar?.fault != null && (
        <Alert color="red" title="Your calendar can't be read">
          {calendar.syncedAt !== null && "These events can be out of date. "}
          <CalendarLink>See why</CalendarLink>.
        </Alert>
      )}
      <Query query={state}>
        {({ available }) =>
          calendar ? (
            <Query query={query}>
              {({ events }) =>
                calendar.syncedAt === null && events.length === 0 ? (
                  <Empty title="Your calendar has not been read yet." />
                ) : (
                  <Days events={events.filter(isSoon)} />
                )
              }
            </Query>
          ) : available ? (
            <Empty title="No calendar yet.">
              <CalendarLink>Subscribe to your calendar</CalendarLink> to see what comes next, with the last
              meetings and open tasks of each event.
            </Empty>
          ) : (
            <Empty title="Calendars are off.">
              This installation has no key to encrypt their addresses. Ask its operator to set SECRETS_KEY.
            </Empty>
          )
        }
      </Query>
    </Page>
  );
}

const CalendarLink = ({ children }: { children: string }) => (
  <Link to="/account" hash="calendar">
    {children}
  </Link>
);

const isSoon = ({ startTime }: UpcomingEvent) => Date.parse(startTime) < Date.now() + DAYS * 86_400_000;

/** Returns the day under which an event is listed; an event of whole days has no time zone. */
function toDay({ startTime, allDay }: UpcomingEvent): string {
  const start = allDay ? `${startTime.slice(0, 10)}T00:00` : startTime;
  return formatDay(new Date(Math.max(Date.parse(start), Date.now())).toISOString());
}

function Days({ events }: { events: readonly UpcomingEvent[] }) {
  if (events.length === 0)
    return (
      <Empty title="Nothing in the next seven days.">
        Events that are private, declined or canceled are not shown. Is it{" "}
        <CalendarLink>the right calendar</CalendarLink>?
      </Empty>
    );
  const days = new Map<string, UpcomingEvent[]>();
  for (const event of events) days.set(toDay(event), [...(days.get(toDay(event)) ?? []), event]);
  return (
    <Stack gap="md">
      {[...days].map(([day, ofDay]) => (
        <section key={day} aria-label={day}>
          <Title order={2} size="h3" mb={4}>
            {day}
          </Title>
          <ul className="events" aria-label={`Events: ${day}`}>
            {ofDay.map((event) => (
              <EventRow key={event.id} event={event} />
            ))}
          </ul>
        </section>
      ))}
    </Stack>
  );
}

/** Writes `09:00–10:00`, or the days of an event of whole days. */
function formatTimes({ startTime, endTime, allDay }: UpcomingEvent): string {
  if (!allDay) return `${formatHourAndMinute(startTime)}–${formatHourAndMinute(endTime)}`;
  const last = new Date(Date.parse(endTime) - 1).toISOString().slice(0, 10);
  return last <= startTime.slice(0, 10) ? "All day" : `All day, until ${formatDate(last)}`;
}

function EventRow({ event }: { event: UpcomingEvent }) {
  const [opened, setOpened] = useState(false);
  const [titleId, id] = [useId(), useId()];
  const { title, attendees, attendeesCount } = event;
  const names = attendees.slice(0, 5).map(({ name }) => name);
  const more = attendeesCount - names.length;
  return (
    <li>
      <Group gap="sm" justify="space-between" align="flex-start" wrap="nowrap">
        <div>
          <Text id={titleId} fw={500} className="wrap-anywhere">
            {title || "Untitled event"}
          </Text>
          <Text size="sm" c="dimmed" className="wrap-anywhere">
            {[formatTimes(event), names.join(", ") + (more > 0 ? ` and ${more} more` : "")]
              .filter(Boolean)
              .join(" · ")}
          </Text>
        </div>
        <Button
          variant="default"
          size="xs"
          flex="none"
          id={id}
          aria-labelledby={`${id} ${titleId}`}
          aria-expanded={opened}
          onClick={() => setOpened(!opened)}
        >
          Prepare
        </Button>
      </Group>
      {opened && <Prepared eventId={event.id} label={`Prepare ${title}`} />}
    </li>
  );
}

function Prepared({ eventId, label }: { eventId: string; label: string }) {
  const query = useQuery(me.upcoming.prepare.queryOptions({ eventId }));
  return (
    <section aria-label={label} className="prepared">
      <Query query={query}>{(preparation) => <Known {...preparation} />}</Query>
    </section>
  );
}

function Known({ meetings, tasks }: Preparation) {
  if (meetings.length === 0)
    return (
      <Text size="sm" c="dimmed">
        No earlier meetings of this series or with these people.
      </Text>
    );
  const titles = new Map(meetings.map(({ id, title }) => [id, title]));
  return (
    <Stack gap="xs">
      <Text size="sm" fw={600}>
        Last meetings
      </Text>
      <ul className="readers" aria-label="Last meetings">
        {meetings.map(({ series, ...meeting }) => (
          <li key={meeting.id}>
            <MeetingLink id={meeting.id}>{meeting.title}</MeetingLink>
            <Text size="sm" c="dimmed">
              <MeetingStart meeting={meeting} size="sm" />
              {series && ", same series"}
            </Text>
          </li>
        ))}
      </ul>
      <Text size="sm" fw={600}>
        {tasks.length === 0 ? "No open tasks" : "Open tasks"}
      </Text>
      {tasks.length > 0 && (
        <ul className="readers" aria-label="Open tasks">
          {tasks.map(({ id, text, assignee, due, meetingId }) => (
            <li key={id}>
              <Text size="sm" className="wrap-anywhere">
                {text}
              </Text>
              <Text size="sm" c="dimmed">
                {assignee !== null && `${assignee}, `}
                {due !== null && `due ${formatDate(due)}, `}
                from <MeetingLink id={meetingId}>{titles.get(meetingId) ?? "its meeting"}</MeetingLink>
              </Text>
            </li>
          ))}
        </ul>
      )}
    </Stack>
  );
}

const MeetingLink = ({ id, children }: { id: string; children: string }) => (
  <Link to="/meetings/$meetingId" params={{ meetingId: id }} className="wrap-anywhere">
    {children}
  </Link>
);
