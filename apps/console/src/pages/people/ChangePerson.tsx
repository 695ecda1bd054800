import { Button, Group, Select, Stack, Text, TextInput } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { me, meClient } from "../../api/clients";
import { useAction } from "../../components/use-action";
import { countMeetings } from "../../components/words";

export type PersonDetail = Awaited<ReturnType<typeof meClient.people.get.query>>;
const changes = [me.people.pathKey(), me.meetings.pathKey(), me.speakers.pathKey(), me.tasks.pathKey()];

interface PersonProps {
  readonly person: PersonDetail;
}

/** Renames a person and merges them with others, for admins. */
export const ChangePerson = ({ person }: PersonProps) => (
  <Stack gap="sm">
    <Rename person={person} />
    <Merge person={person} />
  </Stack>
);

function Rename({ person }: PersonProps) {
  const [name, setName] = useState(person.name);
  const rename = useAction(() => meClient.people.update.mutate({ personId: person.id, name }), {
    failure: "Could not rename the person",
    success: ({ meetings }) => `Renamed. ${countMeetings(meetings)} will be updated.`,
    changes,
  });
  return (
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
  );
}

/** Merges a person into another one, after showing what that changes. */
function Merge({ person }: PersonProps) {
  const navigate = useNavigate();
  const [sought, setSought] = useState("");
  const [wanted] = useDebouncedValue(sought.trim(), 200);
  const others = useQuery({
    ...me.people.list.queryOptions({ limit: 100, ...(wanted === "" ? {} : { name: wanted }) }),
    placeholderData: keepPreviousData,
  });
  const [intoId, setInto] = useState<string | null>(null);
  const merge = useAction(
    (input: { intoId: string; dryRun: boolean }) =>
      meClient.people.merge.mutate({ personId: person.id, ...input }),
    {
      failure: "Could not merge the people",
      changes,
      onSuccess: ({ personId }, { dryRun }) =>
        dryRun ? undefined : navigate({ to: "/people/$personId", params: { personId }, replace: true }),
    },
  );
  const preview = merge.input?.dryRun === true && merge.input.intoId === intoId ? merge.output : undefined;
  return (
    <>
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
          searchValue={sought}
          onSearchChange={setSought}
          filter={({ options }) => options}
          data={(others.data?.people ?? [])
            .filter(({ id, confirmed }) => confirmed && id !== person.id)
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
    </>
  );
}
