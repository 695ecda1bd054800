import type { MeetingImport } from "@minutes/contract";
import type { ApiError } from "@minutes/core";
import { toRefusal } from "../operator/refusal.js";
import type { CheckedMeeting, Failure, Outcome } from "./outcome.js";

/** Stores a meeting. @returns whether it was new. @throws ApiError for one that is refused */
export type StoreMeeting = (meeting: MeetingImport) => Promise<{ readonly created: boolean }>;

/** Stores the meetings of a file one after another and yields what became of each. Without `store` they are only checked. */
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
    if (meeting.unassigned) yield { file, unassigned: meeting.unassigned.map(({ line }) => line) };
    if (store === null) yield "valid";
    else {
      const { index, line, input } = meeting;
      yield await store(input).then(
        ({ created }): Outcome => (created ? "created" : "unchanged"),
        (error): Outcome => {
          const refusal = toRefusal(error);
          if (!refusal) throw error;
          return { file, index, line, error: describe(refusal) };
        },
      );
    }
  }
}

/** Adds the name of the field that a refusal is about. */
function describe({ code, message }: ApiError): string {
  if (code === "NOT_FOUND") return `ownerEmail: ${message}`;
  if (code === "CONFLICT") return `externalId: ${message}`;
  return message;
}
