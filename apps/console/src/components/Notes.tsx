import { lazy, Suspense } from "react";

/** Loads the notes' library beside the first page, which has none to show. */
const loadNotes = () => import("@mantine/notifications");

const Notifications = lazy(async () => ({ default: (await loadNotes()).Notifications }));

/** Where notes appear that tell what was done, or why it was not. */
export const Notes = () => (
  <Suspense>
    <Notifications position="bottom-right" />
  </Suspense>
);

/** Shows a note for so many milliseconds. */
export const showNote = async (note: { title?: string; message: string; color: string; autoClose: number }) =>
  void (await loadNotes()).notifications.show({
    ...note,
    closeButtonProps: { "aria-label": "Hide the note" },
  });
