import { Button, ColorSwatch, Group, Pill, TextInput } from "@mantine/core";
import { useMutation, useQuery } from "@tanstack/react-query";
import { me, queryClient, settings } from "../../api/clients";
import { useDraft } from "../../api/drafts";
import { tellFailure } from "../../components/actions";
import { RemovablePill } from "../../components/RemovablePill";

interface MeetingTagsProps {
  readonly meetingId: string;
  readonly tags: readonly { name: string; color: string }[];
  readonly own: boolean;
}

/** Shows a meeting's tags; its owner adds and removes them. */
export function MeetingTags({ meetingId, tags, own }: MeetingTagsProps) {
  const { fields, change, discard } = useDraft(`meetings/${meetingId}/tag`, { name: "" });
  const ownTags = useQuery(settings.tags.list.queryOptions({}, { enabled: own }));
  const options = {
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: me.meetings.pathKey() });
      await queryClient.invalidateQueries({ queryKey: settings.tags.pathKey() });
    },
    onError: tellFailure,
  };
  const tag = useMutation(settings.meetings.tag.mutationOptions(options));
  const untag = useMutation(settings.meetings.untag.mutationOptions(options));
  const getTagId = (tagName: string) => ownTags.data?.tags.find((one) => one.name === tagName)?.id;
  return (
    <Group gap="xs">
      <Pill.Group>
        {tags.map((one) => {
          const tagId = own ? getTagId(one.name) : undefined;
          return (
            <RemovablePill
              key={one.name}
              label={`Remove the tag ${one.name}`}
              onRemove={tagId === undefined ? undefined : () => untag.mutate({ meetingId, tagId })}
            >
              <Group gap={6} component="span" wrap="nowrap">
                <ColorSwatch color={one.color} size={10} component="span" aria-hidden />
                {one.name}
              </Group>
            </RemovablePill>
          );
        })}
      </Pill.Group>
      {own && (
        <form
          onSubmit={(event) => {
            event.preventDefault();
            tag.mutate({ meetingId, ...fields });
            discard();
          }}
        >
          <Group gap="xs">
            <TextInput
              size="xs"
              aria-label="New tag"
              placeholder="New tag"
              value={fields.name}
              onChange={(event) => change({ name: event.currentTarget.value })}
              required
              w={140}
            />
            <Button size="xs" variant="default" type="submit">
              Add tag
            </Button>
          </Group>
        </form>
      )}
    </Group>
  );
}
