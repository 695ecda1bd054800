import { ActionIcon, Button, Menu } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconDots, IconDownload } from "@tabler/icons-react";
import { useNavigate } from "@tanstack/react-router";
import { deleteMeetings } from "../../api/deletions";
import { MEETING_EXPORTERS } from "../../api/meeting-files";
import { ConfirmDialog, Copy } from "../../components/actions";
import { notifyFailure, notifySuccess, useAction } from "../../components/use-action";
import { Sharing } from "./Sharing";

interface ActionsProps {
  readonly meeting: { readonly id: string; readonly title: string };
  readonly own: boolean;
  /** Puts all but Share into one menu. */
  readonly compact: boolean;
  readonly print: () => void;
}

/** Copies a link, exports, deletes and shares a meeting. */
export function MeetingActions({ meeting, own, compact, print }: ActionsProps) {
  const [asking, { open: askToDelete, close }] = useDisclosure(false);
  const navigate = useNavigate();
  const link = `${location.origin}/meetings/${meeting.id}`;
  const save = useAction((format: keyof typeof MEETING_EXPORTERS) => MEETING_EXPORTERS[format](meeting.id), {
    failure: "Could not export the meeting",
  });
  const exports = (
    <>
      {(Object.keys(MEETING_EXPORTERS) as (keyof typeof MEETING_EXPORTERS)[]).map((format) => (
        <Menu.Item key={format} onClick={() => save.run(format)}>
          {compact ? `Export as ${format}` : format}
        </Menu.Item>
      ))}
      <Menu.Item onClick={print}>Print or save as PDF</Menu.Item>
    </>
  );
  return (
    <>
      {!compact && <Copy value={link} label="Copy link to this meeting" text="Copy link" />}
      {!compact && (
        <Menu position="bottom-end" shadow="md">
          <Menu.Target>
            <Button variant="default" leftSection={<IconDownload size={16} />} loading={save.isPending}>
              Export
            </Button>
          </Menu.Target>
          <Menu.Dropdown>{exports}</Menu.Dropdown>
        </Menu>
      )}
      {!compact && own && (
        <Button variant="default" onClick={askToDelete} aria-haspopup="dialog">
          Delete
        </Button>
      )}
      {own && <Sharing meetingId={meeting.id} />}
      {compact && (
        <Menu position="bottom-end" shadow="md">
          <Menu.Target>
            <ActionIcon variant="default" size={44} aria-label="More" loading={save.isPending}>
              <IconDots size={20} />
            </ActionIcon>
          </Menu.Target>
          <Menu.Dropdown>
            <Menu.Item onClick={() => void copyLink(link)}>Copy link</Menu.Item>
            {exports}
            {own && <Menu.Item onClick={askToDelete}>Delete</Menu.Item>}
          </Menu.Dropdown>
        </Menu>
      )}
      <ConfirmDialog
        opened={asking}
        close={close}
        title="Delete this meeting?"
        confirm="Delete"
        failure="Could not delete the meeting"
        act={async () => {
          await navigate({ to: "/meetings" });
          deleteMeetings([meeting]);
        }}
      >
        Its summary, transcript, tasks and search entries are deleted for everyone who can read it. You can
        undo this for ten seconds.
      </ConfirmDialog>
    </>
  );
}

const copyLink = (link: string) =>
  navigator.clipboard.writeText(link).then(
    () => notifySuccess("Link copied."),
    (error: unknown) => notifyFailure("Could not copy the link", error),
  );
