import { Badge, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { me } from "../../api/clients";
import { Query } from "../../components/Query";
import { formatClock } from "../../components/times";

interface PeopleProps {
  readonly meetingId: string;
  /** Asks who the speaker with a label is; absent for readers, who can't edit. */
  readonly name?: ((label: string) => void) | undefined;
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

/** Lists speakers with their turns and talk time, and invited people. */
export const People = ({ meetingId, name: ask, attendees }: PeopleProps) => (
  <>
    <Query query={useQuery(me.speakers.list.queryOptions({ meetingId }))}>
      {({ speakers }) =>
        speakers.length === 0 ? (
          <Text size="sm" c="dimmed">
            No speakers are known.
          </Text>
        ) : (
          <ul className="people" aria-label="Speakers">
            {speakers.map(({ speakerLabel, name, email, turns, talkSeconds }) => (
              <li key={speakerLabel}>
                {ask ? (
                  <button
                    type="button"
                    className="turn-speaker"
                    aria-haspopup="dialog"
                    title="Who is this?"
                    onClick={() => ask(speakerLabel)}
                  >
                    {name}
                  </button>
                ) : (
                  name
                )}{" "}
                <Text span size="sm" c="dimmed">
                  {email} {turns} {turns === 1 ? "turn" : "turns"}
                  {talkSeconds !== null && `, ${formatClock(talkSeconds)}`}
                </Text>
              </li>
            ))}
          </ul>
        )
      }
    </Query>
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
