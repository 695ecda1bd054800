import { MESSAGES, type MeetingTranscript, type TimedTurn } from "@minutes/contract";
import { type Database, runNamedStatement, schema } from "@minutes/db";
import { type SQL, sql } from "drizzle-orm";
import { buildScopeCondition, type Scope } from "../access/index.js";
import { ApiError } from "../lib/errors.js";
import { participantId } from "../people/index.js";

const { meetings, participants } = schema;

interface TranscriptRow {
  readonly allowed: boolean;
  readonly segments: readonly TimedTurn[];
}

/**
 * Reads a transcript turn by turn, with speakers and times, in one statement.
 * @throws ApiError 404 for an unknown meeting, 403 for one outside the scope
 */
export async function getTranscript(
  db: Database,
  scope: Scope,
  meetingId: string,
): Promise<MeetingTranscript> {
  const [row] = await runNamedStatement<TranscriptRow>(
    db,
    `transcript_${scope.name}`,
    () => selectTranscript(scope),
    {
      ...scope.values,
      meetingId,
    },
  );
  if (!row) throw new ApiError("NOT_FOUND", MESSAGES.meetingNotFound);
  if (!row.allowed) throw new ApiError("FORBIDDEN", MESSAGES.noMeetingAccess);
  return { segments: [...row.segments] };
}

/** Selects the segments as one JSON list; reads none if the caller can't see the meeting. */
const selectTranscript = (scope: Scope): SQL => sql`
  select allowed, case when allowed then coalesce((
      select json_agg(json_build_object('speakerId', ${participantId()}, 'speakerLabel', p.id, 'speakerName', p.name, 'text', s.text, 'startSeconds', s.start_seconds,
        'endSeconds', s.end_seconds) order by s.position)
      from read_segments(m.id) s join ${participants} p on p.meeting_id = m.id and p.id = s.speaker_id), '[]') else '[]' end as segments
  from ${meetings} m
  cross join lateral (select ${buildScopeCondition(scope)} as allowed) access
  where m.id = ${sql.placeholder("meetingId")}`;
