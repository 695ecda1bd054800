import { Button, ColorSwatch, Group, Pill, Stack } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { settings, settingsClient } from "../api/clients";
import { ConfirmButton } from "../components/actions";
import { DataRow, DataTable } from "../components/DataTable";
import { describeReaders, MemberField, shareWithEach, useReaders } from "../components/MemberField";
import { Query } from "../components/Query";
import { RemovablePill } from "../components/RemovablePill";
import { Empty, Page } from "../components/states";
import { useAction } from "../components/use-action";
import { useContractForm } from "../components/use-contract-form";
import { countMeetings } from "../components/words";

type Tag = Awaited<ReturnType<typeof settingsClient.tags.list.query>>["tags"][number];
const changes = [settings.tags.pathKey()];

/** Lists the person's tags; shares them with members and deletes them. */
export function Tags() {
  const list = useQuery(settings.tags.list.queryOptions({}));
  return (
    <Page>
      <Query query={list}>
        {({ tags }) =>
          tags.length === 0 ? (
            <Empty title="You have no tags yet.">Add one on the page of a meeting that you own.</Empty>
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
  return (
    <DataRow>
      <Group gap="xs">
        <ColorSwatch color={tag.color} size={12} aria-hidden />
        {tag.name}
      </Group>
      <Link to="/meetings" search={{ tag: tag.name }}>
        {countMeetings(tag.meetings)}
      </Link>
      <Readers tag={tag} />
      <ConfirmButton
        label="Delete"
        title={`Delete the tag “${tag.name}”?`}
        confirm="Delete"
        failure="Could not delete the tag"
        success="Tag deleted."
        changes={changes}
        act={() => settingsClient.tags.delete.mutate({ tagId: tag.id })}
      >
        {countMeetings(tag.meetings)} {tag.meetings === 1 ? "loses" : "lose"} the tag. Members who can read
        them only through this tag lose access. No meeting is deleted.
      </ConfirmButton>
    </DataRow>
  );
}

/** Lists the members a tag is shared with, and shares it with others. */
function Readers({ tag }: { tag: Tag }) {
  const tagId = tag.id;
  const { members, toEmails } = useReaders();
  const shareWith = (email: string) => settingsClient.tags.share.mutate({ tagId, email });
  const unshareWith = (email: string) => settingsClient.tags.unshare.mutate({ tagId, email });
  /** Leaves out those who have it, so that an undo doesn't take it from them. */
  const listNew = (chosen: string) => {
    const emails = toEmails(chosen);
    const added = emails.filter((email) => !tag.sharedWith.some((reader) => reader.email === email));
    return added.length === 0 ? emails.slice(0, 1) : added;
  };
  const form = useContractForm({
    schema: (contract) => contract.ShareTag.loose(),
    initial: { email: "" },
    toInput: ({ email }) => ({ tagId, email: toEmails(email)[0] ?? "", chosen: email }),
    send: ({ chosen }) => shareWithEach(listNew(chosen), shareWith),
    draft: `tags/${tagId}/share`,
    failure: "Could not share the tag",
    success: (_, { email }) =>
      `Shared ${countMeetings(tag.meetings)} with ${describeReaders(listNew(email))}.`,
    undo: ({ email }) => shareWithEach(listNew(email), unshareWith),
    changes,
  });
  const unshare = useAction(unshareWith, {
    failure: "Could not stop sharing the tag",
    success: (_, email) => `No longer shared with ${email}.`,
    undo: shareWith,
    changes,
  });
  return (
    <Stack gap="xs">
      <Pill.Group>
        {tag.sharedWith.map(({ userId, name, email }) => (
          <RemovablePill key={userId} label={`Stop sharing with ${name}`} onRemove={() => unshare.run(email)}>
            {name}
          </RemovablePill>
        ))}
      </Pill.Group>
      <form {...form.props}>
        <Group gap="xs" align="flex-start">
          <MemberField
            size="xs"
            aria-label={`E-mail of a member to share ${tag.name} with`}
            members={members}
            {...form.getInputProps("email")}
          />
          <Button size="xs" variant="default" type="submit" loading={form.isPending}>
            Share
          </Button>
        </Group>
      </form>
    </Stack>
  );
}
