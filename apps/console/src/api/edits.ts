import { notifyFailure, notifySuccess } from "../components/use-action";
import { me, meClient, queryClient } from "./clients";

/** Query keys to refetch after an edit of a meeting. */
export const EDITED = [me.meetings.pathKey(), me.speakers.pathKey(), me.tasks.pathKey()];

/** Refetches the data that an edit changed. */
export const refreshEdited = () =>
  Promise.all(EDITED.map((queryKey) => queryClient.invalidateQueries({ queryKey })));

/** Says that a meeting was edited, and offers to undo it as long as nobody has edited it since. */
export function notifyEdited(
  message: string,
  { meetingId, version }: { meetingId: string; version: number },
) {
  const undo = async () => {
    try {
      await meClient.meetings.restoreVersion.mutate({
        ...{ meetingId, version: version - 1, baseVersion: version },
      });
      await refreshEdited();
    } catch (error) {
      notifyFailure("Could not undo", error);
    }
  };
  notifySuccess(message, () => void undo());
}
