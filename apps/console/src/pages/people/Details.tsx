import { Button, Group, Select, Stack, Text, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { useAccount } from "../../api/account";
import { me, meClient } from "../../api/clients";
import { Query } from "../../components/Query";
import { formatClock, Timestamp } from "../../components/times";
import { useAction } from "../../components/use-action";

export type Person = Awaited<ReturnType<typeof meClient.people.list.query>>["people"][number];
const changes = [me.people.pathKey(), me.meetings.pathKey(), me.speakers.pathKey(), me.tasks.pathKey()];

interface DetailsProps {
  readonly person: Person;
  readonly others: readonly Person[];
  readonly close: () => void;
}

/** A person's latest meetings. Admins rename the person and merge others into them. */
export default function Details({ person, others, close }: DetailsProps) {
  const { role } = useAccount();
  const query = useQuery(me.people.get.queryOptions({ personId: person.id }));
  return (
    <Stack gap="md">
      <Query query={query}>
        {({ recentMeetings }) => (
          <ul className="readers" aria-label="Meetings">
            {recentMeetings.map(({ id, title, startTime, turns, talkSeconds }) => (
              <li key={id}>
                <Link to="/meetings/$meetingId" params={{ meetingId: id }}>
                  {title}
                </Link>
                <Text size="sm" c="dimmed">
                  <Timestamp at={startTime} size="sm" />, {turns} {turns === 1 ? "turn" : "turns"}
                  {talkSeconds !== null && `, ${formatClock(talkSeconds)}`}
                </Text>
              </li>
            ))}
          </ul>
        )}
      </Query>
      {role === "admin" && <Change person={person} others={others} close={close} />}
    </Stack>
  );
}

function Change({ person, others, close }: DetailsProps) {
  const [name, setName] = useState(person.name);
  const [intoId, setInto] = useState<string | null>(null);
  const rename = useAction(() => meClient.people.update.mutate({ personId: person.id, name }), {
    failure: "Could not rename the person",
    success: ({ meetings }) => `Renamed. ${countMeetings(meetings)} will be updated.`,
    changes,
    onSuccess: close,
  });
  const merge = useAction(
    (input: { intoId: string; dryRun: boolean }) =>
      meClient.people.merge.mutate({ personId: person.id, ...input }),
    {
      failure: "Could not merge the people",
      changes,
      onSuccess: (_, { dryRun }) => {
        if (!dryRun) close();
      },
    },
  );
  const preview = merge.input?.dryRun === true && merge.input.intoId === intoId ? merge.output : undefined;
  return (
    <Stack gap="sm">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          rename.run();
        }}
      >
        <Group align="flex-end" gap="xs">
          <TextInput
            label="Name"
            flex={1}
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
          />
          <Button type="submit" variant="default" loading={rename.isPending} disabled={name.trim() === ""}>
            Rename
          </Button>
        </Group>
      </form>
      <Group align="flex-end" gap="xs">
        <Select
          label="The same person as"
          flex={1}
          searchable
          value={intoId}
          onChange={(id) => {
            setInto(id);
            if (id !== null) merge.run({ intoId: id, dryRun: true });
          }}
          data={others
            .filter(({ id }) => id !== person.id)
            .map(({ id, name, emails }) => ({ value: id, label: [name, ...emails].join(", ") }))}
        />
        <Button
          disabled={preview === undefined}
          loading={merge.isPending}
          onClick={() => intoId !== null && merge.run({ intoId, dryRun: false })}
        >
          Merge
        </Button>
      </Group>
      {preview && (
        <Text size="sm" role="status">
          {countMeetings(preview.meetings)} and {preview.tasks} {preview.tasks === 1 ? "task" : "tasks"} of
          all members will be updated.
        </Text>
      )}
    </Stack>
  );
}

const countMeetings = (count: number) => `${count} ${count === 1 ? "meeting" : "meetings"}`;
