import { notifications } from "@mantine/notifications";
import { notifyFailure, notifySuccess } from "../components/use-action";
import { countMeetings } from "../components/words";
import { me, meClient, queryClient } from "./clients";
import { EDITED } from "./edits";
import { getRetryAfter, getStatus } from "./transport";

type Confirmed = Awaited<ReturnType<typeof meClient.people.confirm.mutate>>;

/** Who the speakers are: a person by ID, or one by name and, if known, address. */
export interface Who {
  readonly personId?: string;
  readonly name?: string;
  readonly email?: string;
}

/** Repeats a call that was rate-limited when the server takes it again. */
async function outwait<Output>(call: () => Promise<Output>): Promise<Output> {
  for (;;)
    try {
      return await call();
    } catch (error) {
      if (getStatus(error) !== 429) throw error;
      const seconds = Math.max(1, getRetryAfter(error));
      await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
    }
}

/** Query keys to refetch after people were confirmed. */
export const CONFIRMED = [me.people.pathKey(), ...EDITED];

/** Refetches them. */
export const refreshConfirmed = () =>
  Promise.all(CONFIRMED.map((queryKey) => queryClient.invalidateQueries({ queryKey })));

/**
 * Says who an unconfirmed person is in all meetings of the user, and offers to undo it. If a later call fails, the undo covers
 * what was done before. The caller refetches `CONFIRMED`, because the page of the unconfirmed person has to be left before.
 * @param onUndone called with the ID of the person who was confirmed, once they aren't any more
 * @returns that ID
 */
export async function confirmEverywhere(
  unconfirmedId: string,
  { personId: known, ...who }: Who,
  onUndone?: (confirmedId: string) => unknown,
): Promise<string> {
  const edits: Confirmed["meetings"] = [];
  let intoId = known;
  let nextId: string | null = unconfirmedId;
  const offerUndo = () => {
    const undo = async () => {
      await undoEach(edits);
      await onUndone?.(intoId ?? unconfirmedId);
      await refreshConfirmed();
    };
    if (edits.length > 0) notifySuccess(`Confirmed in ${countMeetings(edits.length)}.`, () => void undo());
  };
  try {
    while (nextId !== null) {
      const to = intoId === undefined || who.email !== undefined ? who : { intoId, ...who };
      const personId = nextId;
      const confirmed: Confirmed = await outwait(() => meClient.people.confirm.mutate({ personId, ...to }));
      edits.push(...confirmed.meetings);
      intoId = confirmed.personId;
      nextId = confirmed.nextId;
    }
  } catch (error) {
    await refreshConfirmed();
    throw error;
  } finally {
    offerUndo();
  }
  return intoId ?? unconfirmedId;
}

/**
 * Restores the version before each edit, the last one first, so that the speaker whose ID the person took has it again. A
 * meeting that somebody has edited since stays as it is. Says when it is done, and what failed.
 */
async function undoEach(edits: Confirmed["meetings"]): Promise<void> {
  const failures: unknown[] = [];
  const note = notifications.show({
    ...{ message: `Undoing in ${countMeetings(edits.length)}…`, loading: true },
    ...{ autoClose: false, withCloseButton: false },
  });
  for (const { meetingId, version } of edits.toReversed())
    await outwait(() =>
      meClient.meetings.restoreVersion.mutate({ meetingId, version: version - 1, baseVersion: version }),
    ).catch((error: unknown) => failures.push(error));
  notifications.hide(note);
  if (failures.length === 0) notifySuccess(`Undone in ${countMeetings(edits.length)}.`);
  else
    notifyFailure(`Could not undo it in ${failures.length} of ${countMeetings(edits.length)}`, failures[0]);
}
