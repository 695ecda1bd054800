import { ActionIcon, Button } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconDots, IconDownload } from "@tabler/icons-react";
import { useNavigate } from "@tanstack/react-router";
import { lazy } from "react";
import { loadWhenReachable } from "../../api/connection";
import { deleteMeetings } from "../../api/deletions";
import { copyForMail, MEETING_EXPORTERS } from "../../api/meeting-files";
import { ConfirmDialog, Copy } from "../../components/actions";
import { MenuOnDemand, type MenuOpener } from "../../components/MenuOnDemand";
import { notifyFailure, notifySuccess, useAction } from "../../components/use-action";
import { Sharing } from "./dialogs";

const loadMenu = () => import("./MeetingMenu");
const MeetingMenu = lazy(() => loadWhenReachable(loadMenu));

interface ActionsProps {
  readonly meeting: { readonly id: string; readonly title: string };
  readonly own: boolean;
  /** Puts all but Share into one menu. */
  readonly compact: boolean;
  /** Further entries of the menu. */
  readonly edits: readonly { readonly label: string; readonly act: () => void }[];
  readonly print: () => void;
}

/** Copies a link, exports, deletes and shares a meeting. */
export function MeetingActions({ meeting, own, compact, edits, print }: ActionsProps) {
  const [asking, { open: askToDelete, close }] = useDisclosure(false);
  const navigate = useNavigate();
  const link = `${location.origin}/meetings/${meeting.id}`;
  const save = useAction((format: keyof typeof MEETING_EXPORTERS) => MEETING_EXPORTERS[format](meeting.id), {
    failure: "Could not export the meeting",
  });
  const copy = useAction(() => copyForMail(meeting.id), {
    success: "Summary and tasks copied.",
    failure: "Could not copy the meeting",
  });
  const entries = [
    ...edits,
    ...(compact ? [{ label: "Copy link", act: () => void copyLink(link) }] : []),
    ...(Object.keys(MEETING_EXPORTERS) as (keyof typeof MEETING_EXPORTERS)[]).map((format) => ({
      label: compact ? `Export as ${format}` : format,
      act: () => save.run(format),
    })),
    { label: "Print or save as PDF", act: print },
    { label: "Copy for e-mail", act: () => copy.run() },
    ...(compact && own ? [{ label: "Delete", act: askToDelete }] : []),
  ];
  const target = { compact, loading: save.isPending } as const;
  const menu = (
    <MenuOnDemand load={loadMenu} button={(opener) => <MenuTarget {...target} {...opener} />}>
      <MeetingMenu target={<MenuTarget {...target} />} entries={entries} />
    </MenuOnDemand>
  );
  return (
    <>
      {!compact && (
        <Copy value={link} label="Copy link to this meeting" text="Copy link" onCopied={sayWhoCanOpen} />
      )}
      {!compact && menu}
      {!compact && own && (
        <Button variant="default" onClick={askToDelete} aria-haspopup="dialog">
          Delete
        </Button>
      )}
      {own && <Sharing meetingId={meeting.id} />}
      {compact && menu}
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

/** The button of the menu. */
const MenuTarget = ({
  compact,
  loading,
  ...props
}: MenuOpener & {
  readonly compact: boolean;
  readonly loading: boolean;
}) =>
  compact ? (
    <ActionIcon variant="default" size={44} aria-label="More" loading={loading} {...props}>
      <IconDots size={20} />
    </ActionIcon>
  ) : (
    <Button variant="default" leftSection={<IconDownload size={16} />} loading={loading} {...props}>
      Export
    </Button>
  );

/** A link gives nobody access: says who has it. */
const sayWhoCanOpen = () =>
  void notifySuccess("Link copied. Only its owner and the people it is shared with can open it.");

const copyLink = (link: string) =>
  navigator.clipboard
    .writeText(link)
    .then(sayWhoCanOpen, (error: unknown) => notifyFailure("Could not copy the link", error));
