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

const refresh = () =>
  Promise.all(
    [me.people.pathKey(), ...EDITED].map((queryKey) => queryClient.invalidateQueries({ queryKey })),
  );

/**
 * Says who an unconfirmed person is in all meetings of the user, and offers to undo it. If a later call fails, the undo covers
 * what was done before.
 * @returns the ID of the confirmed person
 */
export async function confirmEverywhere(
  unconfirmedId: string,
  { personId: known, ...who }: Who,
): Promise<string> {
  const edits: Confirmed["meetings"] = [];
  let intoId = known;
  let nextId: string | null = unconfirmedId;
  try {
    while (nextId !== null) {
      const to = intoId === undefined || who.email !== undefined ? who : { intoId, ...who };
      const personId = nextId;
      const confirmed: Confirmed = await outwait(() => meClient.people.confirm.mutate({ personId, ...to }));
      edits.push(...confirmed.meetings);
      intoId = confirmed.personId;
      nextId = confirmed.nextId;
    }
  } finally {
    if (edits.length > 0)
      notifySuccess(`Confirmed in ${countMeetings(edits.length)}.`, () => void undoEach(edits));
    await refresh();
  }
  return intoId ?? unconfirmedId;
}

/** Restores the version before each edit. A meeting that somebody has edited since stays as it is. */
async function undoEach(edits: Confirmed["meetings"]): Promise<void> {
  const failures: unknown[] = [];
  for (const { meetingId, version } of edits)
    await outwait(() =>
      meClient.meetings.restoreVersion.mutate({ meetingId, version: version - 1, baseVersion: version }),
    ).catch((error: unknown) => failures.push(error));
  await refresh();
  if (failures.length > 0)
    notifyFailure(`Could not undo it in ${countMeetings(failures.length)}`, failures[0]);
}
