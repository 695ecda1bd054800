import type { ApiError } from "@minutes/core";
import { toRefusal } from "../refusal.js";
import type { AssumedMeeting, CheckedMeeting, Failure, Outcome, StoredMeeting } from "./outcome.js";

/** Stores a meeting. @throws ApiError if it is refused */
export type StoreMeeting = (meeting: AssumedMeeting) => Promise<StoredMeeting>;

/** Stores the meetings of a file one by one and yields what was read and each result. Without `store` they are only validated. */
export async function* importMeetings(
  meetings: readonly (CheckedMeeting | Failure)[],
  store: StoreMeeting | null,
): AsyncGenerator<Outcome> {
  for (const meeting of meetings) {
    if ("error" in meeting) {
      yield meeting;
      continue;
    }
    const { file, index, line, input, assumed, reading, unassigned } = meeting;
    yield { file, index, line, reading };
    if (unassigned.length > 0) yield { file, unassigned };
    const describeNotStored = (fields: readonly string[]): Outcome[] =>
      fields.length > 0 ? [{ file, index, line, notStored: fields }] : [];
    if (store === null) yield* ["valid" as const, ...describeNotStored(meeting.notStored)];
    else {
      yield* await store({ ...input, assumed }).then(
        ({ created, replaced, notStored = [] }): Outcome[] => [
          created ? "created" : replaced ? "replaced" : "unchanged",
          ...describeNotStored([...meeting.notStored, ...notStored]),
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
