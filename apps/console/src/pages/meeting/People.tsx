import { Badge, Text } from "@mantine/core";

interface PeopleProps {
  readonly participants: readonly { id: string; name: string; email: string | null }[];
  readonly attendees: readonly {
    name: string;
    email: string;
    responseStatus: string | null;
    organizer: boolean;
  }[];
}

const ANSWERS: Readonly<Record<string, string>> = {
  accepted: "Accepted",
  declined: "Declined",
  tentative: "Maybe",
  needsAction: "No answer",
};

/** Lists speakers and invited people. */
export const People = ({ participants, attendees }: PeopleProps) => (
  <>
    {participants.length === 0 && (
      <Text size="sm" c="dimmed">
        Nobody is recorded as a speaker.
      </Text>
    )}
    <ul className="people">
      {participants.map(({ id, name, email }) => (
        <li key={id}>
          {name}{" "}
          <Text span size="sm" c="dimmed">
            {email}
          </Text>
        </li>
      ))}
    </ul>
    {attendees.length > 0 && (
      <>
        <Text size="sm" fw={600}>
          Invited
        </Text>
        <ul className="people">
          {attendees.map(({ name, email, responseStatus, organizer }) => (
            <li key={email}>
              {name}{" "}
              <Text span size="sm" c="dimmed">
                {email}
              </Text>{" "}
              {responseStatus && <Badge color="gray">{ANSWERS[responseStatus] ?? responseStatus}</Badge>}{" "}
              {organizer && <Badge>Organizer</Badge>}
            </li>
          ))}
        </ul>
      </>
    )}
  </>
);
