import { Button, ColorSwatch, Group, Pill, Stack, Text, TextInput } from "@mantine/core";
import { useMutation, useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { queryClient, settings, settingsClient } from "../api/clients";
import { useDraft } from "../api/drafts";
import { ConfirmButton, tell, tellFailure } from "../components/actions";
import { DataRow, DataTable } from "../components/DataTable";
import { Query } from "../components/Query";
import { RemovablePill } from "../components/RemovablePill";
import { Empty, Page } from "../components/states";

type Tag = Awaited<ReturnType<typeof settingsClient.tags.list.query>>["tags"][number];
const refresh = () => queryClient.invalidateQueries({ queryKey: settings.tags.pathKey() });

/** Lists the person's tags; shares them with members and deletes them. */
export function Tags() {
  const list = useQuery(settings.tags.list.queryOptions({}));
  return (
    <Page title="Tags">
      <Query query={list}>
        {({ tags }) =>
          tags.length === 0 ? (
            <Empty title="You have no tags.">Add a tag to a meeting on the meeting's page.</Empty>
          ) : (
            <DataTable columns={["Tag", "Meetings", "Shared with", "Actions"]}>
              {tags.map((tag) => (
                <TagRow key={tag.id} tag={tag} />
              ))}
            </DataTable>
          )
        }
      </Query>
    </Page>
  );
}

function TagRow({ tag }: { tag: Tag }) {
  const { fields, change, discard } = useDraft(`tags/${tag.id}/share`, { email: "" });
  const options = { onSuccess: refresh, onError: tellFailure };
  const share = useMutation(settings.tags.share.mutationOptions(options));
  const unshare = useMutation(settings.tags.unshare.mutationOptions(options));
  const remove = async () => {
    await settingsClient.tags.delete.mutate({ tagId: tag.id });
    await refresh();
    tell("The tag is deleted.");
  };
  return (
    <DataRow>
      <Group gap="xs">
        <ColorSwatch color={tag.color} size={12} aria-hidden />
        {tag.name}
      </Group>
      <Link to="/meetings" search={{ tag: tag.name }}>
        {tag.meetings}
      </Link>
      <Stack gap="xs">
        <Pill.Group>
          {tag.sharedWith.map(({ userId, name, email }) => (
            <RemovablePill
              key={userId}
              label={`Stop sharing with ${name}`}
              onRemove={() => unshare.mutate({ tagId: tag.id, email })}
            >
              {name}
            </RemovablePill>
          ))}
        </Pill.Group>
        <form
          onSubmit={(event) => {
            event.preventDefault();
            share.mutate({ tagId: tag.id, ...fields });
            discard();
          }}
        >
          <Group gap="xs">
            <TextInput
              size="xs"
              type="email"
              aria-label={`E-mail of a member to share ${tag.name} with`}
              placeholder="E-mail of a member"
              value={fields.email}
              onChange={(event) => change({ email: event.currentTarget.value })}
              required
            />
            <Button size="xs" variant="default" type="submit">
              Share
            </Button>
          </Group>
        </form>
      </Stack>
      <ConfirmButton
        label="Delete"
        title={`Delete the tag “${tag.name}”?`}
        confirm="Delete"
        onConfirm={remove}
      >
        <Text size="sm">
          {tag.meetings} {tag.meetings === 1 ? "meeting loses" : "meetings lose"} the tag. Members who see
          them only through this tag see them no longer. The meetings stay.
        </Text>
      </ConfirmButton>
    </DataRow>
  );
}
