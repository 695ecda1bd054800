import { Badge, Button, Group, Stack, Text } from "@mantine/core";
import { useIsMutating, useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useParams, useRouter } from "@tanstack/react-router";
import { useAccount } from "../api/account";
import { me, settings } from "../api/clients";
import { CONFIRMED, confirmEverywhere, type Who } from "../api/confirm-person";
import { Query } from "../components/Query";
import { Page, Section } from "../components/states";
import { formatClock, MeetingStart } from "../components/times";
import { useAction } from "../components/use-action";
import { countMeetings } from "../components/words";
import { ChangePerson, type PersonDetail } from "./people/ChangePerson";
import { type Suggestion, useWho, WhoFields } from "./people/who";

const toConfirmKey = (personId: string) => ["confirm", personId];

/** A person's latest meetings. Unconfirmed ones are confirmed here; admins rename people and merge others into them. */
export function Person() {
  const { personId } = useParams({ from: "/signed-in/people/$personId" });
  // Their ID can vanish while they are confirmed, until the page shows the confirmed person.
  const isVanishing = useIsMutating({ mutationKey: toConfirmKey(personId) }) > 0;
  const query = useQuery(me.people.get.queryOptions({ personId }, { enabled: !isVanishing }));
  return (
    <Query query={query} title="Person">
      {(person) => <Details key={person.id} person={person} />}
    </Query>
  );
}

function Details({ person }: { person: PersonDetail }) {
  const { role } = useAccount();
  return (
    <Page title={person.name}>
      <Group gap="sm">
        {!person.confirmed && (
          <Badge color="gray" variant="outline">
            Unconfirmed
          </Badge>
        )}
        <Text size="sm" c="dimmed" className="wrap-anywhere">
          {[
            ...person.emails,
            countMeetings(person.meetings),
            `${person.openTasks} open ${person.openTasks === 1 ? "task" : "tasks"}`,
          ].join(" · ")}
        </Text>
      </Group>
      {!person.confirmed && (
        <Text size="sm">
          Known only by this name. These meetings are listed together because the name is the same; it can be
          several people.
        </Text>
      )}
      {person.confirmable > 0 && <WhoIsThis person={person} />}
      <Section title="Meetings">
        <ul className="readers" aria-label="Meetings">
          {person.recentMeetings.map(({ turns, talkSeconds, ...meeting }) => (
            <li key={meeting.id}>
              <Link to="/meetings/$meetingId" params={{ meetingId: meeting.id }}>
                {meeting.title}
              </Link>
              <Text size="sm" c="dimmed">
                <MeetingStart meeting={meeting} size="sm" />, {turns} {turns === 1 ? "turn" : "turns"}
                {talkSeconds !== null && `, ${formatClock(talkSeconds)}`}
              </Text>
            </li>
          ))}
        </ul>
      </Section>
      {role === "admin" && person.confirmed && (
        <Section title="Rename or merge">
          <ChangePerson person={person} />
        </Section>
      )}
    </Page>
  );
}

function WhoIsThis({ person }: { person: PersonDetail }) {
  const members = useQuery(settings.members.list.queryOptions({}));
  const people = useQuery(me.people.list.queryOptions({ limit: 100 }));
  if (members.isPending || people.isPending) return null;
  return (
    <Confirm
      person={person}
      suggestions={listSuggestions(members.data?.members ?? [], people.data?.people ?? [])}
    />
  );
}

interface Known {
  readonly id: string;
  readonly name: string;
  readonly emails: readonly string[];
  readonly confirmed: boolean;
}

/** Lists members, then confirmed people who are none. */
function listSuggestions(
  members: readonly { readonly name: string; readonly email: string }[],
  people: readonly Known[],
): Suggestion[] {
  const taken = new Set(members.map(({ email }) => email));
  const others = people.filter(
    ({ confirmed, emails }) => confirmed && !emails.some((email) => taken.has(email)),
  );
  return [
    ...members.map(({ name, email }) => ({ personId: null, name, email, reason: "member" as const })),
    ...others.map(({ id, name, emails }) => ({
      ...{ personId: id, name, email: emails[0] ?? null, reason: "person" as const },
    })),
  ];
}

function Confirm({ person, suggestions }: { person: PersonDetail; suggestions: readonly Suggestion[] }) {
  const form = useWho(suggestions, person.name);
  const navigate = useNavigate();
  const router = useRouter();
  const show = (personId: string) =>
    navigate({ to: "/people/$personId", params: { personId }, replace: true });
  /** Goes back to the unconfirmed person, unless the reader has left the page of the confirmed one. */
  const goBack = (confirmedId: string) =>
    router.state.location.pathname === `/people/${confirmedId}` && show(person.id);
  const confirm = useAction((who: Who) => confirmEverywhere(person.id, who, goBack), {
    failure: "Could not confirm the person",
    changes: CONFIRMED,
    key: toConfirmKey(person.id),
    onSuccess: show,
  });
  return (
    <Section title="Who is this?">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (form.who) confirm.run(form.who);
        }}
      >
        <Stack gap="sm" maw={420}>
          <WhoFields form={form} />
          <Button type="submit" loading={confirm.isPending} disabled={form.who === null}>
            Confirm in {countMeetings(person.confirmable)}
          </Button>
        </Stack>
      </form>
    </Section>
  );
}
