import { notifications } from "@mantine/notifications";
import { useSyncExternalStore } from "react";
import { notifyFailure, notifySuccess } from "../components/use-action";
import { meClient, queryClient } from "./clients";

/** How long a deletion can be undone before it is sent, in ms. */
const UNDO_TIME = 10_000;

interface Deletion {
  readonly meeting: Meeting;
  readonly timer: ReturnType<typeof setTimeout>;
  readonly note: string;
}

/** Meetings that are about to be deleted, by ID. They are hidden already. */
let waiting: ReadonlyMap<string, Deletion> = new Map();
const listeners = new Set<() => void>();

function set(next: ReadonlyMap<string, Deletion>): void {
  waiting = next;
  for (const listener of listeners) listener();
}
const without = (ids: readonly string[]) => new Map([...waiting].filter(([id]) => !ids.includes(id)));

/** Returns the IDs of the meetings that are about to be deleted. */
export const useDeletions = () =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => waiting,
  );

type Meeting = Readonly<Record<"id" | "title", string>>;

/** Deletes meetings in ten seconds, unless that is undone. Leaving the page sends the deletion at once. */
export function deleteMeetings(meetings: readonly Meeting[]): void {
  const ids = meetings.map(({ id }) => id);
  const note = notifySuccess(
    ids.length === 1 ? `“${meetings[0]?.title}” deleted.` : `${ids.length} meetings deleted.`,
    () => {
      clearTimeout(timer);
      set(without(ids));
    },
    UNDO_TIME,
  );
  const timer = setTimeout(() => void send(meetings), UNDO_TIME);
  set(new Map([...waiting, ...meetings.map((meeting) => [meeting.id, { meeting, timer, note }] as const)]));
}

/** Sends the deletions, and reports each meeting that could not be deleted. */
async function send(meetings: readonly Meeting[]): Promise<void> {
  await Promise.all(
    meetings.map(({ id, title }) =>
      meClient.meetings.delete
        .mutate({ meetingId: id })
        .catch((error: unknown) => notifyFailure(`Could not delete “${title}”`, error)),
    ),
  );
  await queryClient.invalidateQueries();
  set(without(meetings.map(({ id }) => id)));
}

window.addEventListener("pagehide", () => {
  const meetings = [...waiting.values()].map(({ meeting }) => meeting);
  for (const { timer, note } of waiting.values()) {
    clearTimeout(timer);
    notifications.hide(note);
  }
  if (meetings.length > 0) void send(meetings);
});
