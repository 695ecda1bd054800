import { Button, Stack } from "@mantine/core";
import { useState } from "react";
import { settingsClient } from "../../api/clients";
import { TAGGED } from "../../api/edits";
import { fetchTagReaders, SharedTagQuestion } from "../../components/SharedTagQuestion";
import { TagField } from "../../components/TagField";
import { useAction } from "../../components/use-action";
import { useContractForm } from "../../components/use-contract-form";
import { applyToEach, nameMeetings, type SelectedProps } from "./apply-to-each";

/** Adds a tag to the selected meetings. Asks before a shared tag shares them. */
export function TagSelected({ meetings, onDone }: SelectedProps) {
  /** A shared tag that is added once the owner confirms. */
  const [asked, setAsked] = useState<{ name: string; readers: readonly string[] } | null>(null);
  const form = useContractForm({
    schema: (contract) => contract.TagMeeting,
    initial: { name: "" },
    toInput: ({ name }) => ({ meetingId: meetings[0]?.id ?? "", name }),
    send: ({ name }) =>
      applyToEach(meetings, (meetingId) => settingsClient.meetings.tag.mutate({ meetingId, name })),
    failure: "Could not tag the meetings",
    changes: TAGGED,
    onSuccess: onDone,
  });
  const check = useAction(
    async ({ name }: { name: string }) => ({ name, readers: await fetchTagReaders(name) }),
    {
      failure: "Could not tag the meetings",
      onSuccess: (found) => (found.readers.length > 0 ? setAsked(found) : form.send({ name: found.name })),
    },
  );
  if (asked)
    return (
      <SharedTagQuestion
        readers={asked.readers}
        what={nameMeetings(meetings.length)}
        isPending={form.isPending}
        onCancel={() => setAsked(null)}
        onConfirm={() => form.send({ name: asked.name })}
      />
    );
  return (
    <form {...form.props} onSubmit={form.onSubmit(check.run)}>
      <Stack>
        <TagField label="Tag" data-autofocus {...form.getInputProps("name")} />
        <Button type="submit" loading={check.isPending || form.isPending}>
          Tag
        </Button>
      </Stack>
    </form>
  );
}
