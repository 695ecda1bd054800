import { Button, Group, Stack, Textarea, TextInput } from "@mantine/core";
import { useState } from "react";
import { meClient } from "../../api/clients";
import { EDITED, notifyEdited } from "../../api/edits";
import { useAction } from "../../components/use-action";

interface EditTextProps {
  readonly meeting: {
    readonly id: string;
    readonly version: number;
    readonly title: string;
    readonly summary: { readonly markdown: string };
  };
  readonly field: "title" | "summary";
  readonly close: () => void;
}

/** Edits a meeting's title or summary in place. */
export default function EditText({ meeting, field, close }: EditTextProps) {
  const [text, setText] = useState(field === "title" ? meeting.title : meeting.summary.markdown);
  const save = useAction(
    () =>
      meClient.meetings.update.mutate({
        ...{ meetingId: meeting.id, baseVersion: meeting.version },
        ...(field === "title"
          ? { title: text }
          : { summary: text.trim() === "" ? null : { markdown: text } }),
      }),
    {
      failure: `Could not save the ${field}`,
      changes: EDITED,
      onSuccess: (edited) => {
        if (edited.version > meeting.version) notifyEdited(`The ${field} is saved.`, edited);
        close();
      },
    },
  );
  const input = {
    value: text,
    onChange: (event: { currentTarget: { value: string } }) => setText(event.currentTarget.value),
    autoFocus: true,
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        save.run();
      }}
    >
      <Stack gap="xs">
        {field === "title" ? (
          <TextInput aria-label="Title" {...input} />
        ) : (
          <Textarea aria-label="Summary in Markdown" autosize minRows={8} maxRows={24} {...input} />
        )}
        <Group gap="xs">
          <Button
            size="xs"
            type="submit"
            loading={save.isPending}
            disabled={field === "title" && text.trim() === ""}
          >
            Save
          </Button>
          <Button size="xs" variant="default" onClick={close}>
            Cancel
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
