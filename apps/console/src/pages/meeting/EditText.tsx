import { Button, Group, Stack, Textarea, TextInput } from "@mantine/core";
import { meClient } from "../../api/clients";
import { EDITED, notifyEdited, refreshOnConflict } from "../../api/edits";
import { DraftNote } from "../../components/DraftNote";
import { useContractForm } from "../../components/use-contract-form";
import { type TextField, toTextDraft } from "./drafts";

interface EditTextProps {
  readonly meeting: {
    readonly id: string;
    readonly version: number;
    readonly title: string;
    readonly summary: { readonly markdown: string };
  };
  readonly field: TextField;
  /** False if the page opened it with unsaved input. */
  readonly autoFocus: boolean;
  readonly close: () => void;
}

/** Edits a meeting's title or summary in place. Escape closes it and keeps what was typed; Cancel discards that. */
export default function EditText({ meeting, field, autoFocus, close }: EditTextProps) {
  const stored = field === "title" ? meeting.title : meeting.summary.markdown;
  const form = useContractForm({
    schema: ({ UpdateMeeting }) => UpdateMeeting,
    // The text before the edit tells whether it was changed since.
    initial: { [field]: stored, before: stored },
    toInput: ({ [field]: text = "" }) => ({
      ...{ meetingId: meeting.id, baseVersion: meeting.version },
      ...(field === "title" ? { title: text } : { summary: text.trim() === "" ? null : { markdown: text } }),
    }),
    send: (input) => refreshOnConflict(meClient.meetings.update.mutate(input)),
    draft: toTextDraft(meeting.id, field),
    failure: `Could not save the ${field}`,
    changes: EDITED,
    onSuccess: (edited) => {
      if (edited.version > meeting.version) notifyEdited(`The ${field} is saved.`, edited);
      close();
    },
  });
  const isOutdated = form.values.before !== stored;
  const input = { ...form.getInputProps(field), autoFocus };
  return (
    <form {...form.props} onKeyDown={(event) => event.key === "Escape" && !event.defaultPrevented && close()}>
      <Stack gap="xs">
        <DraftNote form={form} isOutdated={isOutdated} />
        {field === "title" ? (
          <TextInput aria-label="Title" {...input} />
        ) : (
          <Textarea aria-label="Summary in Markdown" autosize minRows={8} maxRows={24} {...input} />
        )}
        <Group gap="xs">
          <Button
            size="xs"
            type="submit"
            loading={form.isPending}
            disabled={field === "title" && form.values.title?.trim() === ""}
          >
            {isOutdated ? "Replace" : "Save"}
          </Button>
          <Button
            size="xs"
            variant="default"
            onClick={() => {
              form.discard();
              close();
            }}
          >
            Cancel
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
