import type { ExportedMeeting } from "@minutes/contract";
import { type Database, insertRows, schema } from "@minutes/db";
import { asc, eq } from "drizzle-orm";
import { isSummaryHidden } from "./hidden-summary.js";

const { meetingVersions, meetingVersionContents } = schema;

type ExportedVersions = ExportedMeeting["versions"];

/** Exports the versions of a meeting, without summaries that are locked. */
export async function exportVersions(db: Database, meetingId: string): Promise<ExportedVersions> {
  const versions = await db
    .select()
    .from(meetingVersions)
    .where(eq(meetingVersions.meetingId, meetingId))
    .orderBy(asc(meetingVersions.version));
  if (versions.length === 0) return [];
  const contents = await db
    .select()
    .from(meetingVersionContents)
    .where(eq(meetingVersionContents.meetingId, meetingId))
    .orderBy(asc(meetingVersionContents.version), asc(meetingVersionContents.field));
  const isHidden = await isSummaryHidden(db, meetingId);
  return versions.map(({ version, at, actor, action, fields }) => ({
    ...{ version, at, actor, action, fields },
    contents: contents
      .filter((one) => one.version === version && !(one.field === "summary" && isHidden(one.content)))
      .map(({ field, content }) => ({ field, content })),
  }));
}

/** Stores the versions of an export. Part of the transaction that stores the meeting. */
export async function restoreVersions(
  tx: Database,
  meetingId: string,
  versions: ExportedVersions,
): Promise<void> {
  for (const { contents, ...version } of versions) {
    await tx.insert(meetingVersions).values({ meetingId, ...version });
    await insertRows(tx, meetingVersionContents, contents, ({ field, content }) => ({
      ...{ meetingId, version: version.version, field, content },
    }));
  }
}
