import { useEffect, useRef } from "react";
import { notifyEdited } from "../../api/edits";
import { nameLanguage } from "../../components/languages";
import { notifySuccess } from "../../components/use-action";
import type { Detail } from "./editing";

/** Poll interval in ms while a new summary is being written: the change feed doesn't say that it failed. */
const INTERVAL = 5_000;

export const pollSummary = (meeting: Detail | undefined) =>
  meeting?.newSummary === "waiting" ? INTERVAL : false;

/** Says what a summary is written with, such as `as “Sales” says, in German`. */
export const describeOrigin = ({
  name,
  language,
}: {
  readonly name: string | null;
  readonly language: string | null;
}): string =>
  [
    ...(name === null ? [] : [`as “${name}” says`]),
    ...(language === null ? [] : [`in ${nameLanguage(language)}`]),
  ].join(", ");

/** Notifies when the new summary of a meeting has been written, and offers the previous one. */
export function useRewritten({ id, version, newSummary }: Detail): void {
  /** The version while it is being written; null if it isn't. */
  const before = useRef<number | null>(null);
  useEffect(() => {
    const earlier = before.current;
    before.current = newSummary === "waiting" ? version : null;
    if (earlier === null || newSummary !== null || version === earlier) return;
    const message = "The summary has been rewritten.";
    // Undoing would also take back what somebody edited since.
    if (version === earlier + 1) notifyEdited(message, { meetingId: id, version });
    else notifySuccess(message);
  }, [id, version, newSummary]);
}
