import { Button, Group, Pill } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { settings, settingsClient } from "../../api/clients";
import { TAGGED } from "../../api/edits";
import { Dialog } from "../../components/Dialog";
import { TagName } from "../../components/MeetingFacts";
import { RemovablePill } from "../../components/RemovablePill";
import { fetchTagReaders, SharedTagQuestion } from "../../components/SharedTagQuestion";
import { TagField } from "../../components/TagField";
import { useAction } from "../../components/use-action";
import { useContractForm } from "../../components/use-contract-form";

interface MeetingTagsProps {
  readonly meetingId: string;
  readonly tags: readonly { name: string; color: string }[];
  readonly own: boolean;
}

/** Shows a meeting's tags; its owner adds and removes them. */
export function MeetingTags({ meetingId, tags, own }: MeetingTagsProps) {
  const { findTag, asked, cancel, form, check, untag } = useTagging(meetingId, own);
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
        <form {...form.props} onSubmit={form.onSubmit(check.run)}>
          <Group gap="xs">
            <TagField
              size="xs"
              aria-label="New tag"
              placeholder="New tag"
              w={140}
              {...form.getInputProps("name")}
            />
            <Button size="xs" variant="default" type="submit" loading={check.isPending || form.isPending}>
              Add tag
            </Button>
          </Group>
        </form>
      )}
      <Dialog opened={asked !== null} onClose={cancel} title={`Add the shared tag “${asked?.name}”?`}>
        {asked && (
          <SharedTagQuestion
            readers={asked.readers}
            what="this meeting"
            isPending={form.isPending}
            onCancel={cancel}
            onConfirm={() => form.send({ name: asked.name })}
          />
        )}
      </Dialog>
    </Group>
  );
}

/** Adds and removes tags of the signed-in user's meeting. Asks before a shared tag shares the meeting. */
function useTagging(meetingId: string, own: boolean) {
  const ownTags = useQuery(settings.tags.list.queryOptions({}, { enabled: own }));
  const findTag = (name: string) => ownTags.data?.tags.find((one) => one.name === name.trim());
  /** A shared tag that is added once the owner confirms. */
  const [asked, setAsked] = useState<{ name: string; readers: readonly string[] } | null>(null);
  const form = useContractForm({
    schema: (contract) => contract.TagMeeting,
    initial: { name: "" },
    toInput: (values) => ({ meetingId, ...values }),
    send: settingsClient.meetings.tag.mutate,
    draft: `meetings/${meetingId}/tag`,
    failure: "Could not add the tag",
    changes: TAGGED,
    onSuccess: () => setAsked(null),
  });
  const check = useAction(
    async ({ name }: { name: string }) => ({ name, readers: await fetchTagReaders(name) }),
    {
      failure: "Could not add the tag",
      onSuccess: (found) => (found.readers.length > 0 ? setAsked(found) : form.send({ name: found.name })),
    },
  );
  const untag = useAction((tagId: string) => settingsClient.meetings.untag.mutate({ meetingId, tagId }), {
    failure: "Could not remove the tag",
    success: "Tag removed.",
    undo: (tagId) =>
      settingsClient.meetings.tag.mutate({
        meetingId,
        name: ownTags.data?.tags.find(({ id }) => id === tagId)?.name ?? "",
      }),
    changes: TAGGED,
  });
  return { findTag, asked, cancel: () => setAsked(null), form, check, untag };
}
