import { MESSAGES } from "@minutes/contract";
import type { ApiError } from "@minutes/core";
import { toRefusal } from "../refusal.js";
import type {
  AssumedMeeting,
  CheckedMeeting,
  ImportCheck,
  ImportOptions,
  ImportTarget,
  OtherStart,
  Outcome,
  ParsedPart,
  StoredMeeting,
} from "./outcome.js";

/** An `externalId` that `parseMeetings` derives from a file's content. */
const DERIVED_ID = /^file:[0-9a-f]{40}$/;

/** How to get a refused meeting stored nevertheless, such as an option; empty if the caller can't. */
export interface ImportHints {
  readonly replace: string;
  readonly restore: string;
}

/** Stores a meeting. @throws ApiError if it is refused */
export type StoreMeeting = (meeting: AssumedMeeting) => Promise<StoredMeeting>;

export const isCheck = (target: ImportTarget | ImportCheck | null): target is ImportCheck =>
  target !== null && "check" in target;

/** Creates what a dry run does instead of storing a meeting. */
export const createCheck =
  ({ check }: ImportCheck, { share }: Pick<ImportOptions, "share"> = {}): StoreMeeting =>
  async (meeting) => {
    const { stored, sharedWith, readers } = await check(meeting);
    return { created: false, valid: !stored, ...(share ? { sharedWith } : {}), readers };
  };

/**
 * Stores the meetings of a file one by one and yields what was read and each result. Without `store` they are only validated.
 */
export async function* importMeetings(
  parts: readonly ParsedPart[],
  store: StoreMeeting | null,
  hints: ImportHints = { replace: "", restore: "" },
): AsyncGenerator<Outcome> {
  for (const part of parts) {
    if ("error" in part || "skipped" in part) {
      yield part;
      continue;
    }
    const { file, index, line, input, assumed, reading, unassigned } = part;
    yield { file, index, line, reading };
    if (unassigned.length > 0) yield { file, unassigned };
    const describeNotStored = (fields: readonly string[]): Outcome[] =>
      fields.length > 0 ? [{ file, index, line, notStored: fields }] : [];
    if (store === null) yield* ["valid" as const, ...describeNotStored(part.notStored)];
    else {
      yield* await store({ ...input, assumed }).then(
        ({ created, replaced, waits, valid, notStored = [], sharedWith, readers, ...stored }): Outcome[] => [
          ...findOtherStart(part, stored),
          created ? (waits ? "waiting" : "created") : replaced ? "replaced" : valid ? "valid" : "unchanged",
          ...describeNotStored([...part.notStored, ...notStored]),
          ...(readers ? [{ ...(sharedWith ? { sharedWith } : {}), readers }] : []),
        ],
        (error): Outcome[] => {
          const refusal = toRefusal(error);
          if (!refusal) throw error;
          const described = describeRefusal(refusal, input.externalId, hints);
          return [{ file, index, line, error: described, ...(isFault(refusal) ? { passes: true } : {}) }];
        },
      );
    }
  }
}

/** In ms. */
const DAY = 86_400_000;
const toDay = (instant: string): string => new Date(instant).toISOString().slice(0, 10);

/** Returns the stored meeting with the same text if its start differs from the file's: it is the same meeting nevertheless. */
function findOtherStart(
  { file, index, line, input, reading }: CheckedMeeting,
  { meetingId, startTime }: Pick<StoredMeeting, "meetingId" | "startTime">,
): OtherStart[] {
  if (meetingId === undefined || startTime === undefined || reading.startSource === "fileTime") return [];
  const difference = Math.abs(Date.parse(startTime) - Date.parse(input.startTime));
  // A zone that the file doesn't say can be another one than was assumed before.
  const isSame =
    reading.startPrecision === "day"
      ? toDay(startTime) === toDay(input.startTime)
      : difference < (reading.timeZone === null ? 1 : DAY);
  if (isSame) return [];
  return [{ file, index, line, startTime: input.startTime, existing: { meetingId, startTime } }];
}

/** Returns true if a running server failed, or stopped before it answered. */
const isFault = ({ code }: ApiError): boolean =>
  code === "INTERNAL_SERVER_ERROR" || code === "SERVICE_UNAVAILABLE";

/** Adds the name of the field to a refusal. The user has not chosen an ID that is derived from a file's content. */
export function describeRefusal(
  { code, message }: ApiError,
  externalId: string,
  { replace, restore }: ImportHints,
): string {
  if (code === "NOT_FOUND") return `ownerEmail: ${message}`;
  if (message === MESSAGES.conflictingMeeting && DERIVED_ID.test(externalId))
    return `Imported before, with other content or choices (such as tags).${replace}`;
  if (message === MESSAGES.deletedMeeting && DERIVED_ID.test(externalId))
    return `Imported before, and deleted since.${restore}`;
  if (code === "CONFLICT") return `externalId: ${message}`;
  return message;
}
