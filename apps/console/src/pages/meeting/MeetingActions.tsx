import { ActionIcon } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconDots } from "@tabler/icons-react";
import { useNavigate } from "@tanstack/react-router";
import { lazy } from "react";
import { loadWhenReachable } from "../../api/connection";
import { deleteMeetings } from "../../api/deletions";
import { copyForMail, copyText, MEETING_EXPORTERS } from "../../api/meeting-files";
import { ConfirmDialog } from "../../components/actions";
import { MenuOnDemand, type MenuOpener } from "../../components/MenuOnDemand";
import { notifyFailure, notifySuccess, useAction } from "../../components/use-action";
import { Sharing } from "./dialogs";
import type { MenuEntry } from "./MeetingMenu";

const loadMenu = () => import("./MeetingMenu");
const MeetingMenu = lazy(() => loadWhenReachable(loadMenu));

interface ActionsProps {
  readonly meeting: { readonly id: string; readonly title: string };
  readonly own: boolean;
  /** Entries of the menu that edit the meeting. */
  readonly edits: readonly MenuEntry[];
  /** The entry that puts it on hold or releases it; null for those who can't. */
  readonly hold: MenuEntry | null;
  readonly print: () => void;
}

/** Shares a meeting; a menu has everything else that can be done with it. */
export function MeetingActions({ meeting, own, edits, hold, print }: ActionsProps) {
  const [asking, { open: askToDelete, close }] = useDisclosure(false);
  const navigate = useNavigate();
  const save = useAction((format: keyof typeof MEETING_EXPORTERS) => MEETING_EXPORTERS[format](meeting.id), {
    failure: "Could not export the meeting",
  });
  const copy = useAction(() => copyForMail(meeting.id), {
    success: "Summary and tasks copied.",
    failure: "Could not copy the meeting",
  });
  const groups = [
    edits,
    [
      { label: "Copy link", act: () => void copyLink(meeting.id) },
      { label: "Copy for e-mail", act: () => copy.run() },
    ],
    [
      ...(Object.keys(MEETING_EXPORTERS) as (keyof typeof MEETING_EXPORTERS)[]).map((format) => ({
        label: `Export as ${format}`,
        act: () => save.run(format),
      })),
      { label: "Print or save as PDF", act: print },
    ],
    [...(hold ? [hold] : []), ...(own ? [{ label: "Delete", act: askToDelete, opensDialog: true }] : [])],
  ].filter((entries) => entries.length > 0);
  return (
    <>
      {own && <Sharing meetingId={meeting.id} />}
      <MenuOnDemand load={loadMenu} button={(opener) => <MenuTarget loading={save.isPending} {...opener} />}>
        <MeetingMenu target={<MenuTarget loading={save.isPending} />} groups={groups} />
      </MenuOnDemand>
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

/** Copies a meeting's address. It gives nobody access, so the note says who has it. */
const copyLink = (meetingId: string) =>
  copyText(`${location.origin}/meetings/${meetingId}`).then(
    () => notifySuccess("Link copied. Only its owner and the people it is shared with can open it."),
    (error: unknown) => notifyFailure("Could not copy the link", error),
  );

/** The button of the menu. */
const MenuTarget = (props: MenuOpener & { readonly loading: boolean }) => (
  <ActionIcon variant="default" size={36} aria-label="More" {...props}>
    <IconDots size={20} />
  </ActionIcon>
);
