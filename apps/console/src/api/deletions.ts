import { notifications } from "@mantine/notifications";
import { useSyncExternalStore } from "react";
import { notifyFailure, notifySuccess } from "../components/use-action";
import { meClient, queryClient } from "./clients";

/** IDs of the meetings that are about to be deleted, with the IDs of the notes that offer to undo it. */
let waiting: ReadonlyMap<string, string> = new Map();
const listeners = new Set<() => void>();

function set(next: ReadonlyMap<string, string>): void {
  waiting = next;
  for (const listener of listeners) listener();
}
const without = (ids: readonly string[]) => new Map([...waiting].filter(([id]) => !ids.includes(id)));

/** Returns the meetings that are about to be deleted, by ID. They are hidden already. */
export const useDeletions = () =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => waiting,
  );

type Meeting = Readonly<Record<"id" | "title", string>>;

/**
 * Deletes meetings when the note that offers to undo it closes: after ten seconds, or later if the pointer rests on it.
 * Leaving the page sends the deletion at once.
 */
export function deleteMeetings(meetings: readonly Meeting[]): void {
  const ids = meetings.map(({ id }) => id);
  const note = notifySuccess(
    ids.length === 1 ? `“${meetings[0]?.title}” deleted.` : `${ids.length} meetings deleted.`,
    () => set(without(ids)),
    () => void send(meetings),
  );
  set(new Map([...waiting, ...ids.map((id) => [id, note] as const)]));
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
  for (const note of waiting.values()) notifications.hide(note);
});
