import { Button, Group, Select, Stack, Textarea, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { me, meClient } from "../../api/clients";
import { EDITED, notifyEdited, refreshEdited, refreshOnConflict } from "../../api/edits";
import { DraftNote } from "../../components/DraftNote";
import { Query } from "../../components/Query";
import { useContractForm } from "../../components/use-contract-form";
import { toTurnDraft } from "./drafts";

interface EditTurnProps {
  readonly meetingId: string;
  readonly turn: { readonly index: number; readonly speakerLabel: string; readonly text: string };
  readonly close: () => void;
}

/** Value of the choice of a speaker who isn't in the meeting yet. */
const SOMEBODY = "";

/** Corrects what was said in a turn, or who said it. What was typed is kept until it is saved or canceled. */
export default function EditTurn(props: EditTurnProps) {
  const query = useQuery(me.speakers.list.queryOptions({ meetingId: props.meetingId }));
  return <Query query={query}>{(list) => <Form list={list} {...props} />}</Query>;
}

interface SomebodysTurn {
  readonly meetingId: string;
  readonly baseVersion: number;
  readonly speakerLabel: string;
  readonly turns: [number];
  readonly name: string;
  /** Absent if the text stays. */
  readonly spokenText?: string | undefined;
}

/** Gives a turn to a new speaker. Corrects its text first, so that a second try after a failure makes no second speaker. */
async function giveToSomebody({ spokenText, turns: [turn], ...input }: SomebodysTurn) {
  const { meetingId, baseVersion } = input;
  if (spokenText === undefined) return meClient.speakers.split.mutate({ ...input, turns: [turn] });
  const { version } = await meClient.meetings.updateTurn.mutate({
    ...{ meetingId, baseVersion, turn, spokenText },
  });
  try {
    return await meClient.speakers.split.mutate({ ...input, turns: [turn], baseVersion: version });
  } catch (error) {
    await refreshEdited();
    throw error;
  }
}

interface FormProps extends EditTurnProps {
  readonly list: Awaited<ReturnType<typeof meClient.speakers.list.query>>;
}

function Form({ list: { speakers, version }, meetingId, turn, close }: FormProps) {
  const { index, speakerLabel, text } = turn;
  // The turn before the edit tells whether it was changed since.
  const stored = `${speakerLabel}: ${text}`;
  const form = useContractForm({
    schema: ({ UpdateTurn, SplitSpeaker }) => UpdateTurn.or(SplitSpeaker.loose()),
    initial: { speakerLabel, spokenText: text, name: "", before: stored },
    toInput: (values) => {
      const base = { meetingId, baseVersion: version };
      return values.speakerLabel === SOMEBODY
        ? {
            ...{ ...base, speakerLabel, turns: [index] as [number], name: values.name },
            ...(values.spokenText === text ? {} : { spokenText: values.spokenText }),
          }
        : { ...base, turn: index, speakerLabel: values.speakerLabel, spokenText: values.spokenText };
    },
    send: async (input) => ({
      ...(await refreshOnConflict(
        "turns" in input ? giveToSomebody(input) : meClient.meetings.updateTurn.mutate(input),
      )),
      before: input.baseVersion,
    }),
    draft: toTurnDraft(meetingId, index),
    failure: "Could not correct the turn",
    changes: EDITED,
    onSuccess: (edited) => {
      notifyEdited("Turn corrected.", edited, edited.before);
      close();
    },
  });
  const isOutdated = form.values.before !== stored;
  const bySomebody = form.values.speakerLabel === SOMEBODY;
  return (
    <form {...form.props}>
      <Stack gap="sm">
        <DraftNote form={form} isOutdated={isOutdated} />
        <Select
          label="Speaker"
          allowDeselect={false}
          data={[
            ...speakers.map((one) => ({ value: one.speakerLabel, label: one.name })),
            { value: SOMEBODY, label: "Someone else" },
          ]}
          {...form.getInputProps("speakerLabel")}
        />
        {bySomebody && <TextInput label="Name" {...form.getInputProps("name")} />}
        <Textarea
          label="What was said"
          data-autofocus
          autoFocus
          autosize
          minRows={3}
          maxRows={16}
          {...form.getInputProps("spokenText")}
        />
        <Group justify="flex-end">
          <Button
            variant="default"
            onClick={() => {
              form.discard();
              close();
            }}
          >
            Cancel
          </Button>
          <Button
            type="submit"
            loading={form.isPending}
            disabled={bySomebody && form.values.name.trim() === ""}
          >
            {isOutdated ? "Replace" : "Save"}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
