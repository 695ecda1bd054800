import { ApiError } from "@minutes/core";
import type { OperationsClient } from "../connect-operations.js";
import type { Outcome, Overrides } from "./outcome.js";
import { readMeetings } from "./read-file.js";
import { isExport, restoreFile } from "./restore-file.js";

/** What comes of each meeting of a file, one after another. Without `run` they are checked, and nothing is stored. */
export async function* importFile(
  run: OperationsClient["run"] | null,
  file: string,
  overrides: Overrides,
): AsyncGenerator<Outcome> {
  if (await isExport(file)) {
    if (overrides.owner === undefined && overrides.tags === undefined) yield* restoreFile(run, file);
    else yield { file, index: null, line: null, error: OWN_PEOPLE };
    return;
  }
  for (const meeting of await readMeetings(file, overrides)) {
    if ("error" in meeting) {
      yield meeting;
      continue;
    }
    if (meeting.unassigned) yield { file, unassigned: meeting.unassigned.map(({ line }) => line) };
    if (run === null) yield "valid";
    else {
      const { index, line, input } = meeting;
      yield await run("meetings.import", input).then(
        ({ created }): Outcome => (created ? "created" : "unchanged"),
        (error): Outcome => {
          if (!(error instanceof ApiError)) throw error;
          return { file, index, line, error: refusal(error) };
        },
      );
    }
  }
}

const OWN_PEOPLE = "an export has its own people and tags: leave out --owner and --tag.";

/** A refusal with the field that it is about. */
function refusal({ code, message }: ApiError): string {
  if (code === "NOT_FOUND") return `ownerEmail: ${message}`;
  if (code === "CONFLICT") return `externalId: ${message}`;
  return message;
}
