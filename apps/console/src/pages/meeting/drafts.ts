import { listDrafts, readDraft } from "../../api/drafts";

export type TextField = "title" | "summary";

/** Return the names under which the unsaved input for a meeting's text, and for one of its turns, is kept. */
export const toTextDraft = (meetingId: string, field: TextField) => `meetings/${meetingId}/${field}`;
export const toTurnDraft = (meetingId: string, index: number) => `meetings/${meetingId}/turns/${index}`;

/** Finds the text of a meeting that has unsaved input, if any. */
export const findTextDraft = (userId: string, meetingId: string, fields: readonly TextField[]) =>
  fields.find((field) => readDraft(userId, toTextDraft(meetingId, field)) !== undefined) ?? null;

/** Lists the indexes of a meeting's turns that have unsaved input, in order. */
export function listTurnDrafts(userId: string, meetingId: string): number[] {
  const prefix = `meetings/${meetingId}/turns/`;
  return listDrafts(userId, prefix)
    .map((form) => Number(form.slice(prefix.length)))
    .sort((one, other) => one - other);
}
