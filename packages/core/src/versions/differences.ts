import { MESSAGES } from "@minutes/contract";
import { type Database, schema } from "@minutes/db";
import { sql } from "drizzle-orm";
import { ApiError } from "../lib/errors.js";
import type { Snapshot } from "./snapshot.js";
import { readVersion } from "./with-version.js";

const { meetingVersionContents } = schema;

/** A turn as versions store it: label of the speaker, text, and the seconds of its start and end. */
export type StoredTurn = readonly [
  speakerLabel: string,
  text: string,
  startSeconds: number | null,
  endSeconds: number | null,
];

/** The fields that differed at an earlier version, with their values then. */
export interface VersionDifferences {
  readonly values: Snapshot;
  /** Turns that differed, by position. They apply on top of the transcript in `values`, or of the current one. */
  readonly turns: ReadonlyMap<number, StoredTurn>;
}

/**
 * Reads what differed at an earlier version: for each field, the value that the first edit after it replaced.
 * @throws ApiError 404 if the version doesn't exist or is no longer kept
 */
export async function readVersionDifferences(
  db: Database,
  meetingId: string,
  version: number,
): Promise<VersionDifferences> {
  const current = await readVersion(db, meetingId);
  const isLater = sql`c.meeting_id = ${meetingId} and c.version > ${version}`;
  const [kept] = await db
    .select({ count: sql<number>`count(distinct c.version)::int` })
    .from(sql`${meetingVersionContents} c`)
    .where(isLater);
  if (version > current || kept?.count !== current - version)
    throw new ApiError("NOT_FOUND", MESSAGES.versionNotFound);
  const rows = await db
    .select({
      field: sql<string>`field`,
      version: sql<number>`version`,
      content: sql<string | null>`content`,
    })
    .from(
      sql`(select distinct on (c.field) c.field, c.version, c.content
        from ${meetingVersionContents} c where ${isLater} order by c.field, c.version) s`,
    );
  const wholeAt = rows.find(({ field }) => field === "transcript")?.version ?? Number.POSITIVE_INFINITY;
  const isTurn = (field: string) => field.startsWith("turn:");
  return {
    values: new Map(rows.filter(({ field }) => !isTurn(field)).map(({ field, content }) => [field, content])),
    turns: new Map(
      rows
        // A turn that was edited after the transcript was replaced belongs to the new transcript.
        .filter((row) => isTurn(row.field) && row.version < wholeAt && row.content !== null)
        .map(({ field, content }) => [Number(field.slice("turn:".length)), JSON.parse(content ?? "")]),
    ),
  };
}
