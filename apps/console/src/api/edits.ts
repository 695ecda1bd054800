import { notifyFailure, notifySuccess } from "../components/use-action";
import { me, meClient, queryClient, settings } from "./clients";
import { getStatus } from "./transport";

/** Query keys to refetch after an edit of a meeting. */
export const EDITED = [me.meetings.pathKey(), me.speakers.pathKey(), me.tasks.pathKey()];

/** Query keys to refetch after a tag, or the tags of a meeting, changed. */
export const TAGGED = [
  me.meetings.pathKey(),
  me.tags.pathKey(),
  settings.tags.pathKey(),
  settings.shares.pathKey(),
];

/** Refetches the data that an edit changed. */
export const refreshEdited = () =>
  Promise.all(EDITED.map((queryKey) => queryClient.invalidateQueries({ queryKey })));

/** Fetches a meeting's current version, for an edit that sends only the changed fields. */
export const readVersion = async (meetingId: string): Promise<number> =>
  (await queryClient.fetchQuery({ ...me.speakers.list.queryOptions({ meetingId }), staleTime: 0 })).version;

/** Waits for an edit. If the meeting has changed since it was read, refetches it, so that the person sees the change. */
export async function refreshOnConflict<Edited>(edit: Promise<Edited>): Promise<Edited> {
  try {
    return await edit;
  } catch (error) {
    if (getStatus(error) === 409) await refreshEdited();
    throw error;
  }
}

/**
 * Says that a meeting was edited, and offers to undo it as long as nobody has edited it since.
 * @param before the version before the edit
 */
export function notifyEdited(
  message: string,
  { meetingId, version }: { meetingId: string; version: number },
  before = version - 1,
) {
  const undo = async () => {
    try {
      await meClient.meetings.restoreVersion.mutate({
        ...{ meetingId, version: before, baseVersion: version },
      });
      await refreshEdited();
    } catch (error) {
      notifyFailure("Could not undo", error);
    }
  };
  notifySuccess(message, () => void undo());
}
