import type { MeetingImport } from "@minutes/contract";
import type { ApiError } from "@minutes/core";
import { toRefusal } from "../refusal.js";
import type { CheckedMeeting, Failure, Outcome, StoredMeeting } from "./outcome.js";

/** Stores a meeting. @throws ApiError if it is refused */
export type StoreMeeting = (meeting: MeetingImport) => Promise<StoredMeeting>;

/** Stores the meetings of a file one by one and yields each result. Without `store` they are only validated. */
export async function* importMeetings(
  file: string,
  meetings: readonly (CheckedMeeting | Failure)[],
  store: StoreMeeting | null,
): AsyncGenerator<Outcome> {
  for (const meeting of meetings) {
    if ("error" in meeting) {
      yield meeting;
      continue;
    }
    if (meeting.unassigned.length > 0) yield { file, unassigned: meeting.unassigned };
    if (store === null) yield "valid";
    else {
      const { index, line, input } = meeting;
      yield* await store(input).then(
        ({ created, replaced, notStored }): Outcome[] => [
          created ? "created" : replaced ? "replaced" : "unchanged",
          ...(notStored ? [{ file, index, line, notStored }] : []),
        ],
        (error): Outcome[] => {
          const refusal = toRefusal(error);
          if (!refusal) throw error;
          return [{ file, index, line, error: describe(refusal) }];
        },
      );
    }
  }
}

/** Adds the name of the field to a refusal. */
function describe({ code, message }: ApiError): string {
  if (code === "NOT_FOUND") return `ownerEmail: ${message}`;
  if (code === "CONFLICT") return `externalId: ${message}`;
  return message;
}
