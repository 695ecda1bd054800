import { type Caller, canSee, canWrite, type Expected, isUser, ok, refuse } from "./answers.js";
import { refusePlan } from "./answers-of-edits.js";
import { compare } from "./compare.js";
import { getHead } from "./identify.js";
import { callBeyond, type Step } from "./step.js";
import { getVersion } from "./versions.js";
import { ERASED, type Meeting, type World } from "./world.js";

/** Compares the speakers of a meeting, and who they could be. */
export async function compareSpeakers(step: Step, caller: Caller, meeting: Meeting | null): Promise<void> {
  const meetingId = meeting?.id ?? "mtg_unknown";
  const answer = await callBeyond(step, caller, "speakers.list", { meetingId });
  const who = isUser(caller) ? caller.user.name : "a workspace";
  step.expect(`${who} lists speakers of ${meetingId}`, answer, listSpeakers(step.world, caller, meeting));
}

function listSpeakers(world: World, caller: Caller, meeting: Meeting | null): Expected {
  const refusal = refusePlan(caller);
  if (refusal) return refusal;
  if (meeting?.state !== "completed") return refuse(404, "Meeting not found");
  if (!canSee(caller, meeting)) return refuse(403, "Access denied. You do not have access to this meeting.");
  const { speakers, turns } = meeting.content;
  return ok({
    version: getVersion(meeting),
    speakers: speakers.map(({ label, person, name, email, named }) => ({
      ...{ speakerLabel: label, personId: getHead(world, person), name, email, named, talkSeconds: null },
      turns: turns.filter((turn) => turn.label === label).length,
    })),
    suggestions: canWrite(caller, meeting) ? suggest(world, meeting) : [],
  });
}

/** Suggests invited people who were not erased, then members. No two meetings of the model have the same title or calendar series. */
function suggest({ users }: World, { owner, content: { event, speakers } }: Meeting) {
  const members = users.filter(({ workspace }) => workspace === owner.workspace);
  const taken = new Set(speakers.map(({ email }) => email));
  const known = [
    ...(event?.attendees ?? [])
      .filter(({ email }) => email !== ERASED.email)
      .map((one) => ({ ...one, reason: "attendee" })),
    ...members
      .sort((one, other) => compare(one.name, other.name))
      .map((one) => ({ ...one, reason: "member" })),
  ];
  return known.flatMap(({ name, email, reason }) => {
    if (taken.has(email)) return [];
    taken.add(email);
    return [{ personId: null, name, email, reason }];
  });
}
