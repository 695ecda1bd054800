import { useState } from "react";
import { useAccount } from "../../api/account";
import type { meClient } from "../../api/clients";
import { findTextDraft, type TextField } from "./drafts";

export type Detail = Awaited<ReturnType<typeof meClient.meetings.get.query>>;
export type Editing = ReturnType<typeof useEditing>;

/** Keeps which part of a meeting its owner edits. Unsaved input reopens its editor. */
export function useEditing(meeting: Detail, own: boolean) {
  const { userId } = useAccount();
  const canEditSummary = own && !meeting.summaryLocked;
  const [edited, setEdited] = useState<TextField | "versions" | "rewrite" | null>(() =>
    own ? findTextDraft(userId, meeting.id, canEditSummary ? ["summary", "title"] : ["title"]) : null,
  );
  // An editor that comes back with unsaved input does not take the focus when the page opens.
  const [isReopened, setReopened] = useState(edited !== null);
  const edit = (part: typeof edited) => {
    setReopened(false);
    setEdited(part);
  };
  return { canEditSummary, edited, isReopened, edit };
}
