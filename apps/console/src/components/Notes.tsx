import { lazy, Suspense, useEffect, useState } from "react";
import { loadDialogs } from "./Dialog";

/** Milliseconds after which the libraries of notes and dialogs are loaded, so that they are here when the connection is not. */
const SPARE_TIME = 10_000;

const loadNotes = () => import("@mantine/notifications");

const Notifications = lazy(async () => ({ default: (await loadNotes()).Notifications }));

let wantNotes = () => {};

/** Where notes appear that tell what was done, or why it was not. */
export function Notes() {
  const [wanted, setWanted] = useState(false);
  useEffect(() => {
    wantNotes = () => setWanted(true);
    const timer = setTimeout(() => {
      wantNotes();
      void loadDialogs();
    }, SPARE_TIME);
    return () => clearTimeout(timer);
  }, []);
  return wanted ? (
    <Suspense>
      <Notifications position="bottom-right" />
    </Suspense>
  ) : null;
}

/** Shows a note for so many milliseconds. */
export async function showNote(note: { title?: string; message: string; color: string; autoClose: number }) {
  wantNotes();
  const { notifications } = await loadNotes();
  notifications.show({ ...note, closeButtonProps: { "aria-label": "Hide the note" } });
}
