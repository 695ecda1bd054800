import { type Caller, type Expected, ok, refuse } from "./answers.js";
import { refuseEditor, refuseStale } from "./answers-of-edits.js";
import { STARTS } from "./populate.js";
import { callBeyond, type Step } from "./step.js";
import { change, getVersion, toAuthor } from "./versions.js";
import type { Content, Meeting } from "./world.js";

/** Who edits which meeting, and the version that they saw. */
interface Place {
  readonly caller: Caller;
  readonly meeting: Meeting;
  readonly baseVersion: number;
}

/** Picks a meeting, usually its owner or their company, and usually its current version. */
function choosePlace({ random, world }: Step): Place | null {
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

/** Edits a meeting in the service and in the model. @param edit returns the new content, or why it is refused */
async function editMeeting(
  step: Step,
  { caller, meeting, baseVersion }: Place,
  procedure: string,
  input: object,
  edit: (content: Content) => Content | Expected,
): Promise<void> {
  const meetingId = meeting.id;
  const answer = await callBeyond(step, caller, procedure, { meetingId, baseVersion, ...input });
  const expected = (): Expected => {
    const refusal = refuseEditor(caller, meeting) ?? refuseStale(meeting, baseVersion);
    if (refusal) return refusal;
    const content = edit(meeting.content);
    if ("status" in content) return content;
    change(meeting, content, toAuthor(caller));
    return ok({ meetingId, version: getVersion(meeting) });
  };
  step.expect(`${procedure} ${JSON.stringify(input)}`, answer, expected());
}

/** Changes a title and times, perhaps to what they are. */
export async function editFacts(step: Step) {
  const { random } = step;
  const place = choosePlace(step);
  if (!place) return;
  const { title } = place.meeting.content;
  const startTime = random.pick(STARTS);
  const endTime = new Date(Date.parse(startTime) + random.int(400) * 60_000).toISOString();
  const input = {
    title: random.chance(0.3) ? title : `Title ${random.int(1_000)}`,
    ...(random.chance(0.4) ? { startTime } : {}),
    ...(random.chance(0.4) ? { endTime: random.chance(0.2) ? null : endTime } : {}),
  };
  await editMeeting(step, place, "meetings.edit", input, (content) => {
    const edited = { ...content, ...input };
    return edited.endTime !== null && edited.endTime < edited.startTime
      ? refuse(400, "endTime must not be before startTime.")
      : edited;
  });
}
