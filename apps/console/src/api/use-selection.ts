import type { MeetingOverview } from "@minutes/contract";
import { useState } from "react";

/** Meetings selected for an action on several. */
export interface Selection {
  /** In the order of selection. Kept when their page of the list is dropped. */
  readonly meetings: readonly MeetingOverview[];
  has(meetingId: string): boolean;
  toggle(meeting: MeetingOverview): void;
  clear(): void;
}

/** Keeps the selected meetings themselves, because the list keeps only the pages around the visible rows. */
export function useSelection(): Selection {
  const [selected, setSelected] = useState<ReadonlyMap<string, MeetingOverview>>(new Map());
  return {
    meetings: [...selected.values()],
    has: (meetingId) => selected.has(meetingId),
    toggle: (meeting) =>
      setSelected((before) => {
        const next = new Map(before);
        if (!next.delete(meeting.id)) next.set(meeting.id, meeting);
        return next;
      }),
    clear: () => setSelected(new Map()),
  };
}
