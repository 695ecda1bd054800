import { type ConfirmedPerson, type ConfirmPerson, MESSAGES } from "@minutes/contract";
import { type Database, runNamedStatement, schema } from "@minutes/db";
import { sql } from "drizzle-orm";
import { buildOwnedCondition, type Caller, editableBy, refusalOf } from "../../access/index.js";
import { ApiError } from "../../lib/errors.js";
import { getPerson, isUnconfirmed } from "../../people/directory/index.js";
import { readVersion } from "../../versions/index.js";
import { assignSpeaker } from "./edit-speakers.js";

const { meetings, participants } = schema;

/** Maximum number of meetings that one call edits, and the time in ms after which it begins no further one. */
const MEETINGS_MAX = 50;
const EDITING_MAX = 2_000;

/** A speaker of a meeting that the caller can edit, not named by anybody yet. */
interface Unconfirmed {
  readonly meetingId: string;
  readonly speakerLabel: string;
  readonly personId: string;
}

/**
 * Says who the unconfirmed speakers with a name are, in meetings that the caller can edit. Each meeting is an edit of its own;
 * one that somebody else is editing stays for the next call.
 * @throws ApiError 404 for a person in no readable meeting, 409 for one that somebody has named, 403 if the caller can edit none
 *   of their meetings; otherwise the failure of an edit, unless an earlier one succeeded
 */
export async function confirmPerson(
  db: Database,
  caller: Caller,
  { personId, intoId, name, email }: ConfirmPerson,
): Promise<ConfirmedPerson> {
  const person = await getPerson(db, caller, personId);
  if (person.confirmed) throw new ApiError("CONFLICT", MESSAGES.personConfirmed);
  if (person.confirmable === 0)
    throw new ApiError("FORBIDDEN", refusalOf(caller, MESSAGES.notYourMeetingToEdit));
  const list = () => listUnconfirmed(db, caller, person.name);
  const done = new Map<string, number>();
  const until = performance.now() + EDITING_MAX;
  let known = intoId;
  try {
    for (const { speakerLabel, meetingId } of (await list()).slice(0, MEETINGS_MAX)) {
      if (performance.now() > until && known !== undefined) break;
      const who = known === undefined || email !== undefined ? { name, email } : { personId: known, name };
      const baseVersion = await readVersion(db, meetingId);
      const edited = await assignSpeaker(db, caller, { meetingId, speakerLabel, baseVersion, ...who });
      done.set(meetingId, edited.version);
      known ??= await readPersonId(db, meetingId, speakerLabel);
    }
  } catch (error) {
    if (known === undefined || done.size === 0) throw error;
  }
  if (known === undefined) throw new ApiError("CONFLICT", MESSAGES.personConfirmed);
  const rest = await list();
  return {
    personId: known,
    meetings: [...done].map(([meetingId, version]) => ({ meetingId, version })),
    remaining: new Set(rest.map(({ meetingId }) => meetingId)).size,
    nextId: rest[0]?.personId ?? null,
  };
}

/** Lists the unconfirmed speakers with exactly this name that the caller can name, oldest meeting first. */
const listUnconfirmed = async (db: Database, caller: Caller, name: string): Promise<Unconfirmed[]> => {
  const scope = editableBy(caller);
  return runNamedStatement<Unconfirmed>(
    db,
    `unconfirmed_speakers_${scope.name}`,
    () => sql`
      select m.id as "meetingId", p.id as "speakerLabel", p.person_id as "personId"
      from ${participants} p join ${meetings} m on m.id = p.meeting_id
      where m.workspace_id = ${sql.placeholder("workspaceId")} and ${buildOwnedCondition(scope, "m")}
        and p.name = ${sql.placeholder("name")} and ${isUnconfirmed}
      order by m.start_time, m.id, p.position`,
    { ...scope.values, workspaceId: caller.workspaceId, name },
  );
};

async function readPersonId(db: Database, meetingId: string, label: string): Promise<string | undefined> {
  const [speaker] = await db
    .select({ personId: participants.personId })
    .from(participants)
    .where(sql`${participants.meetingId} = ${meetingId} and ${participants.id} = ${label}`);
  return speaker?.personId ?? undefined;
}
