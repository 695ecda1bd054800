import { Button, ColorSwatch, Group, Pill, Stack, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { settings, settingsClient } from "../api/clients";
import { ConfirmButton } from "../components/actions";
import { DataRow, DataTable } from "../components/DataTable";
import { Query } from "../components/Query";
import { RemovablePill } from "../components/RemovablePill";
import { Empty, Page } from "../components/states";
import { useAction } from "../components/use-action";
import { useContractForm } from "../components/use-contract-form";

type Tag = Awaited<ReturnType<typeof settingsClient.tags.list.query>>["tags"][number];
const changes = [settings.tags.pathKey()];
const countMeetings = (count: number) => `${count} ${count === 1 ? "meeting" : "meetings"}`;

/** Lists the person's tags; shares them with members and deletes them. */
export function Tags() {
  const list = useQuery(settings.tags.list.queryOptions({}));
  return (
    <Page>
      <Query query={list}>
        {({ tags }) =>
          tags.length === 0 ? (
            <Empty title="You have no tags yet.">Open a meeting and add one.</Empty>
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
  const tagId = tag.id;
  const form = useContractForm({
    schema: (contract) => contract.ShareTag,
    initial: { email: "" },
    toInput: (values) => ({ tagId, ...values }),
    send: settingsClient.tags.share.mutate,
    draft: `tags/${tagId}/share`,
    failure: "Could not share the tag",
    success: (_, { email }) => `Shared ${countMeetings(tag.meetings)} with ${email}.`,
    undo: ({ email }) => settingsClient.tags.unshare.mutate({ tagId, email }),
    changes,
  });
  const unshare = useAction((email: string) => settingsClient.tags.unshare.mutate({ tagId, email }), {
    failure: "Could not stop sharing the tag",
    success: (_, email) => `No longer shared with ${email}.`,
    undo: (email) => settingsClient.tags.share.mutate({ tagId, email }),
    changes,
  });
  return (
    <DataRow>
      <Group gap="xs">
        <ColorSwatch color={tag.color} size={12} aria-hidden />
        {tag.name}
      </Group>
      <Link to="/meetings" search={{ tag: tag.name }}>
        {countMeetings(tag.meetings)}
      </Link>
      <Stack gap="xs">
        <Pill.Group>
          {tag.sharedWith.map((reader) => (
            <RemovablePill
              key={reader.userId}
              label={`Stop sharing with ${reader.name}`}
              onRemove={() => unshare.run(reader.email)}
            >
              {reader.name}
            </RemovablePill>
          ))}
        </Pill.Group>
        <form {...form.props}>
          <Group gap="xs" align="flex-start">
            <TextInput
              size="xs"
              inputMode="email"
              aria-label={`E-mail of a member to share ${tag.name} with`}
              placeholder="E-mail of a member"
              {...form.getInputProps("email")}
            />
            <Button size="xs" variant="default" type="submit" loading={form.isPending}>
              Share
            </Button>
          </Group>
        </form>
      </Stack>
      <ConfirmButton
        label="Delete"
        title={`Delete the tag “${tag.name}”?`}
        confirm="Delete"
        failure="Could not delete the tag"
        success="Tag deleted."
        changes={changes}
        act={() => settingsClient.tags.delete.mutate({ tagId })}
      >
        {countMeetings(tag.meetings)} {tag.meetings === 1 ? "loses" : "lose"} the tag. Members who can read
        them only through this tag lose access. No meeting is deleted.
      </ConfirmButton>
    </DataRow>
  );
}
