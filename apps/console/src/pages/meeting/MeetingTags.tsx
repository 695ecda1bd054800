import { Button, Group, Modal, Pill, Stack, Text, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { me, settings, settingsClient } from "../../api/clients";
import { TagName } from "../../components/MeetingFacts";
import { RemovablePill } from "../../components/RemovablePill";
import { useAction } from "../../components/use-action";
import { useContractForm } from "../../components/use-contract-form";

interface MeetingTagsProps {
  readonly meetingId: string;
  readonly tags: readonly { name: string; color: string }[];
  readonly own: boolean;
}

/** Shows a meeting's tags; its owner adds and removes them. Asks before a shared tag shares the meeting. */
export function MeetingTags({ meetingId, tags, own }: MeetingTagsProps) {
  const ownTags = useQuery(settings.tags.list.queryOptions({}, { enabled: own }));
  const findTag = (name: string) => ownTags.data?.tags.find((one) => one.name === name.trim());
  const [asked, setAsked] = useState<string | null>(null);
  const changes = [me.meetings.pathKey(), settings.tags.pathKey(), settings.shares.pathKey()];
  const form = useContractForm({
    schema: ({ SettingsInput }) => SettingsInput.meetingTag,
    initial: { name: "" },
    toInput: (values) => ({ meetingId, ...values }),
    send: settingsClient.meetings.tag.mutate,
    draft: `meetings/${meetingId}/tag`,
    failure: "Could not add the tag",
    changes,
    onSuccess: () => setAsked(null),
  });
  const untag = useAction((tagId: string) => settingsClient.meetings.untag.mutate({ meetingId, tagId }), {
    failure: "Could not remove the tag",
    success: "Tag removed.",
    undo: (tagId) =>
      settingsClient.meetings.tag.mutate({
        meetingId,
        name: ownTags.data?.tags.find(({ id }) => id === tagId)?.name ?? "",
      }),
    changes,
  });
  const readers = asked === null ? [] : (findTag(asked)?.sharedWith ?? []);
  return (
    <Group gap="xs" className="meeting-tags">
      <Pill.Group>
        {tags.map((one) => {
          const tagId = own ? findTag(one.name)?.id : undefined;
          return (
            <RemovablePill
              key={one.name}
              label={`Remove the tag ${one.name}`}
              onRemove={tagId === undefined ? undefined : () => untag.run(tagId)}
            >
              <TagName {...one} />
            </RemovablePill>
          );
        })}
      </Pill.Group>
      {own && (
        <form
          {...form.props}
          onSubmit={form.onSubmit((values) => {
            if ((findTag(values.name)?.sharedWith.length ?? 0) > 0) setAsked(values.name);
            else form.send(values);
          })}
        >
          <Group gap="xs">
            <TextInput
              size="xs"
              aria-label="New tag"
              placeholder="New tag"
              w={140}
              {...form.getInputProps("name")}
            />
            <Button size="xs" variant="default" type="submit" loading={form.isPending}>
              Add tag
            </Button>
          </Group>
        </form>
      )}
      <Modal opened={asked !== null} onClose={() => setAsked(null)} title={`Add the shared tag “${asked}”?`}>
        <Stack>
          <Text size="sm">
            {readers.map(({ name }) => name).join(", ")} will be able to read this meeting, because you share
            this tag with them.
          </Text>
          <Group justify="flex-end">
            <Button variant="default" onClick={() => setAsked(null)} data-autofocus>
              Cancel
            </Button>
            <Button loading={form.isPending} onClick={() => asked !== null && form.send({ name: asked })}>
              Add and share
            </Button>
          </Group>
        </Stack>
      </Modal>
    </Group>
  );
}
