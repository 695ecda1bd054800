import type { ApiError } from "@minutes/core";
import type { Operator } from "../operator/client.js";
import { toRefusal } from "../operator/refusal.js";
import type { Outcome, Overrides } from "./outcome.js";
import { readMeetings } from "./read-file.js";
import { isExport, restoreFile } from "./restore-file.js";

/** Imports the meetings of a file one after another and yields what became of each. Without `operator` they are only checked. */
export async function* importFile(
  operator: Operator | null,
  file: string,
  overrides: Overrides,
): AsyncGenerator<Outcome> {
  if (await isExport(file)) {
    if (overrides.owner === undefined && overrides.tags === undefined) yield* restoreFile(operator, file);
    else yield { file, index: null, line: null, error: OWN_PEOPLE };
    return;
  }
  for (const meeting of await readMeetings(file, overrides)) {
    if ("error" in meeting) {
      yield meeting;
      continue;
    }
    if (meeting.unassigned) yield { file, unassigned: meeting.unassigned.map(({ line }) => line) };
    if (operator === null) yield "valid";
    else {
      const { index, line, input } = meeting;
      yield await operator.meetings.import.mutate(input).then(
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

const OWN_PEOPLE = "an export has its own people and tags: leave out --owner and --tag.";

/** Adds the name of the field that a refusal is about. */
function describe({ code, message }: ApiError): string {
  if (code === "NOT_FOUND") return `ownerEmail: ${message}`;
  if (code === "CONFLICT") return `externalId: ${message}`;
  return message;
}
