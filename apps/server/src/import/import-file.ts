import type { Operator } from "../operator/client.js";
import { importMeetings } from "./import-meetings.js";
import type { ImportOptions, Outcome } from "./outcome.js";
import { readMeetings } from "./read-file.js";
import { isExportFile, restoreFile } from "./restore-file.js";

/** Imports the meetings of a file one after another and yields what became of each. Without `operator` they are only checked. */
export async function* importFile(
  operator: Operator | null,
  file: string,
  options: ImportOptions,
): AsyncGenerator<Outcome> {
  if (await isExportFile(file)) {
    if (options.owner === undefined && options.tags === undefined) yield* restoreFile(operator, file);
    else yield { file, index: null, line: null, error: OWN_PEOPLE };
    return;
  }
  const store =
    operator &&
    ((meeting: Parameters<Operator["meetings"]["import"]["mutate"]>[0]) =>
      operator.meetings.import.mutate(meeting));
  yield* importMeetings(file, await readMeetings(file, options), store);
}

const OWN_PEOPLE = "an export has its own people and tags: leave out --owner and --tag.";
