import type { MeetingOverview } from "@minutes/contract";
import { getErrorMessage } from "../../api/transport";

interface Meeting {
  readonly id: string;
  readonly title: string;
}

/** Result of an action for one meeting. */
export interface Outcome extends Meeting {
  /** Null on success. */
  readonly error: string | null;
}

/** Props of a dialog that changes the selected meetings of the user. */
export interface SelectedProps {
  readonly meetings: readonly MeetingOverview[];
  readonly onDone: (outcomes: readonly Outcome[]) => void;
}

/** Runs an action for one meeting after another, and returns the result of each. */
export async function applyToEach(
  meetings: readonly Meeting[],
  act: (meetingId: string) => Promise<unknown>,
): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  for (const { id, title } of meetings)
    outcomes.push(
      await act(id).then(
        () => ({ id, title, error: null }),
        (error: unknown) => ({ id, title, error: getErrorMessage(error) }),
      ),
    );
  return outcomes;
}

/** Writes `this meeting` or `these 3 meetings`. */
export const nameMeetings = (count: number) => (count === 1 ? "this meeting" : `these ${count} meetings`);
