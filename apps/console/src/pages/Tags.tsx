import { Button, ColorSwatch, Group, Stack, Text, TextInput } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { settings, settingsClient } from "../api/clients";
import { TAGGED } from "../api/edits";
import { ConfirmButton } from "../components/actions";
import { DataRow, DataTable } from "../components/DataTable";
import { Dialog } from "../components/Dialog";
import { Query } from "../components/Query";
import { ShareWith } from "../components/ShareWith";
import { Empty, Page } from "../components/states";
import { useContractForm } from "../components/use-contract-form";
import { countMeetings } from "../components/words";

type Tag = Awaited<ReturnType<typeof settingsClient.tags.list.query>>["tags"][number];

/** Lists the person's tags; shares them with members, renames and deletes them. */
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
      {tag.sharedWith.map(({ name }) => name).join(", ")}
      <Group gap="xs">
        <DialogButton label="Share" title={`Share the tag “${tag.name}”`} size="lg">
          {() => <Readers tag={tag} />}
        </DialogButton>
        <DialogButton label="Rename" title={`Rename the tag “${tag.name}”`}>
          {(close) => <Rename tag={tag} close={close} />}
        </DialogButton>
        <ConfirmButton
          label="Delete"
          title={`Delete the tag “${tag.name}”?`}
          confirm="Delete"
          failure="Could not delete the tag"
          success="Tag deleted."
          changes={TAGGED}
          act={() => settingsClient.tags.delete.mutate({ tagId: tag.id })}
        >
          {countMeetings(tag.meetings)} {tag.meetings === 1 ? "loses" : "lose"} the tag. Members who can read
          them only through this tag lose access. No meeting is deleted.
        </ConfirmButton>
      </Group>
    </DataRow>
  );
}

interface DialogButtonProps {
  readonly label: string;
  readonly title: string;
  readonly size?: "md" | "lg";
  readonly children: (close: () => void) => ReactNode;
}

/** A button of a row that opens a dialog. */
function DialogButton({ label, title, size = "md", children }: DialogButtonProps) {
  const [opened, { open, close }] = useDisclosure(false);
  return (
    <>
      <Button variant="default" size="xs" onClick={open} aria-haspopup="dialog">
        {label}
      </Button>
      <Dialog opened={opened} onClose={close} title={title} size={size}>
        {children(close)}
      </Dialog>
    </>
  );
}

/** Lists the members a tag is shared with, and shares it with others. */
const Readers = ({ tag: { id: tagId, sharedWith } }: { tag: Tag }) => (
  <Stack>
    <Text size="sm">Members you share a tag with can read your meetings that have it, now and later.</Text>
    <ShareWith
      what="tag"
      title="Who can read its meetings"
      readers={sharedWith.map((reader) => ({ ...reader, reason: "", direct: true }))}
      share={(email) => settingsClient.tags.share.mutate({ tagId, email })}
      unshare={(email) => settingsClient.tags.unshare.mutate({ tagId, email })}
      changes={TAGGED}
    />
  </Stack>
);

/** Renames a tag on all its meetings. */
function Rename({ tag: { id: tagId, name: before }, close }: { tag: Tag; close: () => void }) {
  const form = useContractForm({
    schema: ({ updateTag }) => updateTag.input,
    initial: { name: before, before },
    toInput: ({ name }) => ({ tagId, name }),
    send: settingsClient.tags.update.mutate,
    failure: "Could not rename the tag",
    success: "Tag renamed.",
    undo: (values) => settingsClient.tags.update.mutate({ tagId, name: values.before }),
    changes: TAGGED,
    onSuccess: close,
  });
  return (
    <form {...form.props}>
      <Stack>
        <TextInput
          label="Name"
          description="Webhooks and summary instructions for this tag keep its old name. Change it there, too."
          data-autofocus
          {...form.getInputProps("name")}
        />
        <Group justify="flex-end">
          <Button variant="default" onClick={close}>
            Cancel
          </Button>
          <Button type="submit" loading={form.isPending} disabled={form.values.name.trim() === ""}>
            Rename
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
