import { notifications } from "@mantine/notifications";
import { useSyncExternalStore } from "react";
import { notifyFailure, notifySuccess } from "../components/use-action";
import { meClient, queryClient } from "./clients";

/** How long a deletion can be undone before it is sent, in ms. */
const UNDO_TIME = 10_000;

interface Deletion {
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

/** Deletes meetings in ten seconds, unless that is undone. Leaving the page sends the deletion at once. */
export function deleteMeetings(ids: readonly string[]): void {
  const note = notifySuccess(
    ids.length === 1 ? "Meeting deleted." : `${ids.length} meetings deleted.`,
    () => {
      clearTimeout(timer);
      set(without(ids));
    },
    UNDO_TIME,
  );
  const timer = setTimeout(() => void send(ids), UNDO_TIME);
  set(new Map([...waiting, ...ids.map((id) => [id, { timer, note }] as const)]));
}

async function send(ids: readonly string[]): Promise<void> {
  const results = await Promise.allSettled(
    ids.map((meetingId) => meClient.meetings.delete.mutate({ meetingId })),
  );
  const failures = results.flatMap((result) => (result.status === "rejected" ? [result.reason] : []));
  if (failures.length > 0)
    notifyFailure(
      failures.length === 1
        ? "Could not delete a meeting"
        : `Could not delete ${failures.length} of ${ids.length} meetings`,
      failures[0],
    );
  await queryClient.invalidateQueries();
  set(without(ids));
}

window.addEventListener("pagehide", () => {
  const ids = [...waiting.keys()];
  for (const { timer, note } of waiting.values()) {
    clearTimeout(timer);
    notifications.hide(note);
  }
  if (ids.length > 0) void send(ids);
});
