import { Button, Group, Select, Stack, Textarea, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { me, meClient } from "../../api/clients";
import { EDITED, notifyEdited } from "../../api/edits";
import { Query } from "../../components/Query";
import { useAction } from "../../components/use-action";

interface EditTurnProps {
  readonly meetingId: string;
  readonly turn: { readonly index: number; readonly speakerLabel: string; readonly text: string };
  readonly close: () => void;
}

/** Value of the choice of a speaker who isn't in the meeting yet. */
const SOMEBODY = "";

/** Corrects what was said in a turn, or who said it. */
export default function EditTurn({ meetingId, turn, close }: EditTurnProps) {
  const query = useQuery(me.speakers.list.queryOptions({ meetingId }));
  const [text, setText] = useState(turn.text);
  const [label, setLabel] = useState(turn.speakerLabel);
  const [name, setName] = useState("");
  const save = useAction(
    async (baseVersion: number) => {
      const base = { meetingId, baseVersion };
      if (label === SOMEBODY)
        return meClient.speakers.split.mutate({
          ...{ ...base, speakerLabel: turn.speakerLabel, turns: [turn.index], name },
        });
      return meClient.meetings.updateTurn.mutate({
        ...{ ...base, turn: turn.index, speakerLabel: label, spokenText: text },
      });
    },
    {
      failure: "Could not correct the turn",
      changes: EDITED,
      onSuccess: (edited) => {
        notifyEdited("Turn corrected.", edited);
        close();
      },
    },
  );
  return (
    <Query query={query}>
      {({ speakers, version }) => (
        <form
          onSubmit={(event) => {
            event.preventDefault();
            save.run(version);
          }}
        >
          <Stack gap="sm">
            <Select
              label="Speaker"
              allowDeselect={false}
              value={label}
              onChange={(value) => setLabel(value ?? SOMEBODY)}
              data={[
                ...speakers.map((one) => ({ value: one.speakerLabel, label: one.name })),
                { value: SOMEBODY, label: "Someone else" },
              ]}
            />
            {label === SOMEBODY ? (
              <TextInput label="Name" value={name} onChange={(event) => setName(event.currentTarget.value)} />
            ) : (
              <Textarea
                label="What was said"
                data-autofocus
                autoFocus
                autosize
                minRows={3}
                maxRows={16}
                value={text}
                onChange={(event) => setText(event.currentTarget.value)}
              />
            )}
            <Group justify="flex-end">
              <Button variant="default" onClick={close}>
                Cancel
              </Button>
              <Button
                type="submit"
                loading={save.isPending}
                disabled={label === SOMEBODY && name.trim() === ""}
              >
                Save
              </Button>
            </Group>
          </Stack>
        </form>
      )}
    </Query>
  );
}
