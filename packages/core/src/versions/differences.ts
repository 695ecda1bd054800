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
  /** The speakers' labels of turns that belonged to others, by position. They apply last. */
  readonly labels: ReadonlyMap<number, string>;
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
  const values = new Map<string, string | null>();
  const turns = new Map<number, StoredTurn>();
  const labels = new Map<number, string>();
  // Of several edits of a turn's speaker, the first one knows whose it was.
  for (const { field, version, content } of rows.toSorted((one, other) => other.version - one.version)) {
    const [, kind, name = ""] = /^(turns?):(.*)$/s.exec(field) ?? [];
    if (kind === undefined) values.set(field, content);
    // A turn that was edited after the transcript was replaced belongs to the new transcript.
    else if (version >= wholeAt || content === null) continue;
    else if (kind === "turn") {
      const turn = JSON.parse(content) as StoredTurn;
      turns.set(Number(name), turn);
      labels.set(Number(name), turn[0]);
    } else for (const position of JSON.parse(content) as number[]) labels.set(position, name);
  }
  return { values, turns, labels };
}
