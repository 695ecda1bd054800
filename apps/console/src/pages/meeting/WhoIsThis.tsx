import { Autocomplete, Button, Group, Select, Stack, Text, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { me, meClient } from "../../api/clients";
import { notifyEdited, refreshEdited } from "../../api/edits";
import { Query } from "../../components/Query";
import { useAction } from "../../components/use-action";

type Speakers = Awaited<ReturnType<typeof meClient.speakers.list.query>>;
type Edited = Awaited<ReturnType<typeof meClient.speakers.assign.mutate>>;

interface QuestionProps {
  readonly meetingId: string;
  /** Label of the speaker. */
  readonly label: string;
  /** Asks for another speaker; null closes the dialog. */
  readonly show: (label: string | null) => void;
}

/** Asks who a speaker is. After an answer it asks for the next speaker without a name, so that all can be named at once. */
export default function Question(props: QuestionProps) {
  const query = useQuery(me.speakers.list.queryOptions({ meetingId: props.meetingId }));
  return <Query query={query}>{(list) => <Form list={list} {...props} />}</Query>;
}

const REASONS = { attendee: "Invited", series: "Earlier meetings", member: "Member" } as const;

/** Writes a suggestion so that it can't be confused with another one. */
const toOption = ({ name, email }: Speakers["suggestions"][number]) =>
  email === null ? name : `${name} (${email})`;

function Form({ list, meetingId, label, show }: QuestionProps & { readonly list: Speakers }) {
  const [name, setName] = useState("");
  const [email, setEmail] = useState("");
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => field.current?.focus(), []);
  const baseVersion = list.version;
  const speaker = list.speakers.find(({ speakerLabel }) => speakerLabel === label);
  const suggestions = new Map(list.suggestions.map((one) => [toOption(one), one]));
  const next = list.speakers.find((one) => !one.named && one.email === null && one.speakerLabel !== label);
  /** Reads the list again before the next question, whose answer is based on the new version. */
  const finish = async (edited: Edited, then: string | null) => {
    const count = edited.formerNameInSummary;
    const times = count === 1 ? "once" : `${count} times`;
    const note = count === 0 ? "" : ` The summary says “${edited.formerName}” ${times}.`;
    notifyEdited(`Speaker changed.${note}`, edited);
    await refreshEdited();
    show(then);
  };
  const assign = useAction(
    (who: { personId?: string; name?: string; email?: string }) =>
      meClient.speakers.assign.mutate({ meetingId, speakerLabel: label, baseVersion, ...who }),
    {
      failure: "Could not name the speaker",
      onSuccess: (edited) => finish(edited, next?.speakerLabel ?? null),
    },
  );
  const merge = useAction(
    (intoLabel: string) =>
      meClient.speakers.merge.mutate({ meetingId, speakerLabel: label, intoLabel, baseVersion }),
    {
      failure: "Could not merge the speakers",
      onSuccess: (edited) => finish(edited, null),
    },
  );
  const choose = (option: string) => {
    const found = suggestions.get(option);
    if (!found) return;
    const { personId, name, email } = found;
    assign.run(personId === null ? { name, ...(email === null ? {} : { email }) } : { personId });
  };
  if (!speaker) return <Text size="sm">This speaker is no longer in the meeting.</Text>;
  const others = list.speakers.filter(({ speakerLabel }) => speakerLabel !== label);
  const typed = { name: name.trim(), ...(email.trim() === "" ? {} : { email: email.trim() }) };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (typed.name !== "") assign.run(typed);
      }}
    >
      <Stack gap="sm">
        <Text size="sm" role="status">
          <strong>{speaker.name}</strong>, {speaker.turns} {speaker.turns === 1 ? "turn" : "turns"}
        </Text>
        <Autocomplete
          label="Name"
          ref={field}
          data-autofocus
          placeholder="Choose or type a name"
          value={name}
          onChange={setName}
          onOptionSubmit={choose}
          data={[...suggestions.keys()]}
          renderOption={({ option }) => (
            <span>
              {option.value}{" "}
              <Text span size="xs" c="dimmed">
                {REASONS[suggestions.get(option.value)?.reason ?? "member"]}
              </Text>
            </span>
          )}
          maxDropdownHeight={240}
        />
        <TextInput
          label="E-mail address"
          description="Optional. The same address is the same person in all meetings."
          type="email"
          value={email}
          onChange={(event) => setEmail(event.currentTarget.value)}
        />
        <Group justify="flex-end">
          {speaker.email === null && !speaker.named ? null : (
            <Button
              variant="default"
              disabled={typed.name === ""}
              onClick={() => assign.run({ personId: speaker.personId, name: typed.name })}
            >
              Only rename here
            </Button>
          )}
          <Button type="submit" loading={assign.isPending} disabled={typed.name === ""}>
            Save
          </Button>
        </Group>
        {others.length > 0 && (
          <Select
            label="Or the same person as"
            placeholder="Merge with another speaker"
            data={others.map(({ speakerLabel, name }) => ({ value: speakerLabel, label: name }))}
            onChange={(intoLabel) => intoLabel !== null && merge.run(intoLabel)}
            disabled={merge.isPending}
          />
        )}
      </Stack>
    </form>
  );
}
