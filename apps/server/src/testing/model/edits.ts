import { schema } from "@minutes/db";
import { eq, max } from "drizzle-orm";
import { type Caller, type Expected, ok } from "./answers.js";
import { refuseEditor, refuseStale } from "./answers-of-edits.js";
import { callBeyond, type Step } from "./step.js";
import { change, getVersion, toAuthor } from "./versions.js";
import type { Content, Meeting, Version } from "./world.js";

/** Who edits which meeting, and the version that they saw. */
export interface Place {
  readonly caller: Caller;
  readonly meeting: Meeting;
  readonly baseVersion: number;
}

/** Picks a meeting, usually its owner or their company, and usually its current version. */
export function choosePlace({ random, world }: Step): Place | null {
  const meeting = random.any(
    world.meetings.filter(({ state }) => state === "completed" || random.chance(0.1)),
  );
  if (!meeting) return null;
  const user = random.chance(0.9) ? meeting.owner : random.pick(world.users);
  const company = random.chance(0.3) && world.companies.find((one) => one === user.workspace);
  const version = getVersion(meeting);
  return {
    caller: company ? { workspace: company } : { user },
    meeting,
    baseVersion: random.chance(0.9) ? version : 1 + random.int(version + 1),
  };
}

/** Returns why an edit of a meeting is refused; null if it is not. */
const refusePlace = ({ caller, meeting, baseVersion }: Place): Expected | null =>
  refuseEditor(caller, meeting) ?? refuseStale(meeting, baseVersion);

/** What an edit makes of a meeting, with further fields of the answer; or why it is refused. */
export type Edited = Expected | { readonly content: Content; readonly answer?: object };

/**
 * Compares the answer of an edit with the model's, in which it is then done. After a kill during the call it is done or not.
 * @param refuse returns why it is refused before its version is compared
 */
export async function compareEdit(
  step: Step,
  place: Place,
  [procedure, input]: readonly [procedure: string, input: object],
  edit: (content: Content) => Edited | Promise<Edited>,
  { refuse = refusePlace, action = "edit" }: { refuse?: typeof refusePlace; action?: Version["action"] } = {},
): Promise<void> {
  const { caller, meeting, baseVersion } = place;
  const call = () => callBeyond(step, caller, procedure, { baseVersion, ...input });
  let answered = await step.risk(call);
  const isDone = answered === null && (await readVersion(step, meeting)) > getVersion(meeting);
  if (!isDone) answered ??= await call();
  const compare = (expected: Expected) => {
    if (answered)
      step.expect(`${procedure} ${JSON.stringify({ baseVersion, ...input })}`, answered, expected);
  };
  const refusal = refuse(place) ?? refusePlace(place);
  if (refusal) return compare(refusal);
  const edited = await edit(meeting.content);
  if ("status" in edited) return compare(edited);
  change(meeting, edited.content, { ...toAuthor(caller), action });
  compare(ok({ ...edited.answer, meetingId: meeting.id, version: getVersion(meeting) }));
}

async function readVersion({ db }: Step, { id }: Meeting): Promise<number> {
  const { meetingVersions } = schema;
  const [row] = await db
    .select({ version: max(meetingVersions.version) })
    .from(meetingVersions)
    .where(eq(meetingVersions.meetingId, id));
  return row?.version ?? 1;
}
