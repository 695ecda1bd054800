import type { CallRecord } from "@minutes/core";

/** Says whether PostgreSQL's disk is full, as far as calls notice. */
export interface FullDiskNotice {
  readonly seen: () => boolean;
  readonly onCall: (call: Pick<CallRecord, "fault">) => void;
}

/** SQLSTATE of a disk that is full. */
const DISK_FULL = "53100";

/**
 * Time in ms for which a full disk is reported. It doesn't end with the next write: a small one can succeed while others
 * fail.
 */
const REPORTED = 300_000;

/** Notices calls that failed because the disk is full. Without any, nothing is asked of the database. */
export function createFullDiskNotice(now: () => number = performance.now.bind(performance)): FullDiskNotice {
  let failedAt = Number.NEGATIVE_INFINITY;
  return {
    seen: () => now() - failedAt < REPORTED,
    onCall: ({ fault }) => {
      if (fault === DISK_FULL) failedAt = now();
    },
  };
}
