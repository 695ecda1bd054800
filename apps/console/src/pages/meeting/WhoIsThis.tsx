import { Button, Checkbox, Group, Select, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { me, meClient, queryClient } from "../../api/clients";
import { confirmEverywhere, refreshConfirmed, type Who } from "../../api/confirm-person";
import { notifyEdited, refreshEdited } from "../../api/edits";
import { Query } from "../../components/Query";
import { useAction } from "../../components/use-action";
import { countMeetings } from "../../components/words";
import { useWho, WhoFields } from "../people/who";

type Speakers = Awaited<ReturnType<typeof meClient.speakers.list.query>>;
type Edited = Awaited<ReturnType<typeof meClient.speakers.assign.mutate>>;

/** A speaker whose name is asked. */
export interface Asked {
  readonly label: string;
  /** True asks for the next speaker without a name after the answer. */
  readonly isOneOfAll: boolean;
}

interface QuestionProps {
  readonly meetingId: string;
  readonly asked: Asked;
  /** Asks for another speaker; null closes the dialog. */
  readonly ask: (asked: Asked | null) => void;
}

/** Asks who a speaker is or, one after another, who all are that have no name. */
export default function Question(props: QuestionProps) {
  const query = useQuery(me.speakers.list.queryOptions({ meetingId: props.meetingId }));
  return <Query query={query}>{(list) => <Form list={list} {...props} />}</Query>;
}

function Form({ list, meetingId, asked, ask }: QuestionProps & { readonly list: Speakers }) {
  const [isEverywhere, setEverywhere] = useState(false);
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => field.current?.focus(), []);
  const { label } = asked;
  const speaker = list.speakers.find(({ speakerLabel }) => speakerLabel === label);
  const isUnconfirmed = speaker !== undefined && !speaker.named && speaker.email === null;
  const { assign, merge, assignAll, isAnswering } = useAnswers(list, { meetingId, asked, ask });
  const person = useQuery(
    me.people.get.queryOptions(
      { personId: speaker?.personId ?? "" },
      // Once somebody says who they are, the unconfirmed person is gone.
      { enabled: isUnconfirmed && !isAnswering, trpc: { abortOnUnmount: true } },
    ),
  );
  /** Number of the user's other meetings in which nobody has said who this name is. */
  const others = isUnconfirmed ? Math.max(0, (person.data?.confirmable ?? 0) - 1) : 0;
  const form = useWho(list.suggestions, isUnconfirmed ? speaker.name : "");
  const save = (who: Who) => (isEverywhere && others > 0 ? assignAll : assign).run(who);
  if (!speaker) return <Text size="sm">This speaker is no longer in the meeting.</Text>;
  const fellows = list.speakers.filter(({ speakerLabel }) => speakerLabel !== label);
  const typed = form.name.trim();
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (form.who) save(form.who);
      }}
    >
      <Stack gap="sm">
        <Text size="sm" role="status">
          <strong>{speaker.name}</strong>, {speaker.turns} {speaker.turns === 1 ? "turn" : "turns"}
        </Text>
        <WhoFields form={form} field={field} choose={others > 0 ? undefined : save} />
        {others > 0 && (
          <Checkbox
            label={`Also in the other ${countMeetings(others)} where “${speaker.name}” speaks`}
            checked={isEverywhere}
            onChange={(event) => setEverywhere(event.currentTarget.checked)}
          />
        )}
        <Group justify="flex-end">
          {speaker.email === null && !speaker.named ? null : (
            <Button
              variant="default"
              disabled={typed === ""}
              onClick={() => assign.run({ personId: speaker.personId, name: typed })}
            >
              Only rename here
            </Button>
          )}
          <Button type="submit" loading={isAnswering} disabled={form.who === null}>
            Save
          </Button>
        </Group>
        {fellows.length > 0 && (
          <Select
            label="Or the same person as"
            placeholder="Merge with another speaker"
            data={fellows.map(({ speakerLabel, name }) => ({ value: speakerLabel, label: name }))}
            onChange={(intoLabel) => intoLabel !== null && merge.run(intoLabel)}
            disabled={merge.isPending}
          />
        )}
      </Stack>
    </form>
  );
}

/** Names the speaker or merges them with another one, then goes on or closes the dialog. */
function useAnswers(list: Speakers, { meetingId, asked: { label, isOneOfAll }, ask }: QuestionProps) {
  const baseVersion = list.version;
  const personId = list.speakers.find(({ speakerLabel }) => speakerLabel === label)?.personId ?? "";
  const next = list.speakers.find((one) => !one.named && one.email === null && one.speakerLabel !== label);
  const goOn = () => ask(isOneOfAll && next ? { label: next.speakerLabel, isOneOfAll } : null);
  /** Reads the list again before the next question, whose answer is based on the new version. */
  const finish = async (edited: Edited, then: () => void) => {
    const count = edited.formerNameInSummary;
    const times = count === 1 ? "once" : `${count} times`;
    const note = count === 0 ? "" : ` The summary says “${edited.formerName}” ${times}.`;
    notifyEdited(`Speaker changed.${note}`, edited);
    await refreshEdited();
    then();
  };
  const assign = useAction(
    async (who: Who) => {
      await queryClient.cancelQueries({ queryKey: me.people.get.queryKey({ personId }) });
      return meClient.speakers.assign.mutate({ meetingId, speakerLabel: label, baseVersion, ...who });
    },
    {
      failure: "Could not name the speaker",
      onSuccess: (edited) => finish(edited, goOn),
    },
  );
  const merge = useAction(
    (intoLabel: string) =>
      meClient.speakers.merge.mutate({ meetingId, speakerLabel: label, intoLabel, baseVersion }),
    {
      failure: "Could not merge the speakers",
      onSuccess: (edited) => finish(edited, () => ask(null)),
    },
  );
  const assignAll = useAction((who: Who) => confirmEverywhere(personId, who), {
    failure: "Could not name the speaker in all meetings",
    onSuccess: async () => {
      await refreshConfirmed();
      goOn();
    },
  });
  return { assign, merge, assignAll, isAnswering: assign.isPending || assignAll.isPending };
}
